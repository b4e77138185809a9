"""Random loops over arrays whose last axes are short: columns, points of two or three numbers."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.random.text import Text

SHAPES = [(40, 1), (1, 40), (30, 2), (30, 3), (9, 3), (3, 9), (5, 7), (6, 8), (12, 3, 2), (4, 1, 5),
          (1, 1), (1, 1, 3), (2, 2, 2), (70, 3), (8,), (17, 1, 1), (0, 3), (3, 0), (5, 9)]
TYPES = ["f8", "f8", "f8", "f4", "i8", "i4", "u2", "?", "c16"]
UNARY = ["np.exp({})", "np.sqrt({})", "-{}", "np.abs({})", "({} > 1)", "np.square({})",
         "np.sin({})"]
REDUCED = ["np.sum({}, axis={})", "{}.sum(axis={}, keepdims=True)", "np.prod({}, axis={})",
           "{}.mean(axis={})", "np.max({}, axis={})", "{}.sum(axis={})"]
WHOLE = ["{}.sum()", "np.prod({})", "np.mean({})", "{}.max()", "np.sum({}, axis=None)"]


class ShortAxes(Text):
    """Writes `f(x, y, n)`: two arrays of one shape or of shapes that are broadcast, and a number
    of iterations."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.shape = random.choice(SHAPES)
        self.axis = random.randrange(-1, len(self.shape))
        self.reduced = random.choice(REDUCED)
        self.types = random.choice([["f8"], ["f8"], TYPES])

    def source(self) -> str:
        """Returns the text of the program."""
        self.say(0, "def f(x, y, n):")
        self.say(1, f"s, v = {self.pick(*WHOLE).format('y')}, x * y")
        self.say(1, f"w = {self.reduced.format('(x + y)', self.axis)}")
        self.say(1, "for i in range(n):")
        for _ in range(self.random.randint(1, 4)):
            self.statement()
        self.say(1, "return s, v, w, x")
        return "\n".join([*self.lines, ""])

    def statement(self) -> None:
        kind = self.random.random()
        if kind < 0.3:
            self.say(2, f"v = {self.full()}")
        elif kind < 0.55:
            self.say(2, f"w = {self.reduced.format(self.full(), self.axis)}")
        elif kind < 0.7:
            self.say(2, f"s = s + {self.pick(*WHOLE).format(self.array(1))}")
        elif kind < 0.85:
            self.say(2, f"x[...] = {self.array(2)}")
        else:
            self.say(2, f"x {self.pick('+', '-', '*')}= {self.array(1)}")

    def full(self) -> str:
        return f"({self.pick('x', 'v')} {self.pick('+', '-', '*')} {self.array(1)})"

    def array(self, depth: int) -> str:
        if depth == 0 or self.chance(0.25):
            return self.pick("x", "y", "x", "v", "y[..., :1]", "x[:1]")
        if self.chance(0.35):
            return self.pick(*UNARY).format(self.array(depth - 1))
        left, sign = self.array(depth - 1), self.pick("+", "-", "*", "/", "+", "-")
        return f"({left} {sign} {self.pick(self.array(depth - 1), '2', '0.5', 's')})"

    def arguments(self, seed: int) -> tuple[Any, ...]:
        """Returns arguments: in C order or not, of common numbers, zeros of both signs and NaNs."""
        r = Random(seed)
        how = r.choice(["same", "same", "row", "column"])
        return self.given(r, "same"), self.given(r, how), r.choice([1, 5, 9])

    def given(self, r: Random, how: str) -> Any:
        shape = self.shape[-1:] if how == "row" else (
            (*self.shape[:-1], 1) if how == "column" else self.shape)
        numbers = np.random.default_rng(r.randrange(10 ** 6))
        x = numbers.normal(size=shape) * 3
        x[numbers.random(shape) < 0.2] = r.choice([-0.0, 0.0, 1.0, 1e300, np.nan, np.inf, 2.0, 5.0])
        if r.random() < 0.2:
            x[...] = -0.0
        dtype = np.dtype(r.choice(self.types))
        with np.errstate(all="ignore"):
            x = np.nan_to_num(x, posinf=3, neginf=3).clip(0, 100) if dtype.kind in "iu?" else x
            x = x.astype(dtype)
        layout = r.random()
        if layout < 0.15:
            return np.asfortranarray(x)
        if layout < 0.3:
            return x[::-1]
        return np.repeat(x, 2, axis=-1)[..., ::2] if layout < 0.45 else x
