"""A corpus of ordinary small programs, by theme, each with the arguments it is run on."""
