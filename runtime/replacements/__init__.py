"""Replacements for functions that NumPy's protocols do not reach, random generators among them."""
