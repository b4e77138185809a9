"""Tests of `autograph/explain/`."""
