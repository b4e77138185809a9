"""Functions that users call in the functions that become graphs."""
