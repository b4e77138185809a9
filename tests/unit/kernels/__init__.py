"""Tests of `runtime/kernels/`."""
