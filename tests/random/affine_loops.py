"""Random nests of loops over ranges whose indices are linear in the items, for machine code: what
is out of bounds, where ranges are empty, run down or overflow, and where arrays overlap."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.random.text import Text

SIGNS = ["+", "-", "*", "+", "-"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
ENDS = ["n", "n", "m", "len(x)", "len(y)", "a.shape[0]", "a.shape[1]", "n - 1", "n + 1",
        "len(x) - 1", "3", "4"]
STARTS = ["0", "1", "m", "-1", "n - 1", "len(x) - 1", "n", "2"]
STEPS = ["1", "-1", "2", "-2", "3", "c", "-c", "m"]
FACTORS = ["2", "c", "m", "n", "-1", "3"]
HUGE = ["2 ** 61", "h", "3 ** 38"]
TYPES = ["f8", "f8", "i8", "i4", "f4", "u1", "?", "i1"]


class AffineLoops(Text):
    """Writes `f(x, y, a, n, m, c, h)`: two vectors, a matrix, three small ints and a huge one.

    items   the items of the loops that are open.
    broken  the depths at which a loop may be left early.
    """

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.items: list[str] = []
        self.made = 0

    def source(self) -> str:
        start = self.random.choice(["0", "0", "0.0", "x[0] if len(x) else 1", "n", "True"])
        r, head = self.random, ["def f(x, y, a, n, m, c, h):", f"    s, t = {start}, 1"]
        if r.random() < 0.15:
            head.append(f"    x = {r.choice(['x[1:]', 'x[::-1]', 'a[0]', 'x[::2]'])}")
        for _ in range(r.choice([1, 1, 2])):
            self.loop(1)
        return "\n".join([*head, *self.lines, "    return s, t, x, y, a", ""])

    # -- loops -------------------------------------------------------------------------------------

    def loop(self, depth: int) -> None:
        item, self.made = f"i{self.made}", self.made + 1
        if self.chance(0.06):
            self.say(depth, f"{item} = {self.random.choice(STARTS)}")
            self.say(depth, f"while {item} < {self.random.choice(ENDS)}:")
            self.say(depth + 1, f"{item} += 1")
        else:
            self.say(depth, f"for {item} in {self.iterable()}:")
        self.items.append(item)
        if self.chance(0.12):
            self.say(depth + 1, f"if {self.test()}:")
            self.say(depth + 2, self.random.choice(
                ["break", "continue", "return s, x", "raise ValueError(s)", "break"]))
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth + 1)
        self.items.pop()

    def iterable(self) -> str:
        r = self.random
        start, stop = r.choice(STARTS), r.choice(ENDS)
        if self.items and self.chance(0.5):
            start = r.choice([start, self.linear(1)])
            stop = r.choice([stop, self.linear(1)])
        kind = r.random()
        if kind < 0.4:
            return f"range({stop})"
        if kind < 0.65:
            return f"range({start}, {stop})"
        if kind < 0.9:
            step = r.choice(STEPS)
            if self.chance(0.5) and step.startswith("-"):
                start, stop = stop, r.choice(["-1", "0", start])
            return f"range({start}, {stop}, {step})"
        return f"reversed(range({start}, {stop}))"

    def statement(self, depth: int) -> None:
        nested, kind = len(self.items), self.random.random()
        if nested < 3 and kind < (0.45, 0.45, 0.3)[nested]:
            self.loop(depth)
        elif kind < 0.6:
            self.say(depth, f"if {self.test()}:")
            self.change(depth + 1)
            if self.chance(0.3):
                self.say(depth, "else:")
                self.change(depth + 1)
        else:
            self.change(depth)

    def change(self, depth: int) -> None:
        r, kind = self.random, self.random.random()
        if kind < 0.35:
            self.say(depth, f"{self.element()} = {self.value()}")
        elif kind < 0.5:
            self.say(depth, f"{self.element()} {r.choice(SIGNS)}= {self.value()}")
        elif kind < 0.58:
            self.say(depth, f"{self.part()} = {r.choice([self.element(), self.part()])}")
        elif kind < 0.63:
            factor = r.choice(["", "", f" * {r.choice(HUGE)}"])
            self.say(depth, f"t = t + {self.linear(2)}{factor}")
        elif kind < 0.68:
            self.say(depth, f"s = {self.element()} if {self.test()} else s")
        elif kind < 0.73:
            self.say(depth, f"s = {r.choice(['min', 'max'])}(s, {self.element()})")
        elif kind < 0.76:
            self.say(depth, f"s = s {r.choice(['/ 2', '// 2', '% 7'])}")
        else:
            self.say(depth, f"s {r.choice(SIGNS)}= {self.value()}")

    # -- numbers -----------------------------------------------------------------------------------

    def value(self) -> str:
        r, kind = self.random, self.random.random()
        if kind < 0.45:
            return self.element()
        if kind < 0.75:
            return f"{self.element()} {r.choice(SIGNS)} {r.choice([self.element(), 's', '2'])}"
        return r.choice(["s", "1", self.linear(1), f"{self.part()}.sum()"])

    def test(self) -> str:
        r = self.random
        sides = [self.linear(1), r.choice(["n", "m", "len(x)", "0", "2", self.linear(1)])]
        if self.chance(0.4):
            sides = [r.choice(["s", self.element()]), r.choice(["1", self.element()])]
        return f" {r.choice(COMPARISONS)} ".join(sides)

    def element(self) -> str:
        kind = self.random.random()
        if kind < 0.65:
            return f"{self.random.choice('xxy')}[{self.index()}]"
        both = self.index(), self.index()
        return f"a[{both[0]}, {both[1]}]" if kind < 0.9 else f"a[{both[0]}][{both[1]}]"

    def part(self) -> str:
        first, last = self.index(), self.index()
        return self.random.choice([
            f"x[{first}:{last}]", f"y[{first}:]", f"x[:{last}]", f"a[{first}]",
            f"a[:, {first}]", f"a[{first}, {last}:]"])

    def index(self) -> str:
        """An index that is likely to be in bounds."""
        r, item = self.random, self.items[-1]
        any_ = r.choice(self.items)
        return r.choice([
            item, item, any_, any_, f"{any_} + 1", f"{any_} - 1", f"n - 1 - {any_}", f"-{any_}",
            f"-{any_} - 1", f"{item} + {any_}", f"{item} - {any_}", f"len(x) - {any_} - 1",
            f"{any_} + c", f"c * {any_}", f"{any_} * 2 + 1", f"{any_} % 3", f"{any_} // 2", "m",
            "-1", f"{item} * {any_}", f"min({any_}, 3)", "0", self.linear(2),
            r.choice([item, item, f"{any_} * h", f"{any_} + h - h"])])

    def linear(self, depth: int) -> str:
        """An int, mostly linear in the items."""
        r, kind = self.random, self.random.random()
        if depth == 0 or kind < 0.35:
            return r.choice([*self.items, *self.items, "n", "m", "c", "1", "2", "-3"])
        if kind < 0.55:
            return f"{r.choice(FACTORS)} * {r.choice(self.items)}"
        return f"({self.linear(depth - 1)} {r.choice('+-+-*')} {self.linear(depth - 1)})"


# -- arguments -------------------------------------------------------------------------------------

INTS = [0, 1, 3, 4, 5, 8, np.int64(4), np.int64(3), -2, 2, 4, 3, np.int32(3), True, np.uint8(2)]
LARGE = [2 ** 62, -2 ** 63, 2 ** 40, np.int64(2 ** 62), 1, -1, 2 ** 63 - 1]


def layouts(x: Any, y: Any, a: Any) -> list[tuple[Any, Any, Any]]:
    """The arrays as they are, with gaps, backwards, in other orders, and with memory in common;
    read-only."""
    return [(x, y, a), (x, y, a), (x, y, a), (x[::-1], y, a[:, ::-1]), (x, x, a), (x[1:], x, a),
            (np.repeat(x, 2)[::2], y, np.asfortranarray(a)), (x, y[:0], a), (x, y, a[:0]),
            (a[0], y, a), (x, y, a.T), (x[:0], y, a), (x, y, a[:, :2]), (a[:, 1], a[1], a),
            (x[:-1], x[1:], a[::2]),
            (np.broadcast_to(x[:1], x.shape), y, a)]


def arguments(seed: int, dtype: str | None = None) -> tuple[Any, ...]:
    """Arguments of `f`, the same for the same seed."""
    r, g = Random(seed), np.random.default_rng(seed)

    def made(shape: Any) -> Any:
        d = np.dtype(dtype or r.choice(TYPES))
        return (g.normal(size=shape) * 2 if d.kind == "f" else g.integers(0, 6, shape)).astype(d)

    size, roomy = r.choice([4, 5, 8, 16]), r.choice([0, 0, 12])
    x, y = made(size + roomy), made(r.choice([size, 5]) + roomy)
    arrays = r.choice(layouts(x, y, made((r.choice([4, size]) + roomy, 5 + roomy))))
    return (*arrays, r.choice(INTS), r.choice(INTS), r.choice([1, 2, -1, 3, 1, 0, 2]),
            r.choice(LARGE))
