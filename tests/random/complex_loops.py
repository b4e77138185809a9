"""Random loops over complex numbers, for machine code: real ones and parts among them, of Python's
classes and NumPy's, elements and whole arrays, and awkward parts."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.random.loops import Loops

CONSTANTS = ["0j", "1", "2.0", "-0.0", "1j", "-2", "0", "1e200", "True", "0.5 - 2j", "1e-300j",
             "np.complex64(1 - 1j)", "np.float64(-0.0)", "float('inf')"]
STARTS = ["x[0]", "y[0, 1]", "0j", "x[0]", "1 + 0j", "-0.0", "a + x[0]", "complex(a)"]
UNARY = ["-{}", "+{}", "np.conj({})", "({}).conjugate()", "np.exp({})", "np.sqrt({})",
         "complex({})", "np.complex64({})", "np.complex128({})", "np.log({})",
         "np.negative({})", "np.square({})", "np.sin({})", "np.reciprocal({})", "np.conjugate({})"]
TO_REAL = ["abs({})", "({}).real", "({}).imag", "np.abs({})", "np.angle({})", "np.real({})",
           "np.imag({})", "np.absolute({})"]
BINARY = ["np.add({}, {})", "np.multiply({}, {})", "np.divide({}, {})", "np.power({}, {})",
          "np.subtract({}, {})", "({} if {} else 0.5)"]
OF_REALS = ["complex({}, {})", "min({}, {})", "np.hypot({}, {})", "({} - {})", "({} / {})",
            "({} * {})", "max({}, {})"]
ARRAYS = ["x", "x[::-1]", "x * {}", "x + y[0]", "np.conj(x)", "-x", "x / {}", "x.real * {}",
          "np.abs(x)", "x.imag", "np.exp(x)", "np.where(x == {}, x, y[-1])", "x.copy()", "x[1:]",
          "x - y[:, 0]", "np.cumsum(x)", "x ** 2", "y.T[0]", "x * x", "np.conj(x[::2])"]
REDUCED = ["({}).sum()", "np.prod({})", "np.mean({})", "np.dot({}, {})", "np.abs({}).max()",
           "({}).any()", "np.vdot({}, {})", "np.count_nonzero({})"]
PARTS = [0.0, -0.0, 1.0, -2.5, 1e-300, 1e200, np.inf, -np.inf, np.nan, 3e38, 0.5]


class ComplexLoops(Loops):
    """Writes `f(n, a, x, y)` of an int, a number, a vector and a matrix."""

    def source(self) -> str:
        start = [f"    s = {self.random.choice(STARTS)}", f"    t = {self.random.choice(STARTS)}"]
        self.block(1, self.random.randint(1, 2))
        return "\n".join(["import numpy as np", "def f(n, a, x, y):", *start, *self.lines,
                          "    return s, t, x, y", ""])

    def assign(self, depth: int) -> None:
        self.line(depth, f"{self.random.choice('sst')} = {self.expression()}")

    def store(self, depth: int) -> None:
        part = self.random.choice(["", "", "", ".real", ".imag"])
        if part:
            name = self.random.choice(["x", "y[0]"])
            self.line(depth, f"{name}{part}[{self.index()}] = {self.real()}")
        else:
            super().store(depth)

    def test(self) -> str:
        r = self.random
        return r.choice([
            f"{self.expression(1)} {r.choice(['==', '!='])} {self.expression(1)}",
            f"{self.real()} {r.choice(['<', '<=', '>', '>=', '=='])} {self.real()}",
            f"{self.real()} < 1e10", f"{self.expression(1)}", f"not {self.expression(1)}",
            f"np.isfinite({self.real()})", f"np.isnan({self.expression(1)})"])

    def real(self, depth: int = 1) -> str:
        r = self.random
        if depth and r.random() < 0.3:
            return r.choice(OF_REALS[1:]).format(self.real(0), self.real(0))
        return r.choice([*TO_REAL, "({}).real", "({}).imag"]).format(self.expression(depth))

    def whole(self) -> str:
        return self.random.choice(ARRAYS).format(self.random.choice(["s", "t", "2", "1j"]))

    def expression(self, depth: int = 2) -> str:
        r, kind = self.random, self.random.random()
        if depth == 0 or kind < 0.25:
            return r.choice([*self.names, self.element(), self.element(), *self.counters,
                             r.choice(CONSTANTS)])
        if kind < 0.62:
            sign = r.choice(["+", "-", "*", "*", "+", "/", "-", "**"])
            right = self.expression(depth - 1)
            if sign == "**":
                right = r.choice(["2", "3", "-1", "0.5", "0", "1j", right])
            return f"({self.expression(depth - 1)} {sign} {right})"
        if kind < 0.72:
            return r.choice(BINARY).format(self.expression(depth - 1), self.expression(depth - 1))
        if kind < 0.8:
            return r.choice(OF_REALS).format(self.real(depth - 1), self.real(depth - 1))
        if kind < 0.86:
            return r.choice(TO_REAL).format(self.expression(depth - 1))
        if kind < 0.9:
            x = self.whole()
            return r.choice(REDUCED).format(x, x)
        return r.choice(UNARY).format(self.expression(depth - 1))


def arguments(seed: int) -> tuple[Any, ...]:
    """Arguments of `f`, the same for the same seed."""
    r, g = Random(seed), np.random.default_rng(seed)
    dtype = r.choice(["c16", "c16", "c16", "c8", "f8"])

    def made(*shape: int) -> Any:
        found = np.zeros(shape, complex)
        found.real, found.imag = g.normal(size=shape), g.normal(size=shape)
        if r.random() < 0.5 and found.size:
            for _ in range(3):
                found.flat[g.integers(found.size)] = complex(r.choice(PARTS), r.choice(PARTS))
        with np.errstate(all="ignore"):
            return (found.real if dtype == "f8" else found).astype(dtype)

    n = r.choice([5, 4, 5, 0, 9])
    x, y = made(n), made(r.choice([n, 3]), r.choice([n, 4]))
    layout = r.choice(["", "", "", "reversed", "strided", "part", "columns"])
    x = x[::-1] if layout == "reversed" else np.repeat(x, 2)[::2] if layout == "strided" else (
        np.zeros((n, 2), dtype)[:, 1] + x if layout == "part" else x)
    y = np.asfortranarray(y) if layout == "columns" else y
    a = r.choice([1j, 2.0, np.complex128(0.5 - 1j), np.complex64(1 + 1j), 3, np.float64(-0.0),
                  complex(r.choice(PARTS), r.choice(PARTS)), np.float32(0.5)])
    return r.choice([3, 0, 5, 2, np.int64(4)]), a, x, y
