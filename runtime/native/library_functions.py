"""Functions of the C library, or of NumPy's own, in place of ufuncs on single floats.

NumPy's inner loops ask the C library for most functions, one element after the other, or functions
of vectors. To call a loop for one float takes as long again as the function, or longer, so the
function itself is called where the loop gives its results: the same bits on thousands of floats,
the same exceptions on unusual ones.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from autograph.runtime.native.inner_loops import (
    FLOATS,
    LOOP,
    call_loop,
    loop_for_numbers,
    same_bits,
)
from autograph.runtime.native.llvm_ir import Value
from autograph.runtime.native.machine import FLAGS, UNDERFLOW, c_function
from autograph.runtime.native.symbols import library
from autograph.runtime.native.vector_functions import functions_of_one

NAMES: dict[Any, str] = {
    **{u: u.__name__ for u in (
        np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sin, np.cos, np.tan,
        np.sinh, np.cosh, np.tanh, np.cbrt, np.hypot, np.fmod)},
    np.arcsin: "asin", np.arccos: "acos", np.arctan: "atan", np.arctan2: "atan2",
    np.arcsinh: "asinh", np.arccosh: "acosh", np.arctanh: "atanh"}
"""What the C library calls the functions."""

MANY, SOME = 600, 50


@cache
def library_function(ufunc: Any, dtypes: tuple[np.dtype[Any], ...]) -> Value | None:
    """Returns the function of floats that gives what a ufunc gives of single numbers of these
    dtypes; None if there is none."""
    name = NAMES.get(ufunc)
    if name is None or any(d != np.float64 for d in dtypes) or (
            loop_for_numbers(ufunc, dtypes) is None):
        return None
    return next((function for function, asked in _candidates(name, ufunc.nin)
                 if _gives_the_same(ufunc, asked) and _raises_the_same(ufunc, dtypes, asked)), None)


def _candidates(name: str, inputs: int) -> Iterator[tuple[Value, Any]]:
    """Yields functions for machine code, and for Python."""
    yield library(name), c_function(name, inputs, ctypes.c_double)
    yield from functions_of_one(name, inputs)


def _gives_the_same(ufunc: Any, asked: Any) -> bool:
    """Compares the results for usual floats: of numbers, and of arrays."""
    usual = operands(ufunc.nin)
    some = [x[:SOME] for x in usual]

    def each(function: Any, given: list[Any]) -> np.ndarray[Any, Any]:
        return np.array([function(*xs) for xs in zip(*[x.tolist() for x in given], strict=True)])

    with np.errstate(all="ignore"):
        return same_bits(each(asked, some), each(ufunc, some)) and (
            same_bits(each(asked, usual), ufunc(*usual)))


def operands(count: int) -> list[np.ndarray[Any, Any]]:
    """Returns floats of common sizes, near 1, and of all sizes."""
    random = np.random.default_rng(0)
    parts = [random.normal(size=MANY), random.uniform(-30, 30, MANY), random.uniform(0, 2, MANY),
             random.normal(size=MANY) * 10.0 ** random.uniform(-300, 300, MANY)]
    mixed = np.stack(parts, axis=1).ravel()
    return [mixed[k::2 * count] for k in range(count)]


def _raises_the_same(ufunc: Any, dtypes: tuple[np.dtype[Any], ...], asked: Any) -> bool:
    """Compares the results for unusual floats, and the exceptions that are raised."""
    loop = loop_for_numbers(ufunc, dtypes)
    assert loop is not None
    call, clear = LOOP(loop.address), c_function("feclearexcept", 1)
    raised = c_function("fetestexcept", 1)
    for given in product((*FLOATS, 710.0, -746.0, 5e-324), repeat=ufunc.nin):
        arrays = [np.array([x]) for x in (*given, 0.0)]
        clear(0x3d)
        call_loop(call, arrays, 1, [0] * len(arrays), loop.data)
        expected = raised(FLAGS | UNDERFLOW)
        clear(0x3d)
        found = asked(*given)
        told = raised(FLAGS | UNDERFLOW)
        if told != expected or not same_bits(np.array([found]), arrays[-1]):
            clear(0x3d)
            return False
    clear(0x3d)
    return True
