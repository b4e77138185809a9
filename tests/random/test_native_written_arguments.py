"""Arguments that machine code writes where they are hold afterwards what plain Python leaves.

Each program stores into its arguments and leaves in the middle, or not. The arguments lie in
several ways: apart, one in the other, backwards, with elements in two places. A sample runs by
default, all with AUTOGRAPH_TESTS=1000.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import one_of
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

STORES = ("x[i] = x[i - 1] + y[n - i]", "x[i + 1] += y[i]; y[i] = x[i] * 2",
          "x[i:] = y[i:len(x)] + x[i]", "z[i] = x[i]; x[i] = z[i] * 2 - y[-1]")

LEAVES = ("pass", "if x[i] > n:\n            raise ValueError(i)", "x[i * 3] = 1",
          "if x[i] > n:\n            break", "s += 1 // int(6 - x[i])", "s += int(x[i] * 1e300)",
          "x[i] /= x[i] - 6", "if i == 2:\n            return x")

PROGRAM = """
def f(x, y, n):
    z = {start}
    s = 0
    for i in range(n):
        {store}
        {leave}
    return s, z
"""

LAYOUTS: tuple[Callable[[Any], tuple[Any, Any]], ...] = (
    lambda b: (b[:6], b[6:]), lambda b: (b, b), lambda b: (b[:8], b[2:10]),
    lambda b: (b[2:10], b[:8]), lambda b: (b, b[::-1]), lambda b: (b[::2], b[1::2]),
    lambda b: (as_strided(b, (8,), (0,)), b[2:]), lambda b: (b[:8], as_strided(b[8:], (7,), (4,))),
    lambda b: (b.copy(), b[:9]))


STARTS = ("x", "x[1:]", "y * 1")

PROGRAMS = list(product(STORES, LEAVES, STARTS))
EVERY = one_of(5)


@pytest.mark.parametrize("store, leave, start", PROGRAMS[::EVERY])
def test_as_plain(store: str, leave: str, start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = PROGRAM.format(store=store, leave=leave, start=start)
    plain = load(source, f"<written {hash(source)}>")
    native = ag.function(plain, jit_compile=True)
    for way, n in product(LAYOUTS, (5, 3)):
        bases = np.arange(12.0), np.arange(12.0)
        found, judged = (outcome(f, (*way(b), n)) for f, b in zip(
            (native, plain), bases, strict=True))
        assert found == judged, source
        assert bases[0].tobytes() == bases[1].tobytes(), source


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels give results for some of these programs, and write large arrays."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    for store in STORES[:2]:
        plain = load(PROGRAM.format(store=store, leave=LEAVES[0], start="x"), "<written>")
        native = ag.function(plain, jit_compile=True)
        for size in (20, 300_000):
            x, y = np.arange(2.0 * size).reshape(2, size)
            same = x.copy(), y.copy()
            native(x, y, size - 1)
            plain(*same, size - 1)
            assert (x.tobytes(), y.tobytes()) == (same[0].tobytes(), same[1].tobytes())
    assert told.count(True) == 4
