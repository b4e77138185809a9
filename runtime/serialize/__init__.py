"""Graphs that outlive their process: plain data, files, checkpoints, pickles."""
