"""Random loops over numbers and arrays of several dtypes at once, with functions inside functions,
recursion, slices, aliases, and exceptions that leave in the middle."""

from __future__ import annotations

from random import Random

INTS, FLOATS, COMPLEXES = "int", "float", "complex"

ROWS, TABLES = ["x", "u", "w", "q"], ["m", "g"]
NAMES = {INTS: ["n", "k", "d", "b"], FLOATS: ["h", "t", "x[0]"], COMPLEXES: ["z", "s"]}
ARRAYS = {INTS: ["u", "u", "q"], FLOATS: ["x", "x", "m", "g"], COMPLEXES: ["w"]}
CONSTANTS = {INTS: ["0", "1", "-1", "2", "3", "True", "255", "2**40"],
             FLOATS: ["0.5", "-2.5", "1e300", "2.0"], COMPLEXES: ["1j", "0.5"]}
CASTS = {INTS: ["int", "bool", "np.int8", "np.uint8", "np.int32", "abs", "np.uint16", "np.negative",
                "np.int64", "np.square", "first", "second", "third", "np.abs", "~"],
         FLOATS: ["float", "np.float32", "np.float64", "np.sqrt", "np.exp", "np.negative",
                  "np.sign", "np.square", "np.floor", "abs", "first", "second", "third", "np.cos"],
         COMPLEXES: ["complex", "np.negative", "first", "second", "-", "np.conj"]}
BINARY = {INTS: ["+", "-", "*", "+", "-", "*", "//", "%", "&", "|", "^", ">>"],
          FLOATS: ["+", "-", "*", "+", "-", "*", "/", "//", "%", "**"],
          COMPLEXES: ["+", "-", "*", "/"]}
COMPARED = ["<", "<=", ">", ">=", "==", "!="]
SLICES = [":", "1:", ":-1", "::2", "::-1", "i:", ":i", "i:i+2", "-2:", "1:3", "n:", "::-2"]
ERRORS = ["ValueError('v')", "KeyError(n)", "ZeroDivisionError"]

HELPERS = [
    "def first(p):\n        return {} if p == 0 else p + 1",
    "def first(p):\n        for o in range(3):\n            p = p * 2 + o\n        return p",
    "def first(p):\n        p, o = p * 1, 0\n        while o < n:\n            o += 1\n"
    "            if {}:\n                return p\n        return p - o",
    "def second(p, o=3):\n        return p if o <= 0 else second(p + o, o - 1)",
    "def second(p):\n        def inner(o):\n            return o * p\n        return inner(p) + s",
    "def second(p):\n        nonlocal s\n        s = p\n        return s",
    "def third(p):\n        x[0] = x[0] + 1\n        return p",
    "def third(p):\n        x[1] += abs(p)\n        if {}:\n            raise ValueError('t')\n"
    "        return p",
    "def third(p, o=n):\n        if o > 0:\n            u[o - 1] = o\n"
    "            return third(p, o - 1)\n        return p"]


class MixedLoops:
    """Writes `f(n, b, k, h, z, x, u, w, q, m, g)`: an int, a bool, a small int, a float32 and a
    complex number; rows of floats, small ints, complex numbers and bools; tables."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.counters: list[str] = []
        self.rows = list(ROWS)

    def pick(self, *among: str) -> str:
        return self.random.choice(among)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def source(self) -> str:
        r = self.random
        self.line(1, f"s, t, d = {self.pick('0', '0.0', 'h', 'k', 'z')}, x[0], "
                     f"{self.pick('1', 'k', 'b', 'u[0]')}")
        self.line(1, "i = 1")
        for name in ("first", "second", "third"):
            text = r.choice([h for h in HELPERS if h.startswith(f"def {name}(")])
            self.line(1, text.replace("{}", self.pick("p != p", "p == 3", "n == 2", "p is None")))
        if r.random() < 0.5:
            self.line(1, f"v = {self.pick(*ROWS)}[{self.pick('1:', ':', '::-1', '::2', ':3')}]")
            self.rows.append("v")
        tried = r.random() < 0.3
        if tried:
            self.line(1, "try:")
        for _ in range(r.randint(1, 2)):
            self.loop(1 + tried)
        if tried:
            self.line(1, f"except {self.pick('Exception', 'ArithmeticError', 'LookupError')} as e:")
            self.line(2, "return type(e), x, u, d")
        return "\n".join(["import numpy as np", "def f(n, b, k, h, z, x, u, w, q, m, g):",
                          *self.lines, "    return s, t, d, i, x, u, w, q, m, g", ""])

    def block(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth)

    def loop(self, depth: int) -> None:
        name = f"{'ijl'[len(self.counters)]}"
        kind = self.random.random()
        if kind < 0.6:
            self.line(depth, f"for {name} in range({self.steps()}):")
            self.counters.append(name)
            self.block(depth + 1)
        else:
            self.line(depth, f"{name} = {self.pick('0', 'n', '-2')}")
            self.line(depth, f"while {name} < {self.pick('3', 'n', 'len(x)')}"
                             f"{self.pick('', '', ' and ' + self.test())}:")
            self.counters.append(name)
            self.line(depth + 1, f"{name} += 1")
            self.block(depth + 1)
        self.counters.pop()
        if self.random.random() < 0.1:
            self.line(depth, "else:")
            self.line(depth + 1, f"t = {self.number(FLOATS)}")

    def steps(self) -> str:
        return self.pick("n", "len(x)", "3", "n, 0, -1", "-2, n", "len(u) - 1, -1, -1", "0, 7, 3",
                         "len(x) + 1", *self.counters)

    def statement(self, depth: int) -> None:
        kind = self.random.random()
        if kind < 0.15 and len(self.counters) < 3:
            self.loop(depth)
        elif kind < 0.3:
            self.line(depth, f"if {self.test()}:")
            self.block(depth + 1)
            if self.random.random() < 0.4:
                self.line(depth, "else:")
                self.block(depth + 1)
        elif kind < 0.34:
            self.line(depth, f"if {self.test()}:")
            self.line(depth + 1, self.pick("break", "continue", "return s, i, x",
                                           *(f"raise {e}" for e in ERRORS)))
        elif kind < 0.42:
            self.slice_store(depth)
        else:
            sort = self.sort()
            name = {INTS: "d", FLOATS: "t", COMPLEXES: "s"}[sort]
            target = name if self.random.random() < 0.5 else self.element(sort)
            self.line(depth, f"{target} {self.sign()} {self.number(sort)}")

    def sort(self) -> str:
        return self.pick(INTS, INTS, FLOATS, FLOATS, COMPLEXES)

    def sign(self) -> str:
        return self.pick("=", "=", "=", "+=", "-=", "*=")

    def slice_store(self, depth: int) -> None:
        r, part, sort = self.random, self.pick(*SLICES), self.pick(INTS, FLOATS)
        row = self.pick(*[a for a in ARRAYS[sort] if a not in TABLES])
        target = r.choice([f"{row}[{part}]", f"m[{self.index()}, {part}]", f"g[{part}, 0]"])
        value = r.choice([self.number(sort, 1), f"{row}[{part}]",
                          f"{target} * {self.number(sort, 1)}", f"m[{self.index()}, {part}]"])
        self.line(depth, f"{target} {self.sign()} {value}")

    def element(self, sort: str) -> str:
        if len(self.rows) > len(ROWS) and self.random.random() < 0.15:
            return f"v[{self.index()}]"
        array = self.pick(*ARRAYS[sort])
        if array in TABLES:
            return f"{array}[{self.index()}, {self.index()}]"
        return f"{array}[{self.index()}]"

    def index(self) -> str:
        name = self.pick(*self.counters, "i")
        return self.pick(name, name, name, f"{name} - 1", "-1", "0", f"-{name}", f"{name} % 3",
                         f"{name} % 3", "n - 1", f"~{name}", "k % 3")

    def test(self) -> str:
        sort = self.pick(INTS, FLOATS)
        return self.random.choice([
            f"{self.number(sort, 1)} {self.pick(*COMPARED)} {self.number(sort, 1)}",
            f"{self.pick(*self.counters, 'i')} {self.pick(*COMPARED)} {self.pick('n', '1', '2')}",
            f"not {self.number(INTS, 1)}", f"{self.number(COMPLEXES, 1)} != {self.pick('0', 's')}",
            f"{self.pick('b', 'q[i]', 'd > 1')} {self.pick('and', 'or')} {self.number(sort, 1)}"])

    def number(self, sort: str, depth: int = 2) -> str:
        if self.random.random() < 0.1 and depth:
            sort = {INTS: INTS, FLOATS: INTS, COMPLEXES: FLOATS}[sort]
        kind, r = self.random.random(), self.random
        if depth == 0 or kind < 0.3:
            return r.choice([*NAMES[sort], *[self.element(sort) for _ in "abc"],
                             r.choice(CONSTANTS[sort]), *(self.counters if sort == INTS else ())])
        one = self.number(sort, depth - 1)
        if kind < 0.7:
            return f"({one} {self.pick(*BINARY[sort])} {self.number(sort, depth - 1)})"
        if kind < 0.76:
            return f"({one} if {self.test()} else {self.number(sort, 1)})"
        if kind < 0.82 and sort != COMPLEXES:
            return f"{self.pick('min', 'max')}({one}, {self.number(sort, depth - 1)})"
        if kind < 0.86:
            row, part = self.pick(*ROWS), self.pick(*SLICES)
            return f"len({row}[{part}])" if sort == INTS else self.pick(
                f"x[{part}].sum()", f"np.max(x[{part}])", f"w[{part}].sum()")
        return f"{self.pick(*CASTS[sort])}({one})"
