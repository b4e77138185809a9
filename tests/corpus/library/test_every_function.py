"""Every public function of NumPy's modules and of SciPy, called simply, twice with other values.

Those without a record of an op are called as they are when the graph runs. A part of the functions
runs each time; all of them with

    AUTOGRAPH_TESTS=1000 python -m pytest -n 2 tests/corpus/library/test_every_function.py
"""

import re
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import autograph as ag
from tests.corpus.numpy.rows import function_of
from tests.support.amount import one_of
from tests.support.outcome import run

EVERY = one_of(16)
"""One function of so many is called."""

NUMPY = ("numpy", "numpy.linalg", "numpy.fft", "numpy.char", "numpy.strings", "numpy.ma",
         "numpy.lib.scimath", "numpy.lib.stride_tricks", "numpy.polynomial.polynomial",
         "numpy.polynomial.chebyshev", "numpy.polynomial.legendre", "numpy.polynomial.hermite",
         "numpy.polynomial.laguerre")
SCIPY = ("scipy.special", "scipy.linalg", "scipy.optimize", "scipy.integrate", "scipy.signal",
         "scipy.ndimage", "scipy.stats", "scipy.interpolate", "scipy.spatial", "scipy.sparse")

VECTOR, WEIGHTS = np.array([0.5, 2.0, 1.25]), np.array([0.75, 0.25, 0.5])
SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
WHOLE, MASK = np.array([2, 0, 1]), np.array([True, False, True])
WORDS, COMPLEX = np.array(["pear", "fig", "kiwi"]), np.array([1 + 2j, 3, -1j])
ARGUMENTS: list[tuple[Any, ...]] = [
    (VECTOR,), (SQUARE,), (WHOLE,), (WORDS,), (COMPLEX,), (MASK,), (VECTOR, WEIGHTS),
    (SQUARE, VECTOR), (VECTOR, WHOLE), (WHOLE, WHOLE[::-1].copy()), (WORDS, WORDS[::-1].copy()),
    (SQUARE, SQUARE + 1), (VECTOR, WEIGHTS, VECTOR[::-1].copy()), (WHOLE, VECTOR, WEIGHTS)]
"""What functions are called with: all of these that they take."""

# What is not called: why, and which functions.
LEFT_OUT: dict[str, frozenset[str]] = {
    "it gives memory that was not written": frozenset({"empty", "empty_like"}),
    "it reads and writes files": frozenset({
        "load", "loadtxt", "save", "savez", "savez_compressed", "savetxt", "fromfile",
        "genfromtxt", "fromregex", "memmap", "open_memmap", "tofile"}),
    "it prints, or is for NumPy's own developers": frozenset({
        "info", "show_config", "show_runtime", "test", "get_include", "bench"}),
    "it changes a setting of NumPy": frozenset({
        "seterr", "seterrcall", "setbufsize", "set_printoptions", "printoptions", "errstate"}),
    "a third argument is recorded as `out`, of which NumPy does not say that it is deprecated":
        frozenset({"maximum", "minimum"}),
    "it walks through memory": frozenset({"nditer", "nested_iters"}),
}
NOT_CALLED = frozenset().union(*LEFT_OUT.values())


def functions(module: ModuleType) -> Iterator[str]:
    """The names of the public functions, each once, that are its own and not those of `numpy`."""
    seen = set(map(id, vars(np).values())) if module is not np else set()
    for name in sorted(getattr(module, "__all__", dir(module))):
        function = undeprecated(module, name)
        if callable(function) and not isinstance(function, type) and not name.startswith("_") and (
                name not in NOT_CALLED and id(function) not in seen):
            seen.add(id(function))
            if crc32(f"{module.__name__}.{name}".encode()) % EVERY == 0:
                yield name


def undeprecated(module: ModuleType, name: str) -> Any:
    """An attribute of a module; None if NumPy warns that it will go, or if there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return getattr(module, name, None)
        except DeprecationWarning:
            return None


def differences(module: ModuleType, name: str) -> Iterator[str]:
    """What differs between plain and traced calls of a function."""
    for arguments in ARGUMENTS:
        if run(getattr(module, name), arguments).error is not None:
            continue
        parameters = list("xyz"[:len(arguments)])
        plain = function_of(f"module.{name}({', '.join(parameters)})", parameters, module=module)
        traced = ag.function(plain)
        for given in (arguments, tuple(map(other, arguments))):
            expected, call = run(plain, given).describe(), run(traced, given)
            found = call.describe()
            if without_addresses(found) != without_addresses(expected):
                yield f"{module.__name__}.{name}{given}:\n  {expected}\n  {found} {call.told}"
                break


def other(x: Any) -> Any:
    """Other values of the same kind."""
    return np.roll(x, 1, axis=0) if x.dtype.kind in "Ub" else x[::-1] * (1 + (x.dtype.kind != "i"))


def without_addresses(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x…", text)


@pytest.mark.parametrize("name", [*NUMPY, *SCIPY])
def test_functions(name: str) -> None:
    module = pytest.importorskip(name, reason="SciPy is not installed")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        found = [text for function in functions(module) for text in differences(module, function)]
    assert found == []
