"""Makes random programs on arrays of floats for `fast_math`, and tells how far off results may be.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.random.arrays import Arrays

UFUNCS = ("exp", "exp2", "expm1", "cosh", "tanh", "log", "log1p", "log2", "log10", "sin", "cos",
          "tan", "arctan", "arcsin", "arccos", "sqrt", "power", "square", "add", "subtract",
          "multiply", "divide", "maximum", "negative", "absolute", "hypot", "sinh")

OFF = 256
"""How many times as far as NumPy's results, and as one unit of the largest, ours may be off."""


class FastArrays(Arrays):
    """Continuous functions, so that nothing but the rounding tells results apart."""

    dtypes, ufuncs, operators = ("f8", "f8", "f8", "f4"), UFUNCS, ("+", "-", "*", "*", "+", "/")
    reductions = ("sum", "mean", "max", "min")
    unusual = 0.15

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.orders = ("C",)

    def expression(self) -> str:
        """A cast would round the exact results, too."""
        text = super().expression()
        return text if "astype" not in text else self.expression()

    def in_more_digits(self) -> list[Any]:
        """Returns the arguments as floats of more digits."""
        return [np.asarray(x).astype(np.longdouble) if isinstance(x, np.ndarray) else x
                for x in self.arguments.values()]


def is_near(found: Any, numpys: Any, exact: Any) -> bool:
    """Returns True if a result is about as near to the exact one as NumPy's."""
    if type(found) is not type(numpys) or found.dtype != numpys.dtype or (
            found.shape != numpys.shape):
        return False
    with np.errstate(all="ignore"):
        known = np.isfinite(numpys) & np.isfinite(found) & np.isfinite(exact)
        ours, theirs = (np.abs(x.astype(np.longdouble) - exact)[known] for x in (found, numpys))
        if not known.any():
            return True
        unit = np.spacing(np.abs(exact[known]).max().astype(found.dtype))
        allowed = OFF * (np.longdouble(unit) + theirs.max())
    return bool((ours <= allowed).all())
