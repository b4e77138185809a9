"""Python code for functions that Python's library has in C: converted as the user's own code is."""
