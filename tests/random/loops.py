"""Random loops over numbers and elements of arrays, for machine code: dtypes, boxes and failures
mixed."""

from __future__ import annotations

from random import Random

OPERATORS = ["+", "-", "*", "+", "-", "*", "/", "//", "%", "&", "|", "^"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
UNARY = ["-{}", "abs({})", "np.sqrt({})", "np.sin({})", "np.exp({})", "float({})", "int({})",
         "(not {})", "np.floor({})", "np.tanh({})", "bool({})", "np.square({})"]
CONSTANTS = ["0", "1", "2", "-3", "0.5", "-1.25", "2.0", "True", "1e200", "7"]


class Loops:
    """Writes a function `f(n, a, x, y)` of an int, a number and two arrays."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.names = ["a", "s", "t"]
        self.counters: list[str] = []

    def source(self) -> str:
        start = [f"    s = {self.random.choice(CONSTANTS)}", f"    t = {self.element()}"]
        self.block(1, self.random.randint(1, 3))
        result = self.random.choice(["s, t, x, y", "s, t", "x", "a, s"])
        return "\n".join([
            "def f(n, a, x, y):", *start, *self.lines, f"    return {result}", ""])

    def block(self, depth: int, count: int) -> None:
        for _ in range(count):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        kind = self.random.choice(
            ["loop"] * 3 if depth == 1 else ["assign", "assign", "store", "augment", "if", "loop"])
        getattr(self, kind)(depth)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def loop(self, depth: int) -> None:
        if depth >= 4:
            self.assign(depth)
        elif self.random.random() < 0.7:
            name = f"i{len(self.counters)}"
            self.line(depth, f"for {name} in {self.steps()}:")
            self.inside(depth, name)
        else:
            name = f"k{len(self.counters)}"
            self.line(depth, f"{name} = {self.random.choice(['0', '1', 'n', 'len(x)'])}")
            self.line(depth, f"while {name} < {self.random.choice(['n', '4', '2 * n'])} "
                             f"and {self.test()}:")
            self.line(depth + 1, f"{name} += 1")
            self.inside(depth, name)

    def steps(self) -> str:
        return self.random.choice([
            "range(n)", "range(3)", "range(len(x))", "range(1, n)", "range(n, 0, -1)",
            "range(0, 7, 2)", "range(len(x) - 1)", *(f"range({c})" for c in self.counters[-1:])])

    def inside(self, depth: int, name: str) -> None:
        self.counters.append(name)
        self.block(depth + 1, self.random.randint(1, 3))
        if self.random.random() < 0.2:
            self.line(depth + 1, f"if {self.test()}:")
            self.line(depth + 2, self.random.choice(["break", "continue"]))
            self.assign(depth + 1)
        self.counters.pop()

    def assign(self, depth: int) -> None:
        self.line(depth, f"{self.random.choice(['s', 't'])} = {self.expression()}")

    def augment(self, depth: int) -> None:
        sign = self.random.choice(["+", "-", "*"])
        target = self.random.choice(["s", "t", self.element()])
        self.line(depth, f"{target} {sign}= {self.expression()}")

    def store(self, depth: int) -> None:
        self.line(depth, f"{self.element()} = {self.expression()}")

    def if_(self, depth: int) -> None:
        self.line(depth, f"if {self.test()}:")
        self.block(depth + 1, 1)
        if self.random.random() < 0.5:
            self.line(depth, "else:")
            self.block(depth + 1, 1)

    def element(self) -> str:
        array = self.random.choice(["x", "x", "y"])
        index = self.index()
        return f"{array}[{index}]" if array == "x" else f"y[{index}, {self.index()}]"

    def index(self) -> str:
        pool = [*self.counters, *self.counters]
        name = self.random.choice(pool) if pool else "0"
        return self.random.choice([
            name, name, f"{name} - 1", "-1", "1", f"{name} % 3", f"{name} % 2"])

    def test(self) -> str:
        text = (f"{self.expression(1)} {self.random.choice(COMPARISONS)} {self.expression(1)}")
        return self.random.choice([text, text, f"not {text}", self.expression(1)])

    def expression(self, depth: int = 2) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.3:
            return self.random.choice([
                *self.names, self.element(), self.element(), *CONSTANTS[:self.random.randint(1, 9)],
                *self.counters])
        if kind < 0.75:
            return (f"({self.expression(depth - 1)} {self.random.choice(OPERATORS[:9])} "
                    f"{self.expression(depth - 1)})")
        if kind < 0.85:
            name = self.random.choice(["min", "max"])
            return f"{name}({self.expression(depth - 1)}, {self.expression(depth - 1)})"
        return self.random.choice(UNARY).format(f"({self.expression(depth - 1)})")


setattr(Loops, "if", Loops.if_)
