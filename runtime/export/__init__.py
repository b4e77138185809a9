"""Graphs for other engines: ONNX files, JAX functions, Dask tasks."""
