"""One traced signature, from its trace to its runs."""
