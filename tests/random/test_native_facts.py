"""What tests tell of ints is true: loops that check no index do what plain Python does.

Random loops over ints whose tests, with `and`, `or` and `not`, keep indices in bounds, or nearly.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_facts.py
"""

from random import Random

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(12)

NAMES = ("a", "b", "c", "i")
SIGNS = ("<", "<=", ">", ">=", "==", "!=")


class FactLoops:
    """Makes the source of `f(x, n)`: a row of 7 ints, and an int."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def source(self) -> str:
        r = self.random
        body = [line for _ in range(r.randint(2, 4)) for line in self.statement("        ", 2)]
        head = r.choice([f"while {self.test(2)} and left:", "for i in range(n):",
                         f"for i in range({r.choice(['7', '-3, 7', '6, -1, -1'])}):"])
        after = r.choice(["", f"    x[a] = {self.number(1)}\n", "    b += x[c]\n"])
        return "\n".join([
            "def f(x, n):", f"    a, b, c = {r.choice(['0', 'n', '6'])}, {r.choice(['7', 'n'])}, 3",
            "    i = left = 40", f"    {head}", "        left -= 1", *body,
            f"{after}    return a, b, c, i, left, x", ""])

    def statement(self, indent: str, depth: int) -> list[str]:
        r, kind = self.random, self.random.randrange(10)
        if kind < 4 and depth:
            lines = [f"{indent}if {self.test(2)}:", *self.statement(indent + "    ", depth - 1)]
            if r.random() < 0.5:
                lines += [f"{indent}else:", *self.statement(indent + "    ", depth - 1)]
            return lines
        if kind == 4 and depth:
            return [f"{indent}k = 0", f"{indent}while k < 5 and {self.test(1)}:",
                    f"{indent}    k += 1", *self.statement(indent + "    ", 0)]
        if kind < 7:
            return [f"{indent}x[{self.index()}] = {self.number(1)}"]
        return [f"{indent}{r.choice('abc')} = {self.number(2)}"]

    def index(self) -> str:
        return self.random.choice([*NAMES, *NAMES, "a - 1", "c + 1", "(a + b) // 2", "min(a, 6)",
                                   "b % 7", "max(c, 0)", "abs(b)"])

    def test(self, depth: int) -> str:
        r = self.random
        if depth and r.random() < 0.5:
            one, other = self.test(depth - 1), self.test(depth - 1)
            return r.choice([f"({one} and {other})", f"({one} or {other})", f"not {one}"])
        if r.random() < 0.1:
            return r.choice(NAMES)
        first = r.choice([*NAMES, f"x[{self.index()}]"])
        return f"{first} {r.choice(SIGNS)} {r.choice([*NAMES, '0', '6', '7', '3', 'n', '-1'])}"

    def number(self, depth: int) -> str:
        r = self.random
        if not depth or r.random() < 0.3:
            return r.choice([*NAMES, *NAMES, "1", "0", "6", f"x[{self.index()}]"])
        one, other = self.number(depth - 1), self.number(depth - 1)
        return r.choice([
            f"({one} + 1)", f"({one} - 1)", f"({one} + {other})", f"({one} - {other})",
            f"{one} // 2", f"{one} % 7", f"min({one}, {other})", f"max({one}, {other})",
            f"({one} if {self.test(1)} else {other})", f"({one} * 2)", f"({one} & 7)"])


def rows() -> list[tuple[np.ndarray, int]]:
    """Rows between others, so that what is read beside them is known and wrong."""
    found = []
    for n, low in ((7, 0), (3, -3), (0, 0), (6, 2)):
        around = np.full(21, 10 ** 6)
        around[7:14] = np.arange(low, low + 7) % 9 - (low < 0)
        found.append((around[7:14], n))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = FactLoops(Random(seed)).source()
    plain = load(source, f"<facts {seed}>")
    native = ag.function(plain, jit_compile=True)
    interpreted = ag.function(plain, executor="interpreter")
    for mine, same, third in zip(rows(), rows(), rows(), strict=True):
        found = outcome(native, mine)
        if found != outcome(plain, same):  # what nothing uses is left out, and raises nothing
            assert found == outcome(interpreted, third), source
        assert mine[0].base.tobytes() in (x.base.tobytes() for x, _ in (same, third)), source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of the programs above reach a kernel that gives the results."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for seed in range(8):
        plain = load(FactLoops(Random(seed)).source(), f"<facts {seed}>")
        outcome(ag.function(plain, jit_compile=True), rows()[3])
    assert told.count(True) >= 3
