"""Random loops over ints do the same as plain Python: sums near overflow, counters as indices,
indices that comparisons and earlier loads bound, loops that end early, divisions by constants.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_bounds.py
"""

from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels
from tests.support.outcome import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(30)

LARGE = 2 ** 62
ARGUMENTS = [
    (4, 2, np.array([3, 1, 0, 2, 5, -1, 4, 2]), np.arange(6)),
    (0, 9, np.array([1, 2, 3]), np.zeros(2, np.int64)),
    (3, -3, np.array([LARGE, LARGE - 1, -1, LARGE, 5]), np.array([-LARGE, -LARGE, -LARGE, 1])),
    (np.int64(5), 2 ** 40, np.arange(14)[::2], np.arange(9)[::-1]),
    (6, np.int64(LARGE), np.full(9, 2 ** 59), np.full(7, -2 ** 60)),
    (2, 1, np.array([-5, 7, -8, 2], np.int32), np.array([250, 3, 9], np.uint8)),
]
"""n, m, and two arrays."""


class Program:
    """Writes a function of two ints and two arrays of ints."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.items: list[str] = []
        self.lines: list[str] = []

    def pick(self, *texts: str) -> str:
        return self.random.choice(texts)

    def source(self) -> str:
        for _ in range(self.random.randint(1, 3)):
            self.loop(1)
        start = [f"    s, t, k = {self.pick('0', 'm', '1', '0.5')}, {self.pick('0', 'm')}, 0"]
        end = ["    return s, t, k, x, y", ""]
        return "\n".join(["def f(n, m, x, y):", *start, *self.lines, *end])

    def index(self) -> str:
        return self.pick("k", "t", "x[k]", "m", *3 * [
            f"{i}{self.pick('', '', ' - 1', ' + 1', ' * 2', ' // 2', ' % 4')}" for i in self.items])

    def element(self) -> str:
        return f"{self.pick('x', 'y')}[{self.index()}]"

    def number(self) -> str:
        return self.pick(self.element(), self.element(), "m", "s", "t", "k", "3", "1", *self.items)

    def test(self) -> str:
        signs = self.pick("<", "<=", ">", ">=", "==", "!=")
        return f"{self.number()} {signs} {self.pick(self.number(), 'n', 'len(x)', '0')}"

    def loop(self, depth: int) -> None:
        i, pad = "ijkl"[depth - 1] + "i", "    " * depth
        if self.random.random() < 0.8:
            steps = self.pick("n", "len(x)", "len(y)", "1, len(x) - 1",
                              "n, 0, -1", "min(k, 9)", "3", "min(t, 9)")
            self.lines.append(f"{pad}for {i} in range({steps}):")
        else:
            self.lines += [f"{pad}{i} = 0",
                           f"{pad}while {i} < {self.pick('n', 'len(x)')} and {self.test()}:",
                           f"{pad}    {i} += 1"]
        self.items.append(i)
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth + 1)
        self.items.pop()

    def statement(self, depth: int) -> None:
        pad = "    " * depth
        kind = self.random.random()
        if kind < 0.35:
            target, sign = self.pick("s", "t", "k"), self.pick("+", "+", "-")
            value = self.pick("1", "2", self.number(), self.element())
            self.lines.append(f"{pad}{target} {sign}= {value}")
        elif kind < 0.5:
            self.lines.append(f"{pad}{self.element()} {self.pick('=', '+=')} {self.number()}")
        elif kind < 0.6:
            sign, other = self.pick("//", "%", "*", "&"), self.pick("2", "8", "3", "-4", "m")
            self.lines.append(f"{pad}t = {self.number()} {sign} {other}")
        elif kind < 0.7 and depth < 4:
            self.loop(depth)
        elif kind < 0.95 and depth < 5:
            self.lines.append(f"{pad}if {self.test()}:")
            self.statement(depth + 1)
            if self.random.random() < 0.3:
                self.lines.append(f"{pad}else:")
                self.statement(depth + 1)
        else:
            self.lines.append(f"{pad}if {self.test()}:\n{pad}    {self.pick('break', 'continue')}")


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = Program(Random(seed)).source()
    plain: Any = load(source, f"<bounds {seed}>")
    native, interpreted = ag.function(plain, jit_compile=True), ag.function(
        plain, executor="interpreter")
    for arguments in ARGUMENTS:
        wanted = run(plain, arguments).describe()
        for _ in range(2):
            found = run(native, arguments).describe()
            if found != wanted:  # what is unread is not computed
                assert found == run(interpreted, arguments).describe(), source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for seed in range(8):
        plain: Any = load(Program(Random(seed)).source(), f"<bounds {seed}>")
        run(ag.function(plain, jit_compile=True), ARGUMENTS[0])
    assert told.count(True) >= 2
