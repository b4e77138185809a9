"""Functions of single floats in loops: NumPy's bits and warnings, whoever computes them."""

import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

from autograph.runtime.native import compiler, library_functions
from autograph.runtime.native.library_functions import NAMES, library_function, operands
from autograph.runtime.native.vector_functions import functions_of_one

F64 = np.dtype(np.float64)
UNUSUAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, -1.0, 1.0, 710.0, -746.0])


def told(f: Any, *given: Any) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = f(*given)
    return found.tobytes(), {str(w.message) for w in caught}


@pytest.mark.parametrize("ufunc", NAMES, ids=lambda u: u.__name__)
def test_same_as_numpys(ufunc: Any) -> None:
    def each(x: Any, y: Any) -> Any:
        out = np.zeros(len(x))
        for i in range(len(x)):
            out[i] = ufunc(x[i]) if ufunc.nin == 1 else ufunc(x[i], y[i])
        return out

    f = ag.function(each, jit_compile=True)
    usual = np.resize(operands(1)[0], 220)
    for x in (np.abs(usual) % 1, usual, np.resize(UNUSUAL, 220)):
        for y in (usual[::-1].copy(), np.repeat(UNUSUAL, 20).copy()):
            assert told(f, x, y) == told(each, x, y)


def test_what_gives_other_bits_stays_numpys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_functions, "NAMES", {np.sin: "cos", np.exp2: "exp"})
    plain = library_function.__wrapped__
    assert plain(np.sin, (F64, F64)) is plain(np.exp2, (F64, F64)) is None
    assert plain(np.exp, (F64, F64)) is None
    assert library_function(np.cos, (np.dtype(np.float32),) * 2) is None


@pytest.mark.parametrize("name", ["exp", "log", "tan", "asin", "acosh"])
def test_numpys_functions_of_vectors_are_asked_for_one_float(name: str) -> None:
    """Where NumPy has them and calls them: with the bits of an array, and no other exception."""
    if list(functions_of_one(name, 1)):
        (ufunc,) = (u for u, known in NAMES.items() if known == name)
        assert library_function(ufunc, (F64, F64)) is not None


def test_other_processors_have_no_functions_of_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "processor", lambda: ("x86-64-v3", "+avx2,+fma"))
    assert not list(functions_of_one("exp", 1))
