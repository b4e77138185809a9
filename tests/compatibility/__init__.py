"""What other implementations promise: TensorFlow's behaviour, and CPython's own test suites."""
