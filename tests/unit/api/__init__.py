"""Tests of `runtime/api/`."""
