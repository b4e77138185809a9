"""Tests of `runtime/ir/`."""
