"""Printers: the graph as Python over NumPy, with its decisions from `lower`."""
