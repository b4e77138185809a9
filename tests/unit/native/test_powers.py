"""Powers of numbers in loops: those of the C library, which are no products."""

from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from autograph.runtime.native.powers import EXPONENTS, _exact
from tests.random.test_numerics import outcome
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

AWKWARD = [0.0, -0.0, 1.0, -2.0, np.nan, np.inf, -np.inf, 5e-324, 1e-160, -1e-155, 1e154, 1e300,
           2.0 ** 32, 2.0 ** -32, 2.0 ** 32 - 2.0 ** -20, np.nextafter(2.0 ** -32, 0)]


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    compile_short_loops(monkeypatch)
    return tell_kernels(monkeypatch, Kernel)


def squares(x, out):
    for i in range(len(x)):
        out[i] = x[i] ** 2
    return out


def roots(x, out):
    for i in range(len(x)):
        out[i] = x[i] ** 0.5
    return out


def of_python(x, out):
    for i in range(len(x)):
        out[i] = float(x[i]) ** 2.0 - (i * 0.37) ** 0.5 + i ** 2.0
    return out


def near_halfway(random: Random) -> float:
    """Returns a float whose square is about halfway between two floats."""
    while True:
        x = random.randrange(2 ** 52, 2 ** 53)
        one = 1 << ((x * x).bit_length() - 53)
        if abs(x * x % one / one - 0.5) < 0.02:
            return random.choice([1.0, -1.0]) * x * 2.0 ** random.randrange(-80, -30)


@pytest.mark.parametrize("program", [squares, roots, of_python])
def test_the_bits_of_the_library(program: Any, told: list[bool]) -> None:
    random, numbers = Random(0), np.random.default_rng(0).normal(size=3000)
    native = ag.function(program, jit_compile=True)
    halves = np.array([near_halfway(random) for _ in range(1000)])
    for x in (np.abs(numbers), np.abs(numbers) * 1e9, np.abs(halves), halves, np.array(AWKWARD),
              *np.array(AWKWARD)[:, None]):
        given = [(x, np.zeros_like(x)) for _ in range(2)]
        assert outcome(native, given[0]) == outcome(program, given[1])
    assert any(told)


def near_halves(exponent: float, random: Random) -> list[float]:
    """Returns floats whose powers are about halfway between two floats, of all moderate sizes."""
    found = []
    while len(found) < 40:
        x = random.randrange(2 ** 52, 2 ** 53)
        exact = _exact(x, exponent)
        one = 1 << (exact.bit_length() - 53)
        if abs(exact % one / one - 0.5) < 0.03:
            found.append(x * 2.0 ** (random.randrange(-40, 40) - 52))
    return found


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_products_roots_and_inverses(exponent: float, told: list[bool]) -> None:
    def f(x, out):
        for i in range(len(x)):
            out[i] = x[i] ** exponent
        return out, out[0] ** exponent

    random, numbers = Random(1), np.random.default_rng(0).normal(size=300)
    native = ag.function(f, jit_compile=True)
    for x in (np.abs(numbers), numbers + 1, np.abs(numbers) * 2.0 ** 30, 2.0 ** (numbers * 20),
              np.array(near_halves(exponent, random)), *np.array(AWKWARD)[:, None]):
        given = [(x, np.zeros_like(x)) for _ in range(2)]
        assert outcome(native, given[0]) == outcome(f, given[1])
    assert any(told)


def test_cubes_ask_the_library_rarely() -> None:
    def cubes(x):
        s = 0.0
        for i in range(len(x)):
            s += x[i] ** 3 / (1 + x[i] ** -1.5)
        return s
    text = ag.function(cubes, jit_compile=True).to_llvm(np.ones(3))
    assert text.count('@"asks"(') == 3  # two calls and the function
