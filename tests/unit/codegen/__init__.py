"""Tests of `runtime/codegen/`."""
