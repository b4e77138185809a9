"""Tests of `runtime/diagnostics/`."""
