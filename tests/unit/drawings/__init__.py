"""Tests of `runtime/drawings/`."""
