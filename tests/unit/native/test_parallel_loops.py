"""Whether ints fit is asked after loops whose iterations may be done at once."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.regions import as_loop, is_loop
from autograph.runtime.lower.in_place import plan_inplace
from autograph.runtime.native.inference import native_loop
from autograph.runtime.native.parallel_loops import deferred_checks
from autograph.runtime.ops.parse import parse
from tests.support.outcome import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

LOOP = """\
f(x: {0}[99], y: {0}[99], k: {0}, n: py.int):
  z: {0}[99] = copy(x)
  z_1: {0}[99] = for(range(1, 98), z):
    body(i: py.int, z_2: {0}[99]):
{1}
      yield e
  return z_1
"""


@pytest.mark.parametrize(("body", "short", "long"), [
    ("a: T = x[i]\nb: T = multiply(k, a)\ne: T[99] = setitem(z_2, i, b)", "be", "be"),
    ("a: T = x[i]\nb: T = add(k, a)\nc: bool = less(b, 3)\nd: T = where(c, b, a)\n"
     "e: T[99] = setitem(z_2, i, d)", "be", "e"),
    ("a: T = x[i]\nb: T = add(k, a)\nc: T = y[b]\ne: T[99] = setitem(z_2, i, c)", "be", "e"),
    ("a: T = x[i]\nb: T = add(k, a)\nc: T = subtract(b, a)\nd: bool = less(c, 3)\n"
     "e: T[99] = cond(d):\n  true():\n    g: T[99] = setitem(z_2, i, c)\n    yield g\n"
     "  false():\n    yield z_2", "bc", "bc"),
    ("a: T = z_2[0]\nb: T = add(k, a)\ne: T[99] = setitem(z_2, i, b)", "", ""),
    ("a: T = z_2[i]\nb: T = add(k, a)\ne: T[99] = setitem(z_2, i, b)", "be", "be"),
    ("a: T = x[i]\nb: T = add(k, a)\ne: T[99] = setitem(z_2, n, b)", "", ""),
    ("a: T = x[i]\nb: T = add(k, a)\nj: py.int = add(i, n)\ne: T[99] = setitem(z_2, j, b)",
     "be", "be")],
    ids=["product", "chosen", "index", "stored in a branch", "other element", "same element",
         "one place", "moved"])
def test_which_checks_wait(body: str, short: str, long: str) -> None:
    """Of ints of 64 bits, those of numbers of which nothing is asked."""
    for dtype, expected in (("i16", short), ("i64", long)):
        lines = "\n".join("      " + line for line in body.replace("T", dtype).splitlines())
        graph = parse(LOOP.format(dtype, lines))
        e = next(e for e in graph.equations if is_loop(e))
        native, loop = native_loop(e, plan_inplace(graph)), as_loop(e)
        assert loop is not None
        found = deferred_checks(loop, native.kind, ())
        assert "".join(sorted(out.hint for e in found for out in e.outputs)) == expected


def mixed(x: Any, y: Any, k: Any) -> Any:
    for i in range(len(x)):
        y[i] = x[i] * k - y[i] + x[i]
    return y


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_what_does_not_fit_is_told(dtype: str) -> None:
    """Wherever it is, and the arguments are as Python leaves them."""
    limits = np.iinfo(dtype)
    compiled = ag.function(mixed, jit_compile=True)
    for at in (0, 1, 70, 98, 99):
        for value in (limits.max, limits.min, limits.max // 2, 0):
            x, y = np.full(100, 3, dtype), np.full(100, 2, dtype)
            x[at] = value
            given = x, y, np.dtype(dtype).type(2)
            assert run(compiled, given).describe() == run(mixed, given).describe()
