"""Random loops over single elements that LLVM may vectorise: the exceptions of their floats, what
is out of bounds, and arrays that share memory."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.random.text import Text

OPERATIONS = ["+", "-", "*", "/", "+", "*"]
UNUSUAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, 3e38, 5e-324]
DTYPES = ["f8", "f8", "f8", "f4", "i8", "i4", "i1", "u1"]
LENGTHS = [0, 1, 2, 3, 7, 8, 9, 31, 63, 64, 65, 66, 100, 127, 200, 257]


class VectorLoops(Text):
    """Writes `f(x, y, z, k, n, c)`: three vectors, a number and two ints.

    known  names of numbers that an iteration has computed.
    """

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.known: list[str] = []

    def source(self) -> str:
        first = [f"    {name} = {self.pick(f'{name}.copy()', f'np.zeros_like({name})', name)}"
                 for name in "z"]
        head = ["import numpy as np", "def f(x, y, z, k, n, c):", "    s, m = 0.0, 0", *first]
        depth = 1
        if self.chance(0.3):
            self.say(1, "for t in range(2):")
            depth = 2
        for _ in range(self.random.choice([1, 1, 2])):
            self.loop(depth)
        if depth == 2 and self.chance(0.4):
            self.say(2, "y, z = z, y")
        return "\n".join([*head, *self.lines, "    return s, m, x, y, z", ""])

    def loop(self, depth: int) -> None:
        stop = self.pick("n", "n - 2", "n - 2", "n - 2", "n - 1", "n - c", "len(x)", "len(x) - 1",
                         "n + 1", "8", "70")
        start = self.pick("0", "2", "2", "2", "1", "c", "-1")
        step = self.pick("", "", "", "", ", 2", ", -1")
        if step == ", -1":
            start, stop = f"{stop} - 1", "-1"
        self.say(depth, f"for i in range({start}, {stop}{step}):")
        self.known = []
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth + 1)

    def statement(self, depth: int) -> None:
        kind = self.random.random()
        if kind < 0.5:
            self.say(depth, f"{self.target()} = {self.value(2)}")
        elif kind < 0.6:
            self.say(depth, f"{self.target()} {self.pick('+', '-', '*', '/')}= {self.value(1)}")
        elif kind < 0.75:
            self.say(depth, f"v = {self.value(2)}")
            self.known.append("v")
        elif kind < 0.85:
            self.say(depth, f"if {self.test()}:")
            self.say(depth + 1, self.pick(f"{self.target()} = {self.value(1)}", "m += 1",
                                          f"m = {self.pick('i', 'm + 2')}"))
        elif kind < 0.92:
            self.say(depth, f"w = {self.value(1)} if {self.test()} else {self.value(0)}")
            self.known.append("w")
        else:
            self.say(depth, self.pick(f"s += {self.value(1)}", f"s = {self.value(1)}",
                                      f"s = max(s, {self.value(0)})"))

    def target(self) -> str:
        return self.pick(f"z[{self.index()}]", f"z[{self.index()}]", "z[i]", f"y[{self.index()}]",
                         "z[0]")

    def value(self, depth: int) -> str:
        if depth == 0 or self.chance(0.15):
            return self.pick("x[i]", "y[i]", f"x[{self.index()}]", f"y[{self.index()}]",
                             f"z[{self.index()}]", "k", "2.0", "0.5", "i", "3", *self.known * 3)
        if self.chance(0.12):
            return self.pick("abs", "-", "np.sqrt", "float") + f"({self.value(depth - 1)})"
        return f"({self.value(depth - 1)} {self.pick(*OPERATIONS)} {self.value(depth - 1)})"

    def test(self) -> str:
        return f"{self.value(0)} {self.pick('<', '<=', '>', '==', '!=')} {self.value(0)}"

    def index(self) -> str:
        return self.pick(*["i"] * 6, "i - 1", "i + 1", "i - 2", "i + c", "i - c", "n - 1 - i", "-i",
                         "-i - 1", "2 * i", "i // 2", "0", "c")


# -- arguments -------------------------------------------------------------------------------------

def layouts(x: Any, y: Any, z: Any) -> list[tuple[Any, Any, Any]]:
    """The arrays as they are, with gaps, backwards, and with memory in common."""
    return [(x, y, z)] * 6 + [(x, x, z), (x, y, x), (x[1:], y, x), (x, y, y[::-1]), (x[::-1], y, z),
                              (x[::2], y[::2], z), (x[:-1], x[1:], z), (x, z[2:], z)]


def arguments(seed: int, dtype: str | None = None, clean: bool = False) -> tuple[Any, ...]:
    """Arguments of `f`, the same for the same seed; `clean`: of moderate numbers."""
    r, g = Random(seed), np.random.default_rng(seed)
    size = r.choice(LENGTHS)
    room = r.choice([0, 2, 2, 300])

    def made() -> Any:
        d = np.dtype(dtype or r.choice(DTYPES))
        found = (g.normal(size=size + room) * 2 if d.kind == "f" else
                 g.integers(1, 7, size + room)).astype(d)
        if not clean and d.kind == "f" and len(found):
            with np.errstate(all="ignore"):
                found[r.randrange(len(found))] = r.choice(UNUSUAL)
        return found

    arrays = r.choice(layouts(made(), made(), made()))
    k = r.choice([0.5, 2.0, -1.5, np.float64(3.0), np.float32(0.25), 3])
    return (*arrays, k if clean else r.choice([k, k, 0.0, 1e200]), size,
            r.choice([0, 1, 2, -1, 1, 5]))
