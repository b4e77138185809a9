"""Loops in machine code whose body makes again what their test has made."""

import math
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.test_numerics import outcome
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    compile_short_loops(monkeypatch)
    return tell_kernels(monkeypatch, Kernel)


def roots(x, limit):
    total = 0.0
    for i in range(len(x)):
        y, k = x[i], 0
        while k < 40 and abs(math.exp(y) - 3 * y * y) > limit:
            y = y - (math.exp(y) - 3 * y * y) / (math.exp(y) - 6 * y)
            k += 1
        total += y
    return total, k


def of_elements(x, limit):
    i = j = 0
    while i < len(x) and x[i] * x[i] > limit and x[i] / x[j] != 2:
        x[i] = x[i] * x[i] - x[i] / x[j]
        j = i
        i += 1 + int(x[j] > 3)
    return x, i, j


def stored_before(x, limit):
    k = 0
    while k < 5 and x[k] + x[k] > limit:
        x[k] = 0.5
        y = x[k] + x[k]
        k += 1
        x[k] = y + k
    return x, y


def of_parts(x, limit):
    z, k = complex(x[0], 1.5), 0
    while abs(z * z - 1) > limit and k < 9:
        z, k = z - (z * z - 1) / (2 * z), k + 1
    return z, k


def zeros_of_both_signs(x, limit):
    k, y = 0, x[0]
    while k < 4 and y * 0.0 <= limit:
        y = y * -0.0 + y * 0
        k += 1
    return y, k


def unbound(x, limit):
    k = 0
    while k < 3 and x[k] % limit < 1e9:
        found = x[k] % limit
        k += 1
    return found, k


PROGRAMS = roots, of_elements, stored_before, of_parts, zeros_of_both_signs, unbound


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_plain_python(program: Any, told: list[bool]) -> None:
    native = ag.function(program, jit_compile=True)
    rows = [np.array([3.0, -4.5, 2.0, 2.0, 8.0, 1e300]), np.arange(7.0) + 2, np.zeros(6),
            np.array([-0.0, 1.0, np.nan, 2.0, 5.0, np.inf]), np.full(6, 9.5)]
    for x in rows:
        for limit in (1e-9, 0.0, 3.0):
            assert outcome(native, (x.copy(), limit)) == outcome(program, (x.copy(), limit))
    assert True in told


def test_a_function_is_called_once_for_both() -> None:
    text = ag.function(roots, jit_compile=True).to_llvm(np.ones(3), np.float64(1e-9))
    assert text.count("call double @\"$") == 1, text
