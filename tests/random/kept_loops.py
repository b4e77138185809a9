"""Makes random programs of numbers in loops, whose derivatives need what each iteration had:
numbers of both boxes and of several dtypes, ints that choose, branches, inner loops, early ends."""

from __future__ import annotations

from random import Random

from tests.random.text import Text

PRELUDE = "import math\nimport numpy as np\n\n"


class KeptLoops(Text):
    """One random program `f(a, b, x, n)` of two numbers, an array of at least four elements and an
    int, which returns one number."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.complex = self.chance(0.15)

    def source(self) -> str:
        self.lines = ["def f(a, b, x, n):", "    c, s, k, on = a * b, 0.0, 1, n > 2"]
        if self.complex:
            self.lines.append("    z = a + 0.5j")
        for _ in range(self.random.randrange(1, 4)):
            self.loop(1)
            if self.chance(0.3):
                self.assign(1)
        end = " + abs(z) * 0.1" if self.complex else ""
        self.lines.append(f"    return a + 0.5 * b - c * s + 0.25 * k{end}")
        return PRELUDE + "\n".join(self.lines) + "\n"

    def number(self) -> str:
        v, w = self.pick(*"abcs"), self.pick(*"abcs")
        return self.pick(
            f"{v} * {w}", f"{v} * 0.9 + 0.1 * {w}", f"np.sin({v} * {w})",
            f"np.tanh({v}) - {w} * 0.3",
            f"x[{self.place()}] * {v}", f"{v} / (1.5 + {w} * {w})", f"{v} - {w}", f"0.5 * {v}",
            f"({v} if {self.test()} else 0.5 * {w})", f"max({v}, 0.5 * {w})", f"abs({v}) * 0.7",
            f"{v} * {w} * x[{self.place()}]", f"np.sqrt({v} * {v} + 1.0)", f"float({v}) * 0.3",
            f"np.float32({v}) * {w}", f"{v} + 0.1 * k", f"np.exp(-{v} * {v}) * {w}", "0.25")

    def place(self) -> str:
        return self.pick("0", "1", "-1", "k % 4", "k % 3 - 3", "2")

    def test(self) -> str:
        v, w = self.pick(*"abcs"), self.pick(*"abcs")
        return self.pick(f"{v} > {w}", f"{v} * {w} < 0.2", "k % 2 == 0", "on",
                         f"x[{self.place()}] > {v}", f"{v} > 0.1 and {w} < 0.8", "not on")

    def assign(self, depth: int) -> None:
        self.say(depth, self.pick(
            *[f"{self.pick(*'abcs')} = {self.number()}"] * 4, f"s += {self.number()}",
            "k = (k * 3 + 1) % 7", f"on = {self.test()}",
            f"z = z * ({self.pick('0.5', '0.3j', 'a')}) + x[0]" if self.complex else "c = -c"))

    def loop(self, depth: int) -> None:
        self.loops += 1
        name = f"i{self.loops}"
        kind = self.pick("for", "for", "while", "both")
        if kind == "while":
            self.say(depth, f"{name} = 0")
            self.say(depth, f"while {name} < n and {self.pick('abs(s) < 3.0', 'c < 5', 'k < 20')}:")
            self.say(depth + 1, f"{name} += 1")
        else:
            ends = ("n", "n", "n - 1", "1, n") if depth < 2 else ("3", "k", "k + 1")
            self.say(depth, f"for {name} in range({self.pick(*ends)}):")
        for _ in range(self.random.randrange(1, 5)):
            self.statement(depth + 1)
        if kind == "both":
            self.say(depth + 1, f"if {self.test()}:")
            self.say(depth + 2, self.pick("break", "continue", "break", f"return {self.number()}"))
            self.assign(depth + 1)

    def statement(self, depth: int) -> None:
        if self.chance(0.2) and depth < 4:
            self.loop(depth)
        elif self.chance(0.25):
            self.say(depth, f"if {self.test()}:")
            self.assign(depth + 1)
            if self.chance(0.5):
                self.say(depth, "else:")
                self.assign(depth + 1)
        else:
            self.assign(depth)
