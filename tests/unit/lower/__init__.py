"""Tests of `runtime/lower/`."""
