"""Tests of `runtime/views/`."""
