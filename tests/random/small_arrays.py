"""Random loops over arrays of two floats: arithmetic, renaming, branches, and numbers beside."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

RENAMED = ("x, y = y, x", "z = x", "x = y", "x, z = z, x", "y = z")
RESULTS = ("x", "x, y", "s, x", "x, y, z, s", "y, s, t", "z")
ARRAYS = ([1.0, 2.0], [-0.5, 3.0], [3.0, 0.25], [0.0, -0.0], [np.nan, 1.0], [np.inf, -2.0],
          [1e308, 1e-308])


class SmallArrays:
    """Writes `f(x, y, z, h, n)`: three arrays, a number, and about how many iterations."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def source(self) -> str:
        r = self.random
        lines = ["import numpy as np", "def f(x, y, z, h, n):", "    t = 0.0", "    s = h * 1.0",
                 r.choice(["    while t < n:", "    for i in range(int(n)):"])]
        for _ in range(r.randint(1, 4)):
            lines += self.statement(2)
        return "\n".join([*lines, "        t = t + 1.0", f"    return {r.choice(RESULTS)}", ""])

    def statement(self, depth: int) -> list[str]:
        r, kind, start = self.random, self.random.random(), "    " * depth
        if kind < 0.5 or depth > 3:
            return [f"{start}{r.choice('xyz')} = {self.array(0)}"]
        if kind < 0.65:
            return [f"{start}s = {self.number(0)}"]
        if kind < 0.75:
            return [f"{start}{r.choice(RENAMED)}"]
        if kind > 0.92:
            return [f"{start}for j{depth} in range(2):", *self.statement(depth + 1)]
        lines = [f"{start}if {self.number(1)} {r.choice('<>')} {self.number(1)}:",
                 *self.statement(depth + 1)]
        return [*lines, f"{start}else:", *self.statement(depth + 1)] if r.random() < 0.5 else lines

    def array(self, depth: int) -> str:
        r, kind = self.random, self.random.random()
        if depth > 2 or kind < 0.3:
            return r.choice("xyz")
        if kind < 0.55:
            return f"({self.array(depth + 1)} {r.choice('+-*/+-*')} {self.array(depth + 1)})"
        if kind < 0.7:
            return f"({self.number(depth + 1)} {r.choice('+-*')} {self.array(depth + 1)})"
        if kind < 0.84:
            return f"np.array([{self.number(depth + 1)}, {self.number(depth + 1)}])"
        return r.choice(["np.abs({})", "{} ** 2", "np.sqrt(np.abs({}))", "-{}"]).format(
            self.array(depth + 1))

    def number(self, depth: int) -> str:
        r, kind = self.random, self.random.random()
        if depth > 2 or kind < 0.35:
            return r.choice(["s", "x[0]", "y[1]", "z[-1]", "0.5", "2.0", "h", "t", "1.0"])
        if kind < 0.7:
            return f"({self.number(depth + 1)} {r.choice('+-*/+-*')} {self.number(depth + 1)})"
        if kind < 0.94:
            return r.choice(["np.max(np.abs({}))", "np.sum({})"]).format(self.array(depth + 1))
        return f"{r.choice(['min', 'max'])}({self.number(depth + 1)}, {self.number(depth + 1)})"


def arguments(seed: int) -> tuple[Any, ...]:
    """Arguments of `f`, the same for the same seed; sometimes one array twice."""
    r = Random(seed)
    pool = ARRAYS[:3] if r.random() < 0.6 else ARRAYS
    x, y, z = (np.array(r.choice(pool)) for _ in range(3))
    return (x, x if r.random() < 0.15 else y, z, np.float64(r.choice([0.1, 0.5, -1, 2.0])),
            np.float64(r.choice([0, 1, 2, 3, 5])))
