"""Results that are one array under two names stay one; those that never are come from a kernel."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


def under_two_names(x, y, n):
    for _ in range(n):
        x = x + 0.5
        y = x
    return x, y


def on_one_way(x, y, n):
    for k in range(n):
        x = x + 0.5
        y = y * 2.0
        if k == 1:
            y = x
    return x, y


def from_an_inner_loop(x, y, n):
    for _ in range(n):
        x = x * 2.0
        for k in range(2):
            y = x if k else y + 1.0
    return x, y


def made_before(x, y, n):
    x = np.zeros(2)
    y = np.zeros(2)
    for k in range(n):
        x[0] += 1.0
        if k == 2:
            y = x
    return x, y


def swapped(x, y, n):
    x, y = np.zeros(2), np.ones(2)
    for _ in range(n):
        x[1] += y[0]
        x, y = y, x
    return x, y


def sums(x, y, n):
    for _ in range(n):
        x, y = y + 0.0, x + y
    return x, y


def as_it_was(x, y, n):
    for _ in range(n):
        y = x + 1.0
        x = y * 2.0
    return x, y


PROGRAMS: dict[Callable[..., Any], bool] = {
    under_two_names: False, on_one_way: False, from_an_inner_loop: False, made_before: False,
    swapped: False, sums: True, as_it_was: True}
"""With each, True if a kernel makes the results; `swapped` writes to arrays by reference."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_which_array_is_which(program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    native = ag.function(program, jit_compile=True)
    for n in (2, 0, 1, 3, 5):
        given = np.array([1.0, 2.0]), np.array([3.0, 4.0])
        found, expected = (
            [[r is a for a in (*arrays, *results)] for r in results]
            for f in (native, program)
            for arrays in [[x.copy() for x in given]] for results in [f(*arrays, np.int64(n))])
        assert found == expected, n
    assert (True in told) is PROGRAMS[program]
