"""Random loops over arrays of ints that the function makes: what they hold are counters, positions
and numbers near overflow, which are indices, are added up and are stored again.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_elements.py
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
    (4, 2, np.array([3, 1, 0, 2, 5, -1, 4, 2] * 6)),
    (0, 9, np.arange(48) % 7),
    (3, -3, np.array([LARGE, LARGE - 1, -1, LARGE, 5, 0] * 8)),
    (6, LARGE, np.full(48, 2 ** 59)),
    (48, 5, np.arange(48)[::-1] - 24),
]
"""n, m, and an array of 48 ints."""


class Program:
    """Writes a function of two ints and an array, which makes three arrays."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.items: list[str] = []
        self.lines: list[str] = []

    def pick(self, *texts: str) -> str:
        return self.random.choice(texts)

    def source(self) -> str:
        made = [f"    {name} = {self.new()}" for name in "abc"]
        for _ in range(self.random.randint(1, 3)):
            self.loop(1)
        return "\n".join(["import numpy as np", "def f(n, m, x):", "    s, t, k = 0, m, 0", *made,
                          *self.lines, "    return s, t, k, a, b, c, x", ""])

    def new(self) -> str:
        return self.pick("np.zeros(8, np.int64)", "np.full(8, -1)", "np.arange(8)", "x[:8].copy()",
                         "np.ones(48, np.int64)", "np.arange(9, 1, -1)", "np.zeros(48, np.int64)",
                         "np.full(9, 2 ** 62)", "np.zeros((8, 2), np.int64)[:, 1].copy()")

    def index(self) -> str:
        inside = [f"{i}{self.pick('', ' % 8', ' % 8', ' // 6', ' % 4 - 4')}"
                  for i in self.items] or ["k"]
        return self.pick("k", "t % 8", f"{self.pick(*'abc')}[{self.pick(*inside)}]", *3 * inside)

    def element(self) -> str:
        return f"{self.pick(*'aabbccx')}[{self.index()}]"

    def number(self) -> str:
        simple = self.pick(self.element(), self.element(), "m", "s", "t", "k", "3", "1", "-1",
                           *self.items)
        form = self.random.random()
        if form < 0.1:
            return f"{self.pick('min', 'max')}({simple}, {self.element()}, 5)"
        if form < 0.4:
            return f"{simple} {self.pick('+', '-', '+', '*', '&', '>>')} " + self.pick(
                "1", "1", "2", "3", self.element())
        return simple

    def test(self) -> str:
        signs = self.pick("<", "<=", ">", ">=", "==", "!=")
        return f"{self.number()} {signs} {self.pick(self.number(), 'n', 'len(x)', '0')}"

    def loop(self, depth: int) -> None:
        i, pad = "ijkl"[depth - 1] + "i", "    " * depth
        if self.random.random() < 0.8:
            steps = self.pick("n", "len(x)", "len(a)", "1, len(b) - 1", "40", "8", "8", "min(n, 8)")
            self.lines.append(f"{pad}for {i} in range({steps}):")
        else:
            self.lines += [f"{pad}{i} = 0",
                           f"{pad}while {i} < {self.pick('n', 'len(x)')} and {self.test()}:",
                           f"{pad}    {i} += 1"]
        self.items.append(i)
        for _ in range(self.random.randint(1, 4)):
            self.statement(depth + 1)
        self.items.pop()

    def statement(self, depth: int) -> None:
        pad = "    " * depth
        kind = self.random.random()
        if kind < 0.2:
            self.lines.append(f"{pad}{self.pick('s', 't', 'k')} {self.pick('+=', '=', '-=')} "
                              + self.pick("1", self.number(), self.element()))
        elif kind < 0.6:
            self.lines.append(f"{pad}{self.element()} {self.pick('=', '=', '+=')} {self.number()}")
        elif kind < 0.65:
            first, second = self.random.sample("abc", 2)
            self.lines.append(f"{pad}{first}, {second} = {second}, {first}")
        elif kind < 0.7:
            part = self.pick("1:3", "2:", ":", "::2")
            self.lines.append(f"{pad}{self.pick(*'abc')}[{part}] {self.pick('=', '+=')} "
                              + self.number())
        elif kind < 0.8 and depth < 4:
            self.loop(depth)
        elif kind < 0.95 and depth < 5:
            self.lines.append(f"{pad}if {self.test()}:")
            self.statement(depth + 1)
        else:
            self.lines.append(f"{pad}if {self.test()}:\n{pad}    {self.pick('break', 'continue')}")


def program(seed: int) -> tuple[str, Any]:
    source = Program(Random(seed)).source()
    return source, load(source, f"<elements {seed}>")


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source, plain = program(seed)
    native, interpreted = ag.function(plain, jit_compile=True), ag.function(
        plain, executor="interpreter")
    for arguments in ARGUMENTS:
        wanted = run(plain, arguments).describe()
        for _ in range(2):
            found = run(native, arguments).describe()
            if found != wanted:  # what is unread is not computed
                assert found == run(interpreted, arguments).describe(), source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of the programs above reach a kernel that gives the results."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for seed in range(8):
        run(ag.function(program(seed)[1], jit_compile=True), ARGUMENTS[0])
    assert told.count(True) >= 2
