"""Sums along several axes inside native loops: NumPy's bits where the axes follow one another."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

PROGRAM = """import numpy as np

def f(x, y, n):
    total = 0.0
    for i in range(n):
        z = {operand}
        r = np.{reduction}(z, axis={axis}{keep})
        y[i] = r.sum()
        total = total + r.max()
    return total, y
"""

AXES = "(0, 1)", "(1, 2)", "(2, 3)", "(1, 2, 3)", "(0, 1, 2)", "(-1, -2)", "(2, 1)", "(0, 1, 2, 3)"

OTHERS = "()", "(0, 2)", "(1, 3)", "(0, 1, 3)"

OPERANDS = "x * (i + 0.3)", "x", "x[:, 1:] - 1.5", "x.transpose(2, 1, 0, 3)"

SHAPES = (3, 4, 5, 6), (2, 30, 3, 20), (2, 2, 2, 2), (3, 1, 4, 5), (1, 2, 3, 1), (2, 3, 0, 4)


def outcomes(function: Any, operand: str) -> list[Any]:
    random = np.random.default_rng(0)
    return [outcome(function, (random.normal(size=shape), np.zeros(3), np.int64(3)))
            for shape in SHAPES]


@pytest.mark.parametrize("keep", ["", ", keepdims=True"])
@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("reduction", ["sum", "mean", "max", "prod"])
@pytest.mark.parametrize("axis", AXES + OTHERS)
def test_as_plain(axis: str, reduction: str, operand: str, keep: str,
                  monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = PROGRAM.format(operand=operand, reduction=reduction, axis=axis, keep=keep)
    plain = load(source, f"<axes {hash(source)}>")
    assert outcomes(ag.function(plain, jit_compile=True), operand) == outcomes(plain, operand)


@pytest.mark.parametrize("axis", AXES[:7])
def test_as_machine_code(axis: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    source = PROGRAM.format(operand="x * (i + 0.3)", reduction="sum", axis=axis, keep="")
    ag.function(load(source, f"<native axes {axis}>"), jit_compile=True)(
        np.ones((3, 4, 5, 6)), np.zeros(3), np.int64(3))
    assert told == [True]
