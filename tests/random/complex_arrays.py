"""Makes random programs of operations and reductions on whole complex arrays."""

from __future__ import annotations

import numpy as np

from tests.random.arrays import UFUNCS, Arrays


class ComplexArrays(Arrays):
    """A program on complex arrays and real ones."""

    dtypes = ("c16", "c16", "c8", "f8", "f4", "i4", "?")
    ufuncs = tuple(name for name in UFUNCS if any("D" in t for t in getattr(np, name).types))
    operators = ("+", "-", "*", "*", "/", "==", "!=")
    casts = ("complex128", "complex64", "bool")
    reductions = ("sum", "mean", "prod", "any", "all", "max")
    numbers = (2, 0.5, 1j, 1 - 2j, -0.0)
    constants = ("1.5", "2", "1.5j", "(2 - 1j)", "np.complex64(1j)", "-0.0")
    unusual = 0.1
