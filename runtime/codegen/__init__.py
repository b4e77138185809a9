"""Code generation: prints the graph as Python over NumPy, with the decisions of `lower`."""
