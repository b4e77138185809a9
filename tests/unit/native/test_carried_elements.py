"""What an iteration stores and the next one loads stays in a register, with the same results."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.regions import as_loop, is_loop
from autograph.runtime.lower.in_place import plan_inplace
from autograph.runtime.native.carried_elements import carried_elements
from autograph.runtime.native.inference import native_loop
from autograph.runtime.ops.parse import parse
from tests.support.native import compile_short_loops
from tests.support.outcome import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

LOOP = """\
f(x: f64[9, 9], y: f64[9], n: py.int):
  b: f64[9, 9] = copy(x)
  b_1: f64[9, 9] = for(range(1, 8), b):
    body(i: py.int, b_2: f64[9, 9]):
{}
      yield e
  return b_1
"""


@pytest.mark.parametrize(("body", "step", "count"), [
    ("k: py.int = subtract(i, 1)\nc: f64 = b_2[n, k]\ne: f64[9, 9] = setitem(b_2, (n, i), c)",
     1, 1),
    ("k: py.int = subtract(i, 1)\nc: f64 = b_2[n, k]\ne: f64[9, 9] = setitem(b_2, (n, i), c)",
     2, 0),
    ("k: py.int = add(i, 2)\nc: f64 = b_2[n, k]\ne: f64[9, 9] = setitem(b_2, (n, i), c)",
     -2, 1),
    ("c: f64 = b_2[n, 2]\ne: f64[9, 9] = setitem(b_2, (n, 2), c)", 3, 1),
    ("k: py.int = subtract(i, 1)\nc: f64 = b_2[k, k]\ne: f64[9, 9] = setitem(b_2, (i, i), c)",
     1, 1),
    ("k: py.int = subtract(i, 1)\nc: f64 = b_2[k, n]\ne: f64[9, 9] = setitem(b_2, (n, i), c)",
     1, 0),
    ("k: py.int = multiply(2, i)\nl: py.int = add(k, 2)\nc: f64 = b_2[n, k]\n"
     "e: f64[9, 9] = setitem(b_2, (n, l), c)", 1, 1),
    ("k: py.int = multiply(i, i)\nc: f64 = b_2[n, k]\ne: f64[9, 9] = setitem(b_2, (n, k), c)",
     1, 0),
    ("c: f64 = b_2[n, 2]\nd: f64[9, 9] = setitem(b_2, (n, 2), 1.0)\n"
     "e: f64[9, 9] = setitem(d, (n, 2), c)", 1, 0),
    ("d: f64[9, 9] = setitem(b_2, (n, 2), 1.0)\nc: f64 = d[n, 2]\nz: f64 = add(c, 1.0)\n"
     "e: f64[9, 9] = setitem(d, (n, 2), z)", 1, 0),
    ("c: f64 = y[i]\ne: f64[9, 9] = setitem(b_2, (n, i), c)", 1, 0)],
    ids=["before", "too far", "down", "same", "diagonal", "other axis", "scaled", "no sum",
         "two stores", "load between", "other array"])
def test_which_loads(body: str, step: int, count: int) -> None:
    """Those of the element that the only store of the iteration before wrote."""
    graph = parse(LOOP.format("\n".join("      " + line for line in body.splitlines())))
    e = next(e for e in graph.equations if is_loop(e))
    native, loop = native_loop(e, plan_inplace(graph)), as_loop(e)
    assert loop is not None
    assert len(carried_elements(loop, step, native.kind)) == count


def sums_so_far(x, n):
    for i in range(1, n):
        x[i] = x[i - 1] + x[i]
    return x


def from_the_last(x, n):
    for i in range(n):
        x[i] = x[i - 1] + x[i]
    return x


def downwards(x, n):
    for i in range(n - 2, -1, -1):
        x[i] = x[i + 1] * x[i]
    return x


def into_one(x, n):
    for i in range(n):
        for j in range(i):
            x[i] += x[j]
    return x


def every_second(x, n):
    for i in range(0, n, 2):
        x[i + 2] = x[i] + x[1]
    return x


def table(x, n):
    y = np.zeros((len(x), n + 1))
    for i in range(1, len(x)):
        for j in range(1, n):
            y[i, j] = min(y[i - 1, j] + x[j], y[i, j - 1] + 1)
    return y


PROGRAMS: list[Callable[..., Any]] = [
    sums_so_far, from_the_last, downwards, into_one, every_second, table]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("dtype", ["f8", "i8", "f4", "u1"])
def test_same_as_plain(program: Callable[..., Any], dtype: str, monkeypatch: pytest.MonkeyPatch
                       ) -> None:
    """Also where no iteration runs, and where the last one is out of bounds."""
    compile_short_loops(monkeypatch)
    whole = np.array([1, 3, 0, 2, 1, 1, 5, 4, 2, 1]).astype(dtype)
    for x in (whole[:8].copy(), whole[::-2], whole[:0].copy()):
        native = ag.function(program, jit_compile=True)
        for n in (0, 1, 3, 5, 8, 9, -1):
            found, expected = run(native, (x, n)), run(program, (x, n))
            assert (found.describe(), found.told) == (expected.describe(), expected.told), n
