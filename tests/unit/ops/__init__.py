"""Tests of `runtime/ops/`."""
