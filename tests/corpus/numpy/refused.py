"""Rows that are refused, because a graph cannot follow what they do."""

ROWS = [
    # the memory itself is given away, or looked at from outside
    "x.data", "x.ctypes.data", "x.base", "np.nditer([x, x])",
    # the caller's own array object changes its shape, dtype or flags
    "x.shape = (3, 2); return x", "x.dtype = np.int64; return x",
    "x.setflags(write=False); return x", "x.resize(2, 2); return x",
]
