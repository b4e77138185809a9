"""The passes that turn constructs of Python into calls of the operators, `ag.…`."""
