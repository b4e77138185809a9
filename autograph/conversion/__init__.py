"""Decides what is converted, converts it, loads the result, and remembers it."""
