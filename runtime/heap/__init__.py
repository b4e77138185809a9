"""The abstract heap: the objects and containers that a trace reads, changes and chooses."""
