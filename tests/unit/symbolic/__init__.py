"""Tests of `runtime/symbolic/`."""
