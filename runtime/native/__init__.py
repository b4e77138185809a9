"""Native code: loops over numbers as machine code with NumPy's own bits, through llvmlite."""
