"""Numbers from outside that are Python's floats or NumPy's, as only the run knows."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.support.native import compile_short_loops, tell_kernels
from tests.support.outcome import describe

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


def chosen(x: np.ndarray, n: Any, c: Any) -> Any:
    s = x[0] if c > 0 else 1.5
    y = np.sort(x)
    t = s
    for i in range(n):
        if y[i] > 2:
            t = s
        elif y[i] > 1:
            t = 2.5
    return s, t


def summed(x: np.ndarray, n: Any, c: Any) -> Any:
    s = 0.0
    for i in range(n):
        s = s + x[i]
    y = np.sort(x)
    t = s
    for i in range(n):
        y[i] = y[i] / s if i % 2 else s
        s = s - c
    return t, s, y


def with_large_result(x: np.ndarray, n: Any, c: Any) -> Any:
    s = x[0] if c > 0 else 1.5
    y = np.sort(x)
    z = np.zeros((400, 400))
    for i in range(n):
        z[i] = z[i - 1] + s
        s = s + y[i]
    return s, z.sum(), type(s)


@pytest.mark.parametrize("function", [chosen, summed, with_large_result])
def test_as_plain(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    native = ag.function(function, jit_compile=True)
    for n in map(np.int64, (0, 3, 5)):
        for c in map(np.int64, (1, -1)):
            for x in (np.arange(6.0) + 0.25, np.repeat(np.arange(6.0), 2)[::2]):
                same = x.copy()
                assert describe(native(x, n, c)) == describe(function(same, n, c))
    assert told.count(True) >= 6
