"""Exports: ONNX, JAX, Dask."""
