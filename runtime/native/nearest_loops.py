"""Inner loops over vectors, for functions that NumPy asks the C library for element by element.

A formula finds the nearest float of eight results at once, and tells of which it is sure: the C
library gives that float, too, as it is off by little more than half a unit in the last place. Where
it is not sure, of some elements in a hundred, NumPy's loop is asked. So the bits are NumPy's.

Kernels find the loop through a cell. NumPy's is in it, until this one was compiled, in a thread,
and gave the same bits in less time on a few thousand floats. Where NumPy has vectors of its own,
as for `exp` with AVX-512, those stay.
"""

from __future__ import annotations

import ctypes
import platform
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from autograph.runtime.native import compiler
from autograph.runtime.native.inner_loops import LOOP, InnerLoop, call_loop, inner_loop, same_bits
from autograph.runtime.native.kinds import COMPLEX, FLOAT
from autograph.runtime.native.nearest_code import Formula, text
from autograph.runtime.native.nearest_floats import (
    complex_exp,
    cos,
    exp,
    is_product,
    log,
    power,
    power_of,
    sin,
)
from autograph.runtime.native.numpys_tanh import table, tanh

FORMULAS: dict[Any, Formula] = {
    np.exp: Formula(exp, 0.511 + 0.01),
    np.log: Formula(log, 0.519 + 0.005),
    np.sin: Formula(sin, 0.55),
    np.cos: Formula(cos, 0.55),
    np.power: Formula(power, 0.523 + 0.02),
    np.tanh: Formula(tanh, 0, table)}
"""That of `tanh`, for which NumPy has vectors, is NumPy's own."""

COMPLEX_FORMULAS: dict[Any, Formula] = {np.exp: Formula(complex_exp, 0.55)}
"""The C library multiplies its exponential by its cosine and its sine."""


def quick_loop(ufunc: Any, dtypes: tuple[np.dtype[Any], ...], second: object = None
               ) -> InnerLoop | None:
    """Returns the inner loop for these dtypes, which is one over vectors as soon as that stands.

    `second`: the second operand, if it is a number that is known.
    """
    is_special = ufunc is np.power and isinstance(second, (int, float)) and is_product(second)
    return _quick_loop(ufunc, dtypes, second if is_special else None)


@cache
def _quick_loop(ufunc: Any, dtypes: tuple[np.dtype[Any], ...], exponent: float | None
                ) -> InnerLoop | None:
    found = inner_loop(ufunc, dtypes)
    formula = formula_of(ufunc, exponent, dtypes[0])
    if found is None or formula is None or not all(has_formula(ufunc, d) for d in dtypes):
        return found
    cell = ctypes.c_uint64(found.address)
    _cells.append(cell)
    tried = [formula]
    if exponent is not None and float(exponent).is_integer():
        tried.append(formula._replace(off=0.518, negative=True))
    compiler.later(lambda: _fill(cell, tried, ufunc, found, exponent))
    told = "" if exponent is None else f" {exponent}"
    return found._replace(cell=ctypes.addressof(cell), name=found.name + told)


def has_formula(ufunc: Any, dtype: np.dtype[Any]) -> bool:
    """Returns True if a ufunc may have a loop over vectors here."""
    return formula_of(ufunc, None, dtype) is not None and _is_possible()


def formula_of(ufunc: Any, exponent: float | None, dtype: np.dtype[Any] = FLOAT) -> Formula | None:
    """Returns the formula of a ufunc; of a power, for one exponent or for all."""
    if exponent is not None:
        return Formula(power_of(exponent), 0.524)
    return {FLOAT: FORMULAS, COMPLEX: COMPLEX_FORMULAS}.get(dtype, {}).get(ufunc)


_cells: list[ctypes.c_uint64] = []
"""Cells last as long as the process: machine code has their addresses."""

_engines: list[Any] = []


@cache
def _is_possible() -> bool:
    """Returns True if the processor multiplies and adds with one rounding, and the C library is
    the one that is known."""
    library, version = platform.libc_ver()
    return library == "glibc" and tuple(map(int, version.split(".")[:2])) >= (2, 28) and (
        compiler.multiplies_and_adds())


def _fill(cell: ctypes.c_uint64, formulas: list[Formula], ufunc: Any, loop: InnerLoop,
          exponent: float | None) -> None:
    """Puts the loop of the first formula that is better than NumPy's into a cell."""
    for formula in formulas:
        if formula.table() is None:
            continue
        dtype = COMPLEX if formula in COMPLEX_FORMULAS.values() else FLOAT
        engine, address = compiler.compile_module(text(formula, ufunc, loop, dtype), passes="few")
        if is_better(address, ufunc, loop, exponent, dtype, signed=formula.negative):
            _engines.append(engine)
            cell.value = address
            return


# -- trial -----------------------------------------------------------------------------------------


@cache
def trials(count: int) -> list[np.ndarray[Any, Any]]:
    """Returns operands of a trial: floats of common sizes, of all sizes, and unusual ones."""
    random = np.random.default_rng(0)
    near, wide = random.normal(size=count), random.uniform(-30, 30, count)
    signs = random.choice([-1.0, 1.0], count)
    angles = np.rint(wide * 2000) * (np.pi / 2) + signs * 2.0 ** (wide / 6 - 15)
    unusual = np.resize([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 5e-324, 1e-310, 1e300, 0.5,
                         2.0, 710.0, -746.0, 1e22], count)
    return [near, near * 10, near + 1, wide, signs * 2.0 ** wide, signs * 10.0 ** (10 * wide),
            angles, unusual, np.round(wide)]


def operands(ufunc: Any, exponent: float | None, count: int, dtype: np.dtype[Any] = FLOAT
             ) -> list[list[np.ndarray[Any, Any]]]:
    given = trials(count)
    if dtype == COMPLEX:
        return [[_joined(x, y)] for x in (given[0] * 0, *given[2::2]) for y in given]
    if ufunc.nin == 1:
        return [[x] for x in given]
    if exponent is not None:
        return [[x, np.broadcast_to(float(exponent), count)] for x in given]
    exponents = [np.full(count, 3.0), given[0], np.full(count, -1.5), given[-1][::-1].copy()]
    return [[x, y] for x in given for y in exponents]


def _joined(real: np.ndarray[Any, Any], imag: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns complex numbers of these parts: `real + 1j * imag` has others."""
    made = np.empty(real.shape, COMPLEX)
    made.real, made.imag = real, imag
    return made


def is_better(address: int, ufunc: Any, loop: InnerLoop, exponent: float | None = None,
              dtype: np.dtype[Any] = FLOAT, count: int = 1000, signed: bool = False) -> bool:
    """Returns True if a loop gives the bits of NumPy's, and takes less time: for positive floats,
    or for some of either sign."""
    ours, numpys = called(address, loop.data), called(loop.address, loop.data)
    tried = operands(ufunc, exponent, count, dtype)
    if not all(same_bits(ours(*given), numpys(*given)) for given in tried):
        return False
    usual = np.resize(
        tried[0][0] if dtype == COMPLEX or signed else np.abs(tried[0][0]), 8 * count)
    others = np.resize(tried[0][-1], 8 * count) if exponent is None else (
        np.broadcast_to(float(exponent), 8 * count))
    given = [usual, others][:ufunc.nin]
    return min(_seconds(ours, given) for _ in range(5)) < min(
        _seconds(numpys, given) for _ in range(5))


def _seconds(run: Callable[..., Any], given: list[Any]) -> float:
    start = time.perf_counter()
    run(*given)
    return time.perf_counter() - start


def called(address: int, data: int) -> Callable[..., np.ndarray[Any, Any]]:
    """Returns a function that calls an inner loop on arrays of floats."""
    call = LOOP(address)

    def run(*given: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        arrays = [*given, np.empty_like(given[0])]
        call_loop(call, arrays, len(given[0]), [x.strides[0] for x in arrays], data)
        return arrays[-1]
    return run
