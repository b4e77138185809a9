"""Tests of `runtime/tensor_methods/`."""
