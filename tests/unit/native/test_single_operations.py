"""A function that is one operation on a small array is a kernel; on a large one it is NumPy's."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.array_kernel import ArrayKernel
from tests.random.test_numerics import outcome
from tests.support.native import tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


def one_more(x):
    return x + 1


def total(x):
    return x.sum()


def longest(x):
    return np.max(x, axis=0)


@pytest.mark.parametrize("program", [one_more, total, longest])
@pytest.mark.parametrize("size, runs", [(10, [True]), (9_000, [True]), (20_000, [])])
def test_by_size(program: Any, size: int, runs: list[bool], monkeypatch: pytest.MonkeyPatch
                 ) -> None:
    told = tell_kernels(monkeypatch, ArrayKernel)
    x = np.linspace(-3.0, 3.0, size)
    assert outcome(ag.function(program, jit_compile=True), (x,)) == outcome(program, (x,))
    assert told == runs


def test_warnings_are_numpys() -> None:
    for x in (np.array([1e308, 2.0]), np.array([np.nan, np.inf]), np.array([])):
        for program in (lambda x: x * 1e10, lambda x: np.sqrt(-x), lambda x: x.mean()):
            assert outcome(ag.function(program, jit_compile=True), (x,)) == outcome(program, (x,))
