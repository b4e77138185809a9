"""Makes random programs on arrays whose lengths change from call to call."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

import numpy as np

from tests.random.arrays import Arrays

FEW, MANY = (2, 3, 5, 6, 7, 8, 12), (0, 1, 9, 63, 64, 65, 130, 1023, 1024, 1025, 2047, 2500, 5000)
FIRST = 4
"""So many calls come before lengths are open."""


class Lengths:
    """Arguments of a program with other lengths along some axes of its arrays."""

    def __init__(self, program: Arrays, random: Random) -> None:
        self.arguments = tuple(program.arguments.values())
        self.shape, self.rank = program.shape, len(program.shape)
        axes = range(self.rank)
        self.axes = random.choice([[0], [0], list(axes), axes[-1:]]) if axes else []
        self.random = random

    def given(self, most: int) -> tuple[Any, ...]:
        """Returns arguments; no length is above `most`."""
        size = prod(n for k, n in enumerate(self.shape) if k not in self.axes)
        lengths = {}
        for axis in self.axes:
            allowed = [n for n in (*FEW, *MANY) if n <= most and n * size <= max(MANY)]
            lengths[axis] = self.random.choice(allowed or [2])
            size *= lengths[axis]
        return tuple(self.changed(x, lengths) for x in self.arguments)

    def changed(self, x: Any, lengths: dict[int, int]) -> Any:
        """Repeats the elements of an array along axes that are not broadcast."""
        if type(x) is not np.ndarray:
            return x
        made = x
        for axis, n in lengths.items():
            own = axis - self.rank + x.ndim
            if own >= 0 and x.shape[own] > 1:
                made = made.take(np.arange(n) % x.shape[own], own)
        return made if self.random.random() < 0.9 else np.asfortranarray(made)


SLICES = ("1:-1, 1:-1", "2:, 1:-1", ":-2, 1:-1", "1:-1, 2:", "1:-1, :-2", "2:, 2:", ":-2, :-2")
ENDS = ("{}", "{}", "({}).sum(axis=-1)", "({}).sum()", "({}).mean()", "({}).mean(axis=1)",
        "({}).max(axis=1, keepdims=True)", "({}).min()", "(lambda t: t - t.mean())({})",
        "(lambda t: np.exp(t - t.max(axis=-1, keepdims=True)))({})",
        "(lambda t: (t, t.sum(axis=-1), t * 2))({})", "(lambda t: t / (1 + abs(t).sum()))({})")


SMALL, LARGE = (3, 4, 5, 8), (2, 3, 4, 9, 10, 11, 40, 66, 130, 1027)
"""Lengths of the matrices in the first calls, and in the others."""


class Matrices:
    """An expression of matrices `u` and `v` without their borders, a row, a column and a number."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.text = self.expression()
        self.rows, self.columns = random.choice(
            [(5, None), (None, 6), (None, None), (None, None)])

    def source(self) -> str:
        return f"import numpy as np\ndef f(u, v, row, column, n):\n    return {self.text}\n"

    def expression(self) -> str:
        random = self.random
        terms = [f"{random.choice('uv')}[{random.choice(SLICES)}]"
                 for _ in range(random.randint(1, 5))]
        others = ["row", "column", "n", "0.25", "u[1:-1, 1:-1].T.T"]
        terms += random.sample(others, random.randint(0, 2))
        random.shuffle(terms)
        made = terms[0]
        for term in terms[1:]:
            made = f"({made} {random.choice('+-*')} {term})"
        if random.random() < 0.3:
            made = random.choice(["np.sin", "np.exp", "np.abs", "np.sqrt"]) + f"({made})"
        return random.choice(ENDS).format(made)

    def given(self, call: int) -> tuple[Any, ...]:
        """Returns arguments for a call of this number."""
        allowed = SMALL if call < FIRST else LARGE
        n = self.rows or self.random.choice(allowed)
        m = self.columns or self.random.choice(allowed[:-1])
        return (self.matrix(n, m), self.matrix(n, m), self.matrix(1, m)[0, 2:],
                self.matrix(n, 1)[2:], self.random.choice([2, 0.5, np.float64(3)]))

    def matrix(self, n: int, m: int) -> Any:
        """Returns a matrix of numbers in some order of memory."""
        random = self.random
        r = np.random.default_rng(random.getrandbits(32))
        x = r.normal(size=(2 * n, 2 * m)) * random.choice([1, 3])
        if random.random() < 0.1:
            x[r.random(x.shape) < 0.02] = random.choice([np.nan, np.inf, -0.0])
        return random.choice([
            x[:n, :m].copy(), x[:n, :m].copy(), x[:n, :m], x[::2, 1:m + 1], x[n:, m:], x[:n, ::2],
            np.asfortranarray(x[:n, :m]), x[:n, :m][::-1], x[:n, :m][:, ::-1],
            np.broadcast_to(x[0, :m], (n, m)), x[:n, :m].astype(np.float32)])
