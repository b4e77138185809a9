"""What a tensor answers beside its operators: attributes, ndarray's methods, an instance's."""
