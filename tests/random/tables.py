"""Random functions that use arrays by scalar index in nests of loops, and carry numbers along."""

from __future__ import annotations

from random import Random

ARRAYS = {"x": 1, "y": 1, "k": 1, "m": 2, "b": 1, "t": 2}
FLOATS, INTS = ("x", "y", "m"), ("k", "t")


class Tables:
    """One random function, `f(x, y, k, m, b, t, n)`: floats x, y, m, ints k, t, flags b, a number.

    The vectors have six items, the matrices 6x6; most indices fit.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.depth = 0
        self.names: list[str] = []
        self.floats, self.ints = ["s"], ["c"]

    def source(self) -> str:
        lines = ["import numpy as np", "", "", "def f(x, y, k, m, b, t, n):",
                 f"    s = {self.pick('0.0', '-np.inf', '1.5', 'x[0]', '0', 'np.float64(2)')}",
                 f"    c = {self.pick('0', '1', 'k[1]', '0.0')}", "    p, q = 0.5, 3"]
        self.floats, self.ints = ["s", "p"], ["c", "q"]
        for _ in range(self.random.randint(1, 3)):
            lines += self.loop(1)
        return "\n".join([*lines, "    return s, c, p, q", ""])

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def loop(self, depth: int) -> list[str]:
        name, pad = f"i{len(self.names)}", "    " * depth
        self.names.append(name)
        if self.random.random() < 0.25:
            lines = [f"{pad}{name} = {self.pick('0', '5')}",
                     f"{pad}while {name} < 6 and {self.test()}:",
                     *self.block(depth + 1), f"{pad}    {name} += 1"]
            if self.random.random() < 0.3:
                lines[1] = f"{pad}while {name} < 6:"
        else:
            outer = self.pick(*(self.names[:-1] or ["0"]))
            steps = self.pick("6", "6", "5", "1, 6", "5, -1, -1", f"{outer}, 6", f"{outer}", "n",
                              "len(x)", "0")
            lines = [f"{pad}for {name} in range({steps}):", *self.block(depth + 1)]
        self.names.pop()
        return lines

    def block(self, depth: int) -> list[str]:
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        pad, pick = "    " * depth, self.random.random()
        if pick < 0.25 and depth < 4:
            return self.loop(depth)
        if pick < 0.4 and depth < 5:
            lines = [f"{pad}if {self.test()}:", *self.block(depth + 1)]
            if self.random.random() < 0.5:
                lines += [f"{pad}else:", *self.block(depth + 1)]
            elif self.random.random() < 0.2:
                lines += [f"{pad}    break"]
            return lines
        return [pad + self.assignment()]

    def assignment(self) -> str:
        pick = self.random.random()
        if pick < 0.35:
            return f"{self.element(*FLOATS)} {self.pick('=', '+=', '*=', '-=')} {self.number()}"
        if pick < 0.5:
            return f"{self.element(*INTS)} {self.pick('=', '+=', '-=')} {self.whole()}"
        if pick < 0.55:
            return f"{self.element('b')} = {self.pick('True', 'False', self.test())}"
        if pick < 0.8:
            return f"{self.pick(*self.floats)} {self.pick('=', '+=', '+=', '*=')} {self.number()}"
        return f"{self.pick(*self.ints)} {self.pick('=', '+=', '+=')} {self.whole()}"

    def element(self, *names: str) -> str:
        name = self.pick(*names)
        return f"{name}[{', '.join(self.index() for _ in range(ARRAYS[name]))}]"

    def index(self) -> str:
        name = self.pick(*(self.names or ["2"]))
        return self.pick(name, name, name, "0", "-1", f"{name} - 1", f"({name} + 1) % 6",
                         "k[2] % 6" if self.random.random() < 0.3 else name)

    def number(self) -> str:
        a, b = self.operand(), self.operand()
        return self.pick(a, f"{a} + {b}", f"{a} * 0.5", f"{a} - {b}", f"max({a}, {b})",
                         f"min({a}, {b})", f"abs({a})", f"np.sqrt({self.element(*FLOATS)})",
                         f"({a} if {self.test()} else {b})", f"{a} / {b}",
                         f"float({self.whole()})")

    def operand(self) -> str:
        return self.pick(self.element(*FLOATS), self.element(*FLOATS), self.pick(*self.floats),
                         "0.25", "2", *self.names)

    def whole(self) -> str:
        a = self.pick(self.element(*INTS), self.pick(*self.ints), "1", "3", *self.names)
        return self.pick(a, a, f"{a} + 1", f"{a} * 2", f"{a} // 2", f"{a} % 5", f"-{a}",
                         f"max({a}, {self.element(*INTS)})", f"int({self.element(*FLOATS)})")

    def test(self) -> str:
        a = self.element(*FLOATS)
        return self.pick(f"{a} > {self.operand()}", f"{self.element(*INTS)} < {self.whole()}",
                         self.element("b"), f"{a} <= 0.5", f"not {self.element('b')}",
                         f"{self.names[-1] if self.names else 'n'} > 2")
