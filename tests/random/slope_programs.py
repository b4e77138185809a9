"""Makes random programs of floats to differentiate: control flow, lists, dicts, updates in place,
views, aliases, helper functions, recursion, closures. Values stay small, and are moved off ties."""

from __future__ import annotations

from random import Random

from tests.random.text import Text

PRELUDE = '''
import numpy as np

def scaled(v, s):
    return np.tanh(v * s) + 0.5 * v

def filled(v, s):
    v[0] = s * v[1]
    return v.sum()

def folded(v, n):
    if n < 1:
        return np.tanh(v.sum())
    return 0.5 * folded(v * 0.9, n - 1) + v[0]

def stepped(s, n):
    return s if n <= 0 else stepped(np.sin(s) + 0.3 * s, n - 1)

'''
NUMBERS, ARRAYS = "abc", "xyz"


class SlopeProgram(Text):
    """One random program `f(a, b, x)` of two numbers and an array of three elements.

    In some programs, each name stands for an array of its own; in others, the run decides which
    array a name stands for.
    """

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.copies = random.random() < 0.4

    def source(self) -> str:
        self.lines = ["def f(a, b, x):", "    c = a * b", "    y = np.sin(x) + a", "    z = x",
                      "    out = [a]", "    held = {'p': b, 'q': x[0]}"]
        for _ in range(self.random.randrange(3, 8)):
            self.statement(1, False)
        self.lines.append("    return a, b, c, x, y, z, sum(out), held['p'] * held['q']")
        return PRELUDE + "\n".join(self.lines) + "\n"

    def number(self) -> str:
        n, m, v = self.pick(*NUMBERS), self.pick(*NUMBERS), self.pick(*ARRAYS)
        return self.pick(
            n, f"np.tanh({n} * {m})", f"np.sin({n}) + 0.5 * {m}", f"{v}[{self.place()}]",
            f"np.tanh({v}.sum())", f"({n} if {self.test()} else 0.5 * {m})", f"0.7 * {n}",
            f"{n} / (1.5 + {m} ** 2)", "np.tanh(out[-1])", f"held[{self.pick(*'pq')!r}] * 0.5",
            f"float({n})", f"max({n}, 0.9 * {m})", f"abs({n}) * 0.5", f"np.sqrt(1.0 + {n} * {n})",
            f"stepped({n}, {self.pick('1', '2')})", f"folded({v}, 2)", f"(lambda t: t * {m})(0.5)",
            f"np.tanh(filled({v}, {n}))", f"np.tanh({v} @ {self.pick(*ARRAYS)})")

    def place(self) -> str:
        return self.pick("0", "1", "-1", "len(out) % 3", "int(a > 0.2)")

    def array(self) -> str:
        v, w = self.pick(*ARRAYS), self.pick(*ARRAYS)
        return self.pick(
            v, f"{v}.copy()", f"scaled({v}, {self.pick(*NUMBERS)})", f"{v}[::-1]",
            f"np.where({v} > 0.1, {v}, 0.5 * {w})", f"np.maximum({v}, 0.8 * {w})",
            f"np.cumsum({v}) * 0.3", f"{v}[[0, 2, 0]]", f"np.tanh({v} + {w})", f"np.sort({v})",
            f"np.stack([{self.number()}, {self.number()}, 0.3])", f"0.5 * {v}[:]",
            f"np.array([t * 0.5 for t in {v}])", f"np.concatenate([{v}[1:], {w}[:1]])")

    def test(self) -> str:
        n, m = self.pick(*NUMBERS), self.pick(*NUMBERS)
        return self.pick(f"{n} > {m}", f"{n} > 0.3", f"{self.pick(*ARRAYS)}.sum() > {n}",
                         f"-0.4 < {n} < 0.6", f"{n} > 0.1 and {m} < 0.8", f"not {n} > 0.2",
                         f"len(out) > 2 or {n} > {m}", f"{self.pick(*ARRAYS)}[0] < {m}")

    def statement(self, depth: int, loop: bool) -> None:
        chance = self.random.random()
        if loop and chance < 0.1:
            self.say(depth, self.pick("break", "continue"))
        elif depth > 1 and chance < 0.13:
            made = self.array()
            made = f"({made}).copy()" if self.copies else made
            self.say(depth, f"return {self.number()}, {made}, sum(out)")
        elif depth < 4 and chance < 0.5:
            self.random.choice([self.branch, self.while_, self.for_range, self.for_rows])(depth)
        else:
            self.say(depth, self.owned(self.simple(), depth))

    def owned(self, line: str, depth: int) -> str:
        """A statement that binds no array's name to memory of another, where it may not run."""
        name, _, bound = line.partition(" = ")
        if name in ARRAYS and bound and self.copies:
            return f"{name}{'[:]' if depth > 1 else ''} = ({bound}).copy()"
        return line

    def simple(self) -> str:
        n, v, w = self.pick(*NUMBERS), self.pick(*ARRAYS), self.pick(*ARRAYS)
        return self.pick(
            f"{n} = {self.number()}", f"{n} = {self.number()}", f"{v} = {self.array()}",
            f"{v}[{self.place()}] = {self.number()}", f"{v}[{self.place()}] += {self.number()}",
            f"{v} *= 0.7", f"{v} += 0.3 * {w}", f"{v}[1:] *= {n}", f"w = {v}[:2]; w += {n}",
            f"{v}[{v} > 0.2] = {n}", f"out.append({self.number()})", f"{v} = {w}",
            f"{n}, {self.pick(*NUMBERS)} = {self.number()}, {self.number()}",
            f"{n} = out.pop() if len(out) > 1 else {n}", f"held['p'] = {self.number()}",
            f"out[0] = {self.number()}", f"held = {{'p': {n}, 'q': held['p']}}",
            f"{v} = [{v}, {w}][int({n} > 0.2)]", f"{n} += 0.2 * {self.pick(*NUMBERS)}")

    def body(self, depth: int, loop: bool) -> None:
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth, loop)

    def branch(self, depth: int) -> None:
        self.say(depth, f"if {self.test()}:")
        self.body(depth + 1, False)
        if self.random.random() < 0.6:
            self.say(depth, "else:")
            self.body(depth + 1, False)

    def while_(self, depth: int) -> None:
        self.loops += 1
        k = f"k{self.loops}"
        self.say(depth, f"{k} = 0")
        self.say(depth, f"while {k} < {self.random.randrange(1, 4)} and ({self.test()}):")
        self.say(depth + 1, f"{k} += 1")
        self.body(depth + 1, True)

    def for_range(self, depth: int) -> None:
        count = self.pick("2", "3", "len(x)", "int(a * a) + 2", "len(out) + 1")
        self.say(depth, f"for i in range({count}):")
        self.say(depth + 1, f"{self.pick(*NUMBERS)} = 0.5 * i * {self.pick(*NUMBERS)}")
        self.body(depth + 1, True)

    def for_rows(self, depth: int) -> None:
        items = self.pick("x.copy()", "list(out)", "y * 1.0", "held.values()")
        self.say(depth, f"for v in {items}:")
        self.say(depth + 1, f"{self.pick(*NUMBERS)} = np.tanh(v * {self.pick(*NUMBERS)})")
        self.body(depth + 1, True)
