"""A number that is Python's on one path and NumPy's on another: exports compute what NumPy computes
of either, or are refused with the line."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.unit.export.comparing import difference

pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("jax", reason="the extra jax is not installed")

from tests.corpus.case import Case
from tests.support.exported_programs import on_jax, on_onnx


def least_step(y, end):
    t, h, steps = 0.0, 0.1, 0
    while t < end:
        h = min(h, end - t)
        t, h, steps = t + h, h * 0.95, steps + 1
    return steps


def total_while(x, most):
    total, i = 0.0, 0
    while total < most:
        total = total + x[i % 3]
        i += 1
    return total * x


def mean_of_rows(x):
    total = 0.0
    for row in x:
        total += row
    return total / 3


def mean_of_some_rows(x, most):
    total = 0.0
    for row in x:
        if total > most:
            break
        total += row
    return total / 3


def scaled(c, x, y):
    h = 0.1
    if c > 0:
        h = y
    return x * h


def tripled(c, y):
    h = 0.1
    if c > 0:
        h = y
    return h * 3


def chosen(c, y):
    return (0.1 if c > 0 else y) + y


def stored(c, x, y):
    h = 0.1
    if c > 0:
        h = y
    x[0] = h
    return x


def counted(x, small, most):
    n = 0
    while n < most:
        n = n + np.sum(x > n) + 1
    return small * n


def as_list(c, y):
    h = 0.1
    if c > 0:
        h = y
    return np.array([h, y])


X, Y = np.array([1.25, 2.5, 3.0]), np.float64(0.1)
X32, Y32 = X.astype("f4"), np.float32(0.1)
YES, NO = np.int64(1), np.int64(-1)
BYTES = np.array([100, 7], np.int8)

CALLS: list[tuple[Callable[..., Any], tuple[Any, ...], bool]] = [
    (least_step, (Y32, np.float32(1)), False), (least_step, (Y, np.float64(1)), True),
    (total_while, (X32, np.float32(9)), True), (mean_of_rows, (X32,), True),
    (mean_of_some_rows, (X32, np.float32(2)), False), (mean_of_some_rows, (X, Y), True),
    *[(scaled, (c, X32, Y32), True) for c in (YES, NO)],
    *[(scaled, (c, X32, Y), False) for c in (YES, NO)],
    *[(scaled, (c, X, Y), True) for c in (YES, NO)],
    *[(scaled, (c, X, Y32), False) for c in (YES, NO)],
    *[(tripled, (c, Y32), False) for c in (YES, NO)],
    *[(tripled, (c, Y), True) for c in (YES, NO)],
    *[(chosen, (c, Y32), True) for c in (YES, NO)],
    *[(stored, (c, X32, Y32), True) for c in (YES, NO)],
    *[(stored, (c, X, Y32), False) for c in (YES, NO)],
    *[(as_list, (c, Y32), False) for c in (YES, NO)],
    (counted, (X, BYTES, np.int64(5)), False), (counted, (X, np.arange(3), np.int64(5)), True),
]
"""Programs, their arguments, and whether NumPy computes the same of either."""


@pytest.mark.parametrize("target", [on_onnx, on_jax])
@pytest.mark.parametrize("program, arguments, same", CALLS)
def test_same_of_either_or_refused(program, arguments, same, target):
    case = Case(program, arguments)
    try:
        _, (run, *_) = target(case, copy.deepcopy(arguments), "drop")
        found = run()
    except ag.errors.ExportError as error:
        assert not same, error
        assert "of Python's on one path" in error.message or "dtype float" in error.message
        assert error.location is not None
        return
    assert same
    assert not difference(program(*copy.deepcopy(arguments)), found, [True])
