"""Makes random numeric programs of what other engines have: no lists, handlers and exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.random.numerics import ARRAYS, PRELUDE, Numerics

DTYPES = ("float64", "float32", "int64", "int32", "int8", "uint8", "uint64", "bool")


class Exported(Numerics):
    """One random program `f(x, y, s, n)`; every choice comes from `random`."""

    def source(self) -> str:
        self.lines = ["def f(x, y, s, n):", "    z = x * 1", "    t = s + 0"]
        for _ in range(self.random.randrange(3, 8)):
            self.statement(1)
        self.say(1, "return x, y, z, s, t")
        return PRELUDE + "\n".join(self.lines) + "\n"

    def statement(self, depth: int) -> None:
        simple = (self.assign, self.assign, self.number, self.update, self.store, self.store)
        compound = (self.branch, self.branch, self.rounds, self.while_)
        chosen = compound if depth < 3 and self.random.random() < 0.4 else simple
        self.random.choice(chosen)(depth)

    def rounds(self, depth: int) -> None:
        self.loops += 1
        i = f"i{self.loops}"
        self.say(depth, f"for {i} in range({self.pick('n', 'n', '2', '1, 12, 4', '3, -1, -1')}):")
        self.say(depth + 1, self.pick(f"t = t + {i} % 3", f"{self.pick(*ARRAYS)}[{i} % 4] = s",
                                      f"z = z * ({i} - 1)"))
        self.block(depth + 1)


def arguments() -> Iterator[tuple[Any, ...]]:
    """Yields arguments in each dtype, and two dtypes that mix."""
    for dtype in DTYPES:
        x, y = np.array([1, 0, 3, 2], dtype), np.array([2, 5, 1, 0], dtype)
        if x.dtype.kind in "if":
            x[1:2], y[3:] = -2, -1
        yield x, y, x.dtype.type(2), np.int64(3)
    yield np.array([0.5, -2.5, 3, 0]), np.array([1, -7, 0, 2]), np.float32(0.25), np.int64(2)
    yield np.array([1, 200, 0, 3], "u1"), np.array([1, -128, 127, 0], "i1"), np.int8(5), np.int64(1)
