"""Tests of `examples/`."""
