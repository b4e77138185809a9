"""Makes random loops over elements that add up floats, for `fast_math`."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

LENGTHS = (0, 1, 2, 7, 33, 64, 65, 200, 1000)


class FastLoops:
    """A loop, or one in another, with sums, stores and branches; tests are of elements as given, so
    that no rounding decides."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = ["x[i]", "y[i]", "k", "0.5"]

    def expression(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.2:
            return self.random.choice(self.names)
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        return f"({a} {self.random.choice('+-**')} {b})"

    def step(self) -> list[str]:
        target = self.random.choice(["s", "t", "s", "u"])
        how = self.random.choice(["+=", "+=", "-="])
        line = f"{target} {how} {self.expression()}"
        kind = self.random.random()
        if kind < 0.2:
            return [f"if x[i] > {self.random.choice(['0.0', 'y[i]', '0.5'])}:", "    " + line]
        if kind < 0.3:
            return [f"s = s + t * {self.expression()}" if self.random.random() < 0.3 else line]
        if kind < 0.5:
            return [f"z[i] {self.random.choice(['=', '+='])} {self.expression()}"]
        if kind < 0.6:
            made = [f"d = {self.expression()}"]
            self.names.append("d")
            return made if made[0].count("d") == 1 else ["s += d"]
        return [line]

    def source(self) -> str:
        lines = [line for _ in range(self.random.randint(1, 4)) for line in self.step()]
        start = self.random.choice(["0.0", "k * 0.5", "x[0] if n else 0.0", "0"])
        inside = "".join(f"        {line}\n" for line in lines)
        text = f"    s, t, u = {start}, 1.5, 0.0\n    d = 0.25\n    for i in range(n):\n{inside}"
        if self.random.random() < 0.3:
            again = "".join(f"            {line}\n" for line in lines)
            text = (f"    t, u, s = 1.0, 0.0, {start}\n    d = 0.25\n    for j in range(3):\n"
                    f"        u += 0.25\n        for i in range(n):\n{again}")
        return f"def f(x, y, z, k, n):\n{text}    return s, t, u, z\n"


def arguments(seed: int) -> tuple[Any, ...]:
    random, r = Random(seed), np.random.default_rng(seed)
    n = random.choice(LENGTHS)
    dtype = random.choice(["f8", "f8", "f8", "f4"])
    x, y, z = (r.normal(size=n).astype(dtype) for _ in range(3))
    if random.random() < 0.3:
        x = np.repeat(x, 2)[::2]
    return x, y, z, random.choice([2.0, -0.75, 3]), n
