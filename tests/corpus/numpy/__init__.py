"""Programs over arrays, and tables of calls of NumPy, line by line."""
