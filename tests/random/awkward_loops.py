"""Random loops over numbers of one dtype that wrap, warn, fail and leave early, through views."""

from __future__ import annotations

from random import Random

from tests.random.loops import COMPARISONS, Loops

ANY = ["abs({})", "-{}", "np.square({})", "+{}", "np.absolute({})", "np.negative({})"]
OF_FLOATS = ["np.sqrt({})", "np.log({})", "np.exp({})", "np.floor({})", "np.rint({})",
             "np.tanh({})", "np.expm1({})", "np.reciprocal({})", "np.trunc({})", "np.cbrt({})",
             "np.sign({})"]
OF_INTS = ["~{}", "np.invert({})"]
PAIRS = ["min({}, {})", "max({}, {})", "np.maximum({}, {})", "np.minimum({}, {})",
         "np.fmin({}, {})", "({} if {} > 0 else 1)"]
PAIRS_OF_FLOATS = ["np.arctan2({}, {})", "np.hypot({}, {})", "np.copysign({}, {})",
                   "np.power({}, {})", "({} ** {})"]
PAIRS_OF_INTS = ["({} << {})", "({} >> {})", "({} & {})", "({} ^ {})", "({} | {})"]
VIEWS = ["x[::-1]", "x[1:]", "x[:-1]", "x[::2]", "y[0]", "y[:, 1]", "y.T[0]", "y[-1, ::-1]",
         "x[n:]", "x[:0]", "y[::-1, ::-1][0]", "x[-3:]"]
LEAVES = ["raise ValueError('v')", "return s, t", "break", "break", "continue", "continue",
          "raise IndexError(n)"]


class AwkwardLoops(Loops):
    """Writes `f(n, a, x, y)`: `a` and the elements of both arrays have one dtype, and so have all
    numbers that the loops compute.

    floats  they are floats.
    """

    def __init__(self, random: Random, floats: bool) -> None:
        super().__init__(random)
        self.floats = floats
        self.views: list[str] = []
        self.kept = random.choice(["", "box.total", "box.total"])

    def source(self) -> str:
        head = ["import numpy as np", "class Box: pass", "def f(n, a, x, y):", "    box = Box()",
                "    box.total = a", "    s, t = a, a + a"]
        for name in ("v", "w")[:self.random.randint(0, 2)]:
            head.append(f"    {name} = {self.random.choice(VIEWS)}")
            self.views.append(name)
        tried = self.random.random() < 0.3
        self.block(1 + tried, self.random.randint(1, 2))
        if tried:
            head.append("    try:")
            self.lines += ["    except (ArithmeticError, LookupError, ValueError) as e:",
                           "        return type(e), x, y, box.total"]
        return "\n".join([*head, *self.lines, "    return s, t, x, y, box.total", ""])

    def statement(self, depth: int) -> None:
        kind = self.random.random()
        if not self.counters:
            self.loop(depth)
        elif kind < 0.08 and self.kept:
            self.line(depth, f"{self.kept} {self.random.choice(['+=', '=', '*='])} "
                             f"{self.expression()}")
        elif kind < 0.13:
            self.line(depth, f"if {self.test()}:")
            self.line(depth + 1, self.random.choice(LEAVES))
        elif kind < 0.15:
            self.line(depth, f"assert {self.test()}, 'so'")
        elif kind < 0.2:
            self.line(depth, f"s, t = t, {self.expression(1)}")
        else:
            super().statement(depth)

    def loop(self, depth: int) -> None:
        kind = self.random.random()
        if depth >= 4 or kind < 0.7:
            super().loop(depth)
            return
        name, array = f"i{len(self.counters)}", self.random.choice(["x", *self.views])
        self.line(depth, self.random.choice([
            f"for {name}, t in enumerate({array}):",
            f"for {name} in reversed(range(len({array}))):",
            f"for s, {name} in zip({array}, range(n)):"]))
        self.inside(depth, name)

    def steps(self) -> str:
        return self.random.choice([
            super().steps(), super().steps(), "range(len(x) - 1, -1, -1)", "range(-n, n)",
            "range(n, -n, -2)", "range(y.shape[1])", "range(0)", "range(n * 2)"])

    def element(self) -> str:
        if self.views and self.random.random() < 0.35:
            return f"{self.random.choice(self.views)}[{self.index()}]"
        return super().element()

    def test(self) -> str:
        text = f"{self.expression(1)} {self.random.choice(COMPARISONS)} {self.expression(1)}"
        return self.random.choice([text, text, f"not {text}", f"{text} and {self.expression(1)}"])

    def expression(self, depth: int = 2) -> str:
        kind, r = self.random.random(), self.random
        if depth == 0 or kind < 0.3:
            return r.choice([*self.names, *self.names, self.element(), self.element()])
        first, other = self.expression(depth - 1), self.second(depth - 1)
        if kind < 0.7:
            signs = ["+", "-", "*", "+", "-", "*", "%", "//"] + ["/"] * self.floats
            return f"({first} {r.choice(signs)} {other})"
        if kind < 0.85:
            pairs = PAIRS + (PAIRS_OF_FLOATS if self.floats else PAIRS_OF_INTS)
            return r.choice(pairs).format(first, other)
        return r.choice(ANY + (OF_FLOATS if self.floats else OF_INTS)).format(first)

    def second(self, depth: int) -> str:
        """An operand, or a number of Python's that takes the dtype of the other one."""
        r = self.random
        if r.random() < 0.6:
            return self.expression(depth)
        return r.choice(["1", "2", "-1", "3", "0", *(["0.5", "1e200", "-2.0"] * self.floats)])
