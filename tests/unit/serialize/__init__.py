"""Tests of `runtime/serialize/`."""
