"""Programs that use Python's and SciPy's libraries: algorithms, tools, lazy iterators."""
