"""Values that record: tensors, variables, the current trace, aliasing, NumPy's protocols."""
