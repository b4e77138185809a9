"""Tests of `runtime/functions/`."""
