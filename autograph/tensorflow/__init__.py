"""Names for those who come from TensorFlow."""
