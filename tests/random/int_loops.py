"""Random loops over single ints that LLVM may vectorise: what does not fit, is out of bounds, or
lies in memory that arrays share."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.random.vector_loops import LENGTHS, VectorLoops, layouts

OPERATIONS = ["+", "-", "*", "&", "|", "^", "+", "-", ">>", "//", "%"]
DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "i8", "u8"]


class IntLoops(VectorLoops):
    """Writes `f(x, y, z, k, n, c)` as `VectorLoops` do, of ints."""

    def value(self, depth: int) -> str:
        if depth == 0 or self.chance(0.15):
            return self.pick("x[i]", "y[i]", "x[i]", f"y[{self.index()}]", f"z[{self.index()}]",
                             "k", "2", "i", "3", "1", *self.known * 3)
        if self.chance(0.1):
            return self.pick("abs", "-", "int", "~") + f"({self.value(depth - 1)})"
        return f"({self.value(depth - 1)} {self.pick(*OPERATIONS)} {self.value(depth - 1)})"

    def index(self) -> str:
        """An index; now and then one that comes from an array."""
        return self.pick(*[super().index()] * 9, "x[i] % 3", "x[i]", "(x[i] + y[i]) & 3")

    def test(self) -> str:
        first = self.value(1) if self.chance(0.5) else self.value(0)
        return f"{first} {self.pick('<', '<=', '>', '==', '!=')} {self.value(0)}"


def int_arguments(seed: int, dtype: str | None = None, clean: bool = False) -> tuple[Any, ...]:
    """Arguments of `f`, the same for the same seed; `clean`: of small numbers."""
    r, g = Random(seed), np.random.default_rng(seed)
    size, room = r.choice(LENGTHS), r.choice([0, 2, 2, 300])

    def made() -> Any:
        d = np.dtype(dtype or r.choice(DTYPES))
        limits = np.iinfo(d)
        found = g.integers(1, 5, size + room).astype(d)
        if not clean and len(found):
            found[r.randrange(len(found))] = r.choice(
                [limits.max, limits.min, 0, limits.max - 1, limits.max // 2 + 1])
        return found

    arrays = r.choice(layouts(made(), made(), made()))
    k = r.choice([1, 2, -3, 5, 100])
    return (*arrays, k if clean else r.choice([k, 200, 2 ** 62]), size, r.choice([0, 1, 2, -1, 5]))
