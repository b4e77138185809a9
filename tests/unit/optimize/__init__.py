"""Tests of `runtime/optimize/`."""
