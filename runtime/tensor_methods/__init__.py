"""The methods of tensors beside operators: attributes, methods of ndarray, objects of classes."""
