"""Tests of `runtime/interpret/`."""
