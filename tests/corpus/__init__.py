"""Programs, each with the arguments it is run on: in every mode they do what plain Python does."""
