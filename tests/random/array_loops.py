"""Random loops over numbers, elements, parts and whole arrays of mixed dtypes, for machine code:
reductions, scans, stencils, ints that wrap, indices that leave the bounds in the middle."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.random.affine_loops import layouts
from tests.random.text import Text

SIGNS = ["+", "-", "*", "+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>"]
ARITHMETIC = ["+", "-", "*"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
UNARY = ["np.abs({})", "-{}", "np.sqrt({})", "np.exp({})", "np.sin({})", "np.floor({})", "+{}",
         "np.square({})", "np.isnan({})", "np.sign({})", "np.tanh({})", "np.invert({})"]
BINARY = ["np.maximum({}, {})", "np.minimum({}, {})", "np.where({} > 1, {}, 2)",
          "np.hypot({}, {})", "np.arctan2({}, {})", "np.power({}, {})", "np.fmod({}, {})",
          "np.logical_xor({}, {})", "np.copysign({}, {})"]
REDUCED = ["{}.sum()", "{}.max()", "np.min({})", "np.mean({})", "{}.prod()", "np.any({})",
           "{}.all()", "np.argmax({})", "{}.argmin()", "np.dot({}, {})", "{}.std()",
           "np.linalg.norm({})", "np.count_nonzero({})"]
SCANS = ["np.cumsum({})", "{}.astype(np.float32)", "{}.astype(np.int16)", "np.roll({}, 1)",
         "{}.copy()", "np.diff({})", "{}[::-1]", "np.zeros_like({})", "np.cumprod({})",
         "np.sort({})", "{}.astype(np.uint8)", "np.clip({}, 0, 3)"]
CASTS = ["int({})", "float({})", "np.uint8({})", "np.int32({})", "bool({})", "np.float32({})"]
TYPES = ["f8", "f4", "i8", "i4", "i2", "i1", "u1", "u2", "u4", "u8", "?", "f8", "i8", "c16"]


class ArrayLoops(Text):
    """Writes `f(x, y, a, n, m, z)`: two vectors, a matrix, two small ints and a number."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.items: list[str] = []
        self.vectors = ["x", "y", "x", "y", "v"]
        self.made = 0

    def source(self) -> str:
        r = self.random
        head = ["def f(x, y, a, n, m, z):", f"    s, t = {r.choice(['0', '0.0', 'z', 'n'])}, z",
                f"    v = {r.choice(['x * 1', 'y + x[0]', 'a[0] * 1', 'x.copy()', 'a[:, 1]'])}"]
        for _ in range(r.choice([1, 1, 2])):
            self.loop(1)
        return "\n".join([*head, *self.lines, "    return s, t, v, x, y, a", ""])

    def loop(self, depth: int) -> None:
        item, self.made = f"i{self.made}", self.made + 1
        if self.chance(0.15):
            self.say(depth, f"{item} = 0")
            self.say(depth, f"while {item} < {self.random.choice(['n', 'len(x)', 'm', '4'])}:")
            self.items.append(item)
            self.statements(depth + 1)
            self.say(depth + 1, f"{item} += 1")
        else:
            self.say(depth, f"for {item} in range({self.ends()}):")
            self.items.append(item)
            self.statements(depth + 1)
        self.items.pop()

    def ends(self) -> str:
        return self.random.choice([
            "n", "len(x)", "m", "a.shape[0]", "1, n", "len(y) - 1", "n, 0, -1", "0, len(x), 2",
            *(f"{i}, len(x)" for i in self.items)])

    def statements(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        kind = self.random.random()
        if kind < 0.14 and len(self.items) < 3:
            self.loop(depth)
        elif kind < 0.28:
            self.say(depth, f"if {self.test()}:")
            self.change(depth + 1)
            if self.chance(0.3):
                self.say(depth, "else:")
                self.change(depth + 1)
        elif kind < 0.31:
            self.say(depth, f"if {self.test()}:")
            self.say(depth + 1, self.random.choice(["break", "continue", "raise ValueError(n)"]))
        else:
            self.change(depth)

    def change(self, depth: int) -> None:
        r, kind = self.random, self.random.random()
        if kind < 0.25:
            sign = r.choice(["", "", *ARITHMETIC, r.choice(SIGNS)])
            self.say(depth, f"{self.element()} {sign}= {self.number()}")
        elif kind < 0.45:
            sign = r.choice(["", "", "+", "-", "*", "/"])
            self.say(depth, f"{self.part()} {sign}= {r.choice([self.vector(1), self.number()])}")
        elif kind < 0.6:
            self.say(depth, f"v = {self.vector(2)}")
        elif kind < 0.85:
            self.say(depth, f"{r.choice('st')} {r.choice(['', '+', '-', '*'])}= {self.number()}")
        elif kind < 0.9:
            self.say(depth, f"{r.choice('xv')}[{self.mask()}] = {r.choice(['0', '1', 's', '7'])}")
        else:
            self.say(depth, f"{self.element()}, {self.element()} = {self.number()}, "
                             f"{self.number()}")

    # -- values ------------------------------------------------------------------------------------

    def mask(self) -> str:
        r = self.random
        return f"{r.choice('xv')} {r.choice(COMPARISONS)} {r.choice(['1', 's', '0.5'])}"

    def vector(self, depth: int) -> str:
        r, kind = self.random, self.random.random()
        if depth == 0 or kind < 0.3:
            return r.choice([*self.vectors, self.part(), self.part(), "a[:, 0]", "x[y > 0]"])
        if kind < 0.65:
            return (f"({self.vector(depth - 1)} {r.choice(SIGNS)} "
                    f"{r.choice([self.vector(depth - 1), self.number(1)])})")
        if kind < 0.78:
            return r.choice(UNARY).format(self.vector(depth - 1))
        if kind < 0.9:
            return r.choice(BINARY).format(self.vector(depth - 1), self.vector(depth - 1))
        x = self.vector(depth - 1)
        return r.choice(SCANS).format(x)

    def number(self, depth: int = 2) -> str:
        r, kind = self.random, self.random.random()
        if depth == 0 or kind < 0.35:
            return r.choice([self.element(), self.element(), "s", "t", "z", "n", "1", "-3", "0.5",
                             "255", "2 ** 40", *self.items])
        if kind < 0.65:
            return f"({self.number(depth - 1)} {r.choice(SIGNS)} {self.number(depth - 1)})"
        if kind < 0.75:
            return r.choice(UNARY).format(self.number(depth - 1))
        if kind < 0.82:
            return r.choice(CASTS).format(self.number(depth - 1))
        if kind < 0.88:
            return f"{r.choice(['min', 'max'])}({self.number(depth - 1)}, {self.element()})"
        x = self.vector(1)
        return r.choice(REDUCED).format(x, x)

    def test(self) -> str:
        return f"{self.number(1)} {self.random.choice(COMPARISONS)} {self.number(1)}"

    def element(self) -> str:
        r = self.random
        if r.random() < 0.7:
            return f"{r.choice('xxyv')}[{self.index()}]"
        return f"a[{self.index()}, {self.index()}]"

    def part(self) -> str:
        first, last = self.index(), self.index()
        return self.random.choice([
            f"x[{first}:]", f"y[:{last}]", f"x[{first}:{last}]", f"a[{first}]", f"a[:, {last}]",
            f"v[{first}:]", "x[1:]", "x[:-1]", "y[1:]", "y[:-1]", "x[::2]", f"a[{first}, 1:]"])

    def index(self) -> str:
        r = self.random
        item = r.choice(self.items) if self.items else "0"
        return r.choice([item, item, item, f"{item} - 1", f"{item} + 1", f"-{item}", "-1", "0",
                         f"{item} % 3", f"len(x) - 1 - {item}", "m", f"{item} + m"])


def arguments(seed: int) -> tuple[Any, ...]:
    """Arguments of `f`, the same for the same seed."""
    r, g = Random(seed), np.random.default_rng(seed)

    def made(shape: Any) -> Any:
        dtype = np.dtype(r.choice(TYPES))
        if dtype.kind in "fc":
            found = (g.normal(size=shape) * 3).astype(dtype)
            if r.random() < 0.25 and found.size:
                found.flat[g.integers(found.size)] = r.choice([np.nan, np.inf, -0.0, 1e30, -np.inf])
            return found
        high = r.choice([3, 6, 6, 100])
        found = g.integers(0, high, shape).astype(dtype)
        if r.random() < 0.2 and found.size and dtype.kind != "b":
            found.flat[g.integers(found.size)] = r.choice(
                [np.iinfo(dtype).max, np.iinfo(dtype).min])
        return found

    size = r.choice([4, 5, 8, 17, 5, 5])
    x, y = made(size), made(r.choice([size, size, 5]))
    arrays = r.choice(layouts(x, y, made((r.choice([size, 4, 5]), r.choice([size, 5])))))
    z = r.choice([1.5, np.float64(0.25), 3, np.int64(-2), np.float32(2.5), np.uint8(200), True,
                  2 ** 70, np.int8(-128), 0])
    return (*arrays, r.choice([0, 3, 4, size, size + 1, np.int64(size)]), r.choice([1, 2, 0]), z)
