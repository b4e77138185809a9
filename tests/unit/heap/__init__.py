"""Tests of `runtime/heap/`."""
