"""The reference interpreter, and what watches it: the debugger, the NaN finder."""
