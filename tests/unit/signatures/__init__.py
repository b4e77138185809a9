"""Tests of `runtime/signatures/`."""
