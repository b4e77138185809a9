"""Programs for exports: each is saved and loaded, and lowered to ONNX and JAX."""
