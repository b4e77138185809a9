"""`ag.export_onnx`: a graph as an ONNX model."""
