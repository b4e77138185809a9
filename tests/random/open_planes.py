"""Makes random expressions of parts of arrays of three axes of any length."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random
from typing import Any

import numpy as np

from tests.random.open_lengths import ENDS, FIRST

INSIDE, MOVED = ("1:-1",), ("1:-1", "2:", ":-2")
SMALL, LARGE = (3, 4, 5), (2, 3, 4, 6, 9, 10, 40)

MOST = 30_000
"""Elements: the order of larger results depends on where NumPy reuses an operand's memory."""


class Planes:
    """An expression of arrays `u` and `v` without some of their borders, an array of that shape,
    one plane of it, a row, and a number."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.cut = random.choice([(1, 1, 1), (1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (0, 0, 1)])
        ways = [MOVED if cut else (":",) for cut in self.cut]
        slices = [", ".join(found) for found in product(*ways)]
        if self.cut[2] == 0:
            slices += [text.removesuffix(", :") for text in slices]
        terms = [f"{random.choice('uv')}[{random.choice(slices)}]"
                 for _ in range(random.randint(1, 5))]
        terms += random.sample(["w", "row", "n", "0.25", "w[:1]", "w[0]"], random.randint(0, 2))
        random.shuffle(terms)
        made = terms[0]
        for term in terms[1:]:
            made = f"({made} {random.choice('+-*')} {term})"
        if random.random() < 0.3:
            made = random.choice(["np.sin", "np.exp", "np.abs", "np.sqrt"]) + f"({made})"
        self.text = random.choice(ENDS).format(made)
        self.known = random.choice([{}, {}, {0: 3}, {1: 5}, {0: 4, 1: 3}])

    def source(self) -> str:
        return f"import numpy as np\ndef f(u, v, w, row, n):\n    return {self.text}\n"

    def given(self, call: int) -> tuple[Any, ...]:
        """Returns arguments for a call of this number."""
        shape = [self.known.get(k) or self.random.choice(SMALL if call < FIRST else LARGE)
                 for k in range(3)]
        if call >= FIRST and self.random.random() < 0.2:
            shape[2] = 1030
        if prod(shape) > MOST:
            shape[:2] = 3, 4
        shape = [max(n, 3) if cut else n for n, cut in zip(shape, self.cut, strict=True)]
        inner = [n - 2 * cut for n, cut in zip(shape, self.cut, strict=True)]
        return (self.array(*shape), self.array(*shape), self.array(*inner),
                self.array(1, 1, inner[2])[0, 0], self.random.choice([2, 0.5, np.float64(3)]))

    def array(self, *shape: int) -> Any:
        """Returns numbers in some order of memory."""
        random, (a, b, c) = self.random, shape
        r = np.random.default_rng(random.getrandbits(32))
        x = r.normal(size=(2 * a, b + 1, c + 2))
        if random.random() < 0.1:
            x[r.random(x.shape) < 0.02] = random.choice([np.nan, np.inf, -0.0])
        inside = x[:a, :b, :c]
        return random.choice([
            inside.copy(), inside.copy(), inside.copy(), inside, x[::2, 1:, 2:], x[a:, :b, 1:-1],
            np.asfortranarray(inside), inside[::-1], inside[:, ::-1], inside[..., ::-1],
            np.ascontiguousarray(inside.transpose(1, 0, 2)).transpose(1, 0, 2),
            np.broadcast_to(inside[:1], shape), inside.astype(np.float32)])
