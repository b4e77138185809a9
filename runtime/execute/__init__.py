"""The executors: the reference interpreter, and Python source generated from the graph."""
