"""Random programs for machine code, as users write them: loops in loops, slices and views that
overlap, masks, reductions, lists, inner functions, and ways out in the middle.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

SIGNS = ["+", "-", "*", "+", "-", "*", "/", "//", "%"]
COMPARED = ["<", "<=", ">", ">=", "==", "!="]
REDUCED = ["sum", "mean", "max", "min", "prod", "argmax", "argmin", "any", "all", "std"]
WHOLE = ["abs", "sqrt", "exp", "negative", "square", "floor", "sign", "cumsum", "tanh", "sort",
         "flip", "isnan", "cumprod", "argsort", "reciprocal", "log1p", "rint", "diff", "copy"]
PARTS = ["1:", ":-1", "::2", "::-1", "i:", ":i", "i:j", "-3:", "n:", ":", "1:-1", "2::3", "-1:0:-2",
         "j:i", "i - 1:", "::-2"]
CELLS = ["1:, :-1", ":, 0", "i", "-1", ":, ::-1", "1:", "..., 1", "::2, 1:", ":, i:j", ":, i"]
ERRORS = ["ValueError(k)", "KeyError(i)", "IndexError", "ArithmeticError(s)", "StopIteration"]
HELPERS = [
    "def g(v):\n        return v * 2 if v > s else v - 1",
    "def g(v):\n        nonlocal k\n        k += 1\n        return v + k",
    "def g(v, o=2):\n        while o > 0:\n            v = v * v - o\n            o -= 1\n"
    "            if v > 9:\n                break\n        return v",
    "def g(v):\n        x[k % 3] = v\n        return x[0]",
    "def g(v):\n        for o in range(4):\n            if v == o:\n                return s\n"
    "        return v",
    "def g(v):\n        return v if v <= 1 else g(v - 1) + 1 if v < 30 else v // 2",
]


class NativePrograms:
    """Writes `f(x, y, a, m, z, n, k, s)`: two rows, a table, a mask, a row of ints, and numbers."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.loops = 0
        self.whiles = 0

    def pick(self, *among: str) -> str:
        return self.random.choice(among)

    def often(self, share: float) -> bool:
        return self.random.random() < share

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def source(self) -> str:
        self.line(1, f"i, j, w, c = 0, {self.pick('1', 'n - 1', '-1', '2')}, "
                     f"{self.pick('x', 'y', 'x[1:]', 'x.copy()', 'a[0]', 'y[::-1]')}, []")
        self.line(1, f"t = {self.pick('0', '0.0', 's', 'k', 'x[0]', 'np.float32(1)', 'z[0]')}")
        self.line(1, self.pick(*HELPERS))
        tried = self.often(0.25)
        if tried:
            self.line(1, "try:")
        for _ in range(self.random.randint(1, 3)):
            self.statement(1 + tried) if self.often(0.4) else self.loop(1 + tried)
        if tried:
            self.line(1, f"except {self.pick('Exception', 'ArithmeticError', 'LookupError')} as e:")
            self.line(2, "t = type(e).__name__")
        return "\n".join(["import numpy as np", "def f(x, y, a, m, z, n, k, s):", *self.lines,
                          "    return x, y, a, m, z, w, c, i, j, k, s, t", ""])

    # -- statements --------------------------------------------------------------------------------

    def block(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth)

    def loop(self, depth: int) -> None:
        self.loops += 1
        name = self.pick("i", "i", "j")
        if self.often(0.65):
            self.line(depth, f"for {self.over(name)}:")
            self.block(depth + 1)
        else:
            self.whiles += 1
            count = f"o{self.whiles}"
            self.line(depth, f"{count} = 0")
            self.line(depth, f"while {self.pick('True', self.test(), name + ' < n', 'k > 0')}:")
            self.line(depth + 1, f"{count} += 1")
            self.line(depth + 1, f"if {count} > {self.pick('6', '20', 'n')}:")
            self.line(depth + 2, "break")
            self.block(depth + 1)
            self.line(depth + 1, self.pick(f"{name} += 1", f"{name} -= 1", "k //= 2", "k -= 1"))
        self.loops -= 1
        if self.often(0.15):
            self.line(depth, "else:")
            self.block(depth + 1)

    def over(self, name: str) -> str:
        return self.pick(
            *[f"{name} in range({stop})" for stop in (
                "n", "len(x)", "n + 1", "1, n", "n, 0, -1", "len(w)", "0, n, 2", "-2, 2", "3",
                "a.shape[1]", "len(x) - 1, -1, -1", "i, n", "k % 7")],
            f"{name}, t in enumerate({self.pick('x', 'y', 'w', 'z')})", "t in x", f"{name} in z",
            f"{name}, q in zip(range(n), {self.pick('x', 'y[::-1]', 'a')})")

    def statement(self, depth: int) -> None:
        kind = self.random.random()
        if kind < 0.12 and depth < 4:
            self.loop(depth)
        elif kind < 0.25 and depth < 5:
            self.line(depth, f"if {self.test()}:")
            self.block(depth + 1)
            if self.often(0.4):
                self.line(depth, "else:")
                self.block(depth + 1)
        elif kind < 0.32:
            self.line(depth, f"if {self.test()}:")
            ways = ["return x, t, k, c", f"raise {self.pick(*ERRORS)}"]
            self.line(depth + 1, self.pick(*ways, *(["break", "break", "continue", "t = s; break"]
                                                    if self.loops and not self.whiles else ["break"]
                                                    if self.loops else [])))
        elif kind < 0.5:
            self.line(depth, self.stored())
        elif kind < 0.58:
            self.line(depth, self.pick(
                f"c.append({self.number(1)})", f"x[{self.index()}], y[{self.index()}] = "
                f"{self.number(1)}, {self.number(1)}", "k, t = t, k", "x, y = y, x", "c.append(t)",
                f"w = {self.array()}", f"w = {self.view()}", f"t = {self.pick('c', 'w')}[-1]"))
        else:
            name = self.pick("t", "t", "k", "s", "j")
            value = self.integer(2) if name in "kj" else self.number(2)
            self.line(depth, f"{name} {self.pick('=', '=', '+=', '-=', '*=')} {value}")

    def stored(self) -> str:
        """A store to an element, a part or a mask."""
        value, sign = self.number(2), self.pick("=", "=", "+=", "-=", "*=", "//=", "/=")
        return self.pick(
            f"{self.element()} {sign} {value}", f"{self.element()} {sign} {value}",
            f"{self.view()}[...] = {self.pick(self.array(), value)}",
            f"x[{self.pick(*PARTS)}] {sign} {self.pick(self.view(), 'x[:-1]', value)}",
            f"a[{self.pick(*CELLS)}] {sign} {self.pick(self.view(), 'a[0]', value)}",
            f"x[m] {sign} {value}", f"x[x {self.pick(*COMPARED)} {value}] {sign} {value}",
            f"x[z] {sign} {value}", f"x[1:] {sign} x[:-1]", f"x[:-1] {sign} x[1:]",
            f"z[{self.index()}] {sign} {self.integer(1)}", "x[::-1] = x", f"m[{self.index()}] = "
            f"{self.test()}", f"np.add(x, {value}, out=x)", "x.sort()", f"y.fill({value})")

    # -- values ------------------------------------------------------------------------------------

    def element(self) -> str:
        return self.pick(*[f"{v}[{self.index()}]" for v in ("x", "x", "y", "w", "z")],
                         f"a[{self.index()}, {self.index()}]", "a.flat[i]")

    def index(self) -> str:
        return self.pick("i", "i", "j", "i - 1", "i + 1", "-i", "n - 1 - i", "0", "-1", "k % 5",
                         "~i", "z[i]", "i // 2", "2 * i", "n", "(i + j) % n", "i % len(x)", "k & 3")

    def view(self) -> str:
        return self.pick(*[f"{v}[{self.pick(*PARTS)}]" for v in ("x", "x", "y", "w")],
                         f"a[{self.pick(*CELLS)}]", "a.T[0]", "x", "y", "w", "a[i]")

    def array(self) -> str:
        """A new array, or a view."""
        one = self.view()
        return self.pick(
            f"{one} {self.pick(*SIGNS)} {self.pick(self.view(), self.number(0))}",
            f"np.{self.pick(*WHOLE)}({one})", f"np.where({one} > {self.number(0)}, {one}, 0)",
            f"{one}.copy()", "x[m]", "x[z]", f"np.roll({one}, {self.pick('1', '-1', 'i', '2')})",
            f"a.{self.pick(*REDUCED[:6])}(axis={self.pick('0', '1', '-1')})", "a @ x",
            "x[::-1] * y", f"np.minimum({one}, {self.number(0)})", f"np.maximum(x, {one})",
            "np.outer(x, y)[0]",
            f"{one}.astype(np.{self.pick('int8', 'float32', 'uint16', 'int64', 'bool_')})",
            f"np.zeros({self.pick('n', 'len(x)', '3')})", "np.arange(n)",
            f"np.full(n, {self.number(0)})")

    def integer(self, depth: int) -> str:
        if depth == 0 or self.often(0.3):
            return self.pick("i", "j", "k", "n", "1", "3", "-2", "7", "len(x)", "z[i]", "2 ** 31",
                             "int(t)", "len(c)", "255", "int(s)", "(x > s).sum()", "k")
        one, two = self.integer(depth - 1), self.integer(depth - 1)
        return self.pick(f"({one} {self.pick('+', '-', '*', '//', '%', '&', '|', '^')} {two})",
                         f"({one} {self.pick('+', '-', '*')} {two})", f"({one} << 2)", f"-{one}",
                         f"({one} >> {self.pick('1', '3', 'n')})", f"min({one}, {two})", f"~{one}",
                         f"abs({one})", f"max({one}, {two})",
                         f"({one} if {self.test(0)} else {two})",
                         f"divmod({one}, 3)[{self.pick('0', '1')}]")

    def number(self, depth: int) -> str:
        if depth == 0 or self.often(0.25):
            return self.pick(self.element(), self.element(), "t", "s", "0.5", "2", "k", "-1", "i",
                             "1e300", "x[i]", "np.float32(0.1)", "-0.0", "np.int8(100)", "True")
        one, two = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            *[f"({one} {self.pick(*SIGNS)} {two})"] * 4, f"np.sqrt({one})", f"abs({one})",
            f"g({one})", f"np.exp({one})", f"float({one})", f"int({one})", f"max({one}, {two})",
            f"-({one})",
            f"min({one}, {two})", f"({one} if {self.test(0)} else {two})", f"({one}) ** 2",
            f"{self.view()}.{self.pick(*REDUCED)}()",
            f"np.{self.pick(*REDUCED[:4])}({self.array()})",
            f"sum({self.pick('x', 'z', 'c', 'v * v for v in y')})", f"np.dot(x, {self.view()})",
            f"np.floor({one})", f"round({one}, 2)", f"np.maximum({one}, {two})", self.integer(1),
            f"np.hypot({one}, {two})", f"np.searchsorted(x, {one})", f"({one}) ** 0.5")

    def test(self, depth: int = 1) -> str:
        if depth == 0:
            return f"{self.number(0)} {self.pick(*COMPARED)} {self.number(0)}"
        return self.pick(
            f"{self.number(1)} {self.pick(*COMPARED)} {self.number(1)}", "m[i]", "not m[i - 1]",
            f"{self.integer(1)} {self.pick(*COMPARED)} {self.integer(1)}", f"{self.element()}",
            f"0 <= i + 1 < n and x[i + 1] > {self.number(0)}", "i == j",
            f"k % 3 == {self.integer(0)}",
            f"(x > {self.number(0)}).any()", "len(c) > 3", f"np.isnan({self.number(1)})",
            f"{self.element()} == 0 or {self.element()} > s", "c and c[-1] == t")


# -- arguments -------------------------------------------------------------------------------------

DTYPES = ["f8", "f8", "f8", "f4", "i8", "i8", "i4", "u1", "i2", "u4", "?", "c16"]
UNUSUAL = [np.nan, np.inf, -0.0, 1e308, 5e-324, -1e300]


def filled(random: np.random.Generator, dtype: str, shape: Any, unusual: bool) -> Any:
    """An array of common numbers; `unusual`: with those at the ends of the dtype among them."""
    d = np.dtype(dtype)
    if d.kind in "iu":
        limits = np.iinfo(d)
        made = random.integers(max(limits.min, -9), 10, shape).astype(d)
        ends: list[Any] = [limits.min, limits.max, limits.max - 1]
    else:
        made = (random.normal(size=shape) * 3).astype(d)
        ends = UNUSUAL
    if unusual and made.size and d.kind != "b":
        with np.errstate(all="ignore"):
            made.reshape(-1)[random.integers(0, made.size, 2)] = np.array(
                random.choice(ends, 2)).astype(d)
    return made


LAYOUTS: list[Callable[[Any, Any, Any], tuple[Any, Any, Any]]] = [
    lambda x, y, a: (x, y, a), lambda x, y, a: (x, y, a),
    lambda x, y, a: (np.repeat(x, 2)[::2], y[::-1].copy()[::-1], np.asfortranarray(a)),
    lambda x, y, a: (x, x, a), lambda x, y, a: (x, x[::-1], a), lambda x, y, a: (x[1:], x[:-1], a),
    lambda x, y, a: (a[0] if len(a) else x, y, a), lambda x, y, a: (x, y, a[:, ::-1]),
    lambda x, y, a: (x, y, a.T.copy().T), lambda x, y, a: (unaligned(x), y, a)]
"""Some share memory."""


def unaligned(x: Any) -> Any:
    made = np.frombuffer(bytearray(x.nbytes + 1), np.uint8)[1:].view(x.dtype)
    made[...] = x
    return made


def arguments(seed: int, turn: int) -> tuple[Any, ...]:
    """Arguments of the program of a seed: the later turns are of other sizes, dtypes and layouts.
    """
    own, r = Random(seed), np.random.default_rng(1000 * seed + turn)
    n = own.choice([4, 7, 12]) if turn < 2 else int(r.choice([0, 1, 2, 5, 9, 40, 133]))
    dtypes = [own.choice(DTYPES) for _ in range(3)] if own.random() < 0.7 else ["f8"] * 3
    if turn > 3:
        dtypes = [str(r.choice(DTYPES)) for _ in range(3)]
    x, y = (filled(r, d, n, turn % 2 == 1) for d in dtypes[:2])
    a = filled(r, dtypes[2], (int(r.choice([n, 3, 1])), n), turn % 2 == 1)
    if turn > 1:
        x, y, a = LAYOUTS[int(r.integers(len(LAYOUTS)))](x, y, a)
    z = r.integers(-1, max(n, 1), n)
    k = int(r.choice([0, 1, 5, -3, 100, 2 ** 31, 2 ** 62, 2 ** 63 - 1])) if turn % 3 else 3
    s = [0.5, -1.25, float(r.normal()), np.float64(2.5), 3][int(r.integers(5))]
    return x, y, a, r.random(n) > 0.4, z, n, k, s
