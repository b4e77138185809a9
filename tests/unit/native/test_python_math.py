"""Functions of Python's `math` in loops: its bits, its classes, its errors."""

import linecache
import math
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.python_math import IN_LIBRARY, ROUNDED, TOLD
from tests.support.native import compile_short_loops
from tests.support.outcome import seen

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

FUNCTIONS = [*IN_LIBRARY, *ROUNDED, *TOLD, math.sqrt, math.fabs]
SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0, -1.0, 710.0, 1e308, 5e-324]


def program(function: Any) -> Any:
    given = "x[i], y[i]" if IN_LIBRARY.get(function) == 2 else "x[i]"
    source = (f"def on_each(x, y, out):\n    for i in range(len(x)):\n"
              f"        out[i] = math.{function.__name__}({given})\n    return out\n")
    name, scope = f"<{function.__name__} on each>", {"math": math}
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    exec(compile(source, name, "exec"), scope)
    return scope["on_each"]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "?"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_results_and_errors_are_pythons(function, dtype, monkeypatch):
    compile_short_loops(monkeypatch)
    plain, random = program(function), np.random.default_rng(0)
    compiled = ag.function(plain, jit_compile=True)
    for scale in (0.9, 1.0, 100.0, 1e-3, 1e6):
        x, y = (np.abs(random.standard_normal(20) * scale).astype(dtype) for _ in range(2))
        assert seen(compiled, (x, y, np.zeros(20))).describe() == seen(
            plain, (x, y, np.zeros(20))).describe()
    for number in SPECIAL if dtype == "f8" else ():
        x = np.array([0.5, number, 0.25])
        calls = [seen(f, (x, x[::-1].copy(), np.zeros(3))).describe() for f in (compiled, plain)]
        assert calls[0] == calls[1]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_they_have_machine_code(function, monkeypatch):
    compile_short_loops(monkeypatch)
    compiled = ag.function(program(function), jit_compile=True)
    concrete = compiled.get_concrete_function(np.full(9, 0.5), np.full(9, 0.5), np.zeros(9))
    assert [why for _, why in concrete.native_loops] == [""]
