"""Searches: which loops ask blocks of iterations, and what powers that are not sure decide."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.native import compile_short_loops

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

N = 100


def nearest(p, q):
    best, k = np.inf, -1
    for j in range(len(p)):
        d = (p[j, 0] - q[0]) ** 2 + (p[j, 1] - q[1]) ** 2
        if d < best:
            best, k = d, j
    return best, k


def largest(x):
    best, k = x[0], 0
    for j in range(1, len(x)):
        if x[j] > best:
            best, k = x[j], j
    return best, k


def nearest_open(x, done):
    best, k = np.inf, -1
    for j in range(len(x)):
        if not done[j] and x[j] < best:
            best, k = x[j], j
    return best, k


def last_but_one_side(x):
    best, k = x[0], 0
    for j in range(len(x)):
        if not x[j] < best:
            pass
        else:
            best, k = x[j], j
    return best, k


def total(x):
    best, s = np.inf, 0.0
    for j in range(len(x)):
        s = s + x[j]
        if x[j] < best:
            best = x[j]
    return best, s


def with_unused_quotient(x, y):
    best, k = np.inf, -1
    for j in range(len(x)):
        w = x[j] / y[j]
        if x[j] < best:
            best, k = w, j
    return best, k


def compared_with_a_constant(x):
    k = -1
    for j in range(len(x)):
        if x[j] * x[j] < 0.5:
            k = j
    return k


def counted(x):
    k = 0
    for j in range(len(x)):
        if x[j] > 0.5:
            k += 1
    return k


def stored(x, y):
    best = np.inf
    for j in range(len(x)):
        y[j] = x[j]
        if x[j] < best:
            best = x[j]
    return best


def row(seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=N)


SEARCHES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (nearest, (row().reshape(-1, 2), row(1)[:2])), (largest, (row(),)),
    (nearest_open, (row(), row() > 0)), (last_but_one_side, (row(),))]

OTHERS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (total, (row(),)), (with_unused_quotient, (row(), row(1))),
    (compared_with_a_constant, (row(),)), (stored, (row(), row(1))),
    (counted, (row(),))]


@pytest.fixture(autouse=True)
def short_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)


@pytest.mark.parametrize(("plain", "given"), SEARCHES, ids=lambda x: getattr(x, "__name__", ""))
def test_blocks_are_asked(plain: Callable[..., Any], given: tuple[Any, ...]) -> None:
    native = ag.function(plain, jit_compile=True)
    for _ in range(2):
        assert repr(native(*given)) == repr(plain(*given))
    assert "lanes" in native.to_llvm(*given)


@pytest.mark.parametrize(("plain", "given"), OTHERS, ids=lambda x: getattr(x, "__name__", ""))
def test_no_blocks_are_asked(plain: Callable[..., Any], given: tuple[Any, ...]) -> None:
    """Each iteration changes something, or waits for none, or an exception might be lost."""
    native = ag.function(plain, jit_compile=True)
    for _ in range(2):
        assert repr(native(*given)) == repr(plain(*given))
    assert "lanes" not in native.to_llvm(*given)


def test_a_power_that_is_not_sure_decides_as_pow_does() -> None:
    """Two points whose distances are neighbours, or the same, many times over."""
    native, random = ag.function(nearest, jit_compile=True), np.random.default_rng(3)
    for _ in range(300):
        p = random.normal(size=(N, 2))
        p[:, 1] = 0.25
        p[N // 2:, 0] = np.nextafter(p[:N // 2, 0], random.choice([-9.0, 9.0], N // 2))
        p[N // 4:N // 2, 0] = p[0, 0] + random.integers(-3, 4, N // 4) * np.spacing(p[0, 0])
        q = np.array([0.1 * random.normal(), 0.25])
        assert native(p, q) == nearest(p, q)


def test_an_overflow_that_changes_nothing_is_told() -> None:
    native = ag.function(nearest, jit_compile=True)
    p = row().reshape(-1, 2).copy()
    p[33, 0] = 1e200
    for _ in range(3):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            assert repr(native(p, row(1)[:2])) == repr(nearest(p, row(1)[:2]))
        assert [w.category for w in found] == [RuntimeWarning] * 2  # ours, and the plain one
