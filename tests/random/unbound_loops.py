"""Makes random loops over numbers whose names are bound on some ways only, and left early."""

from __future__ import annotations

from random import Random

from tests.random.text import Text

NAMES = "tuv"


class UnboundLoops(Text):
    """One random program `f(a, x, n)` of a number, an array of four elements and an int: it binds
    `t`, `u` and `v` in branches and loops, reads them with and without care, and deletes them."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.reads = 0

    def source(self) -> str:
        self.lines = ["def f(a, x, n):", "    s, k, on = a * 1.0, 0, n > 2"]
        for name in NAMES:
            if self.chance(0.7):
                self.say(1, f"if {self.test()}:")
                self.say(2, f"{name} = {self.value(name)}")
        for _ in range(self.random.randrange(1, 3)):
            self.loop(1)
        for name in NAMES:
            if self.chance(0.3):
                self.say(1, f"if {self.test()}:")
                self.say(2, f"return s, k, {name}")
        return "import numpy as np\n\n" + "\n".join(self.lines) + "\n    return s, k, a\n"

    def value(self, name: str) -> str:
        """Returns a value for a name, mostly of its own class."""
        if self.chance(0.03):
            return self.pick("3", "not on", "0.5", "None")
        if name == "v":
            return self.pick("k * 2", "k", "3", "k + 1", "n - k")
        return self.pick("a * 2", "s + 1.0", "x[k % 4]", "0.5", "x[1] - a", "s * a")

    def read(self) -> str:
        return self.pick("s", "a", *NAMES[:2])

    def bind(self) -> str:
        name = self.pick(*NAMES)
        return f"{name} = {self.value(name)}"

    def test(self) -> str:
        return self.pick("s > a", "x[k % 4] > 0", "k % 2 == 0", "k % 3 == 1", "on", "k > 2",
                         "s < 20.0")

    def loop(self, depth: int) -> None:
        self.loops += 1
        name = f"i{self.loops}"
        if self.chance(0.3):
            self.say(depth, f"{name} = 0")
            self.say(depth, f"while {name} < n and {self.pick('s < 50.0', 'k < 9')}:")
            self.say(depth + 1, f"{name} += 1")
        else:
            self.say(depth, f"for {name} in range({self.pick('n', 'n', '3', 'k', '1, n')}):")
        if self.chance(0.2):
            self.say(depth + 1, self.bind())
        for _ in range(self.random.randrange(2, 6)):
            self.statement(depth + 1)
        if self.chance(0.2):
            self.say(depth, "else:")
            self.say(depth + 1, self.bind())

    def statement(self, depth: int) -> None:
        kind = self.random.random()
        if kind < 0.1 and depth < 3:
            self.loop(depth)
        elif kind < 0.75:
            self.say(depth, f"if {self.test()}:")
            self.action(depth + 1)
            if self.chance(0.4):
                self.say(depth, "else:")
                self.action(depth + 1)
        else:
            self.say(depth, self.pick("s = s * 0.9 + x[k % 4]", "k += 1", "k = (k * 3 + 1) % 7",
                                      f"on = {self.test()}"))

    def action(self, depth: int) -> None:
        name, other = self.pick(*NAMES[:2]), self.read()
        self.say(depth, self.pick(
            *[self.bind()] * 4, f"s = s + {other}", f"s, {name} = s * 0.5, {other}",
            f"return s, k, {other}", "break", "continue", f"{name} = {other}", f"del {name}",
            f"on = {other} > 1", "k = v"))
