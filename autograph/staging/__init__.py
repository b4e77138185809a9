"""The operators' backend for symbolic values: what each of them records."""
