"""NumPy's inner loops: their addresses, each probed before it is used.

The offsets of `PyUFuncObject` are those of NumPy's public headers on 64-bit builds with the GIL.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.native.machine import DIVIDE, c_function, word

UFUNC_COUNTS, UFUNC_LOOPS, UFUNC_DATA, UFUNC_NTYPES, UFUNC_TYPES = 16, 32, 40, 48, 64

CLIP_UFUNC: Any = np._core.umath.clip  # type: ignore[attr-defined]
"""The ufunc behind `np.clip`."""

FLOATS = (0.25, 0.5, 0.75, 1.0, -0.5, 0.0, -0.0, 3.5, -7.25, 1e-300, 1e300, np.inf, np.nan)
INTS = (0, 1, 2, 3, 7, 100, 127)


class InnerLoop(NamedTuple):
    """An inner loop: its address, and that of the data it is called with.

    clears  it clears the floating-point exceptions that came before it.
    """

    address: int
    data: int
    clears: bool


@cache
def is_known(ufunc: Any) -> bool:
    """Returns True for a ufunc of NumPy's own: others may call Python."""
    return ufunc is CLIP_UFUNC or (
        isinstance(ufunc, np.ufunc) and getattr(np, ufunc.__name__, None) is ufunc)


@cache
def inner_loop(ufunc: Any, dtypes: tuple[np.dtype[Any], ...]) -> InnerLoop | None:
    """Returns the inner loop for these dtypes, of the operands and of the results.

    None if there is none, if the object in memory is not what Python reports, or if the loop gives
    other bits than the ufunc.
    """
    base = id(ufunc)
    count, inputs = ufunc.nargs, ufunc.nin
    chars = "".join(d.char for d in dtypes)
    types = f"{chars[:inputs]}->{chars[inputs:]}"
    counts = [ctypes.c_int32.from_address(base + UFUNC_COUNTS + 4 * k).value for k in range(3)]
    ntypes = ctypes.c_int32.from_address(base + UFUNC_NTYPES).value
    if counts != [inputs, ufunc.nout, count] or ntypes != ufunc.ntypes or types not in ufunc.types:
        return None
    numbers = [np.dtype(c).num for t in ufunc.types for c in t.replace("->", "")]
    table = word(base + UFUNC_TYPES)
    if [ctypes.c_uint8.from_address(table + k).value for k in range(len(numbers))] != numbers:
        return None
    row = ufunc.types.index(types)
    address, data = (word(word(base + offset) + 8 * row) for offset in (UFUNC_LOOPS, UFUNC_DATA))
    found = InnerLoop(address, data, False)
    same, keeps = _tried(ufunc, dtypes, found)
    return found._replace(clears=not keeps) if same else None


def samples(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Returns some values of a dtype, the unusual ones among them."""
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            return np.array(FLOATS).astype(dtype)
    if dtype.kind == "b":
        return np.array([True, False, False, True])
    limits = np.iinfo(dtype)
    return np.array([*INTS, limits.min, limits.max, limits.max - 1], dtype)


def _tried(ufunc: Any, dtypes: tuple[np.dtype[Any], ...], loop: InnerLoop) -> tuple[bool, bool]:
    """Calls the loop one element at a time, with an exception pending, and on all of them.

    Returns (True if the bits are the ufunc's, True if the exception is still pending).
    """
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(loop.address)
    given = [samples(d) for d in dtypes[:ufunc.nin]]
    length = max(map(len, given)) + 5
    operands = [np.resize(np.roll(x, 5 * k), length) for k, x in enumerate(given)]
    if ufunc.nin == 2 and dtypes[1].kind in "iu":
        operands[1] = np.abs(operands[1])  # no powers with negative exponents: they raise
    try:
        with np.errstate(all="ignore"):
            expected = ufunc(*operands, signature=dtypes)
    except ValueError:
        return False, False
    arrays = [*operands, np.empty_like(expected)]
    clear, test = c_function("feclearexcept", 1), c_function("fetestexcept", 1)
    pending = c_function("logb", 1, ctypes.c_double)
    kept, found = True, []
    for size, starts in ((1, range(length)), (length, range(1))):
        for k in starts:
            clear(0x3d)
            pending(0.0)
            _call(call, arrays, size, k, loop.data)
            kept = kept and bool(test(DIVIDE))
        found.append(arrays[-1].copy())
    clear(0x3d)
    return all(same_bits(x, expected) for x in found), kept


def _call(call: Any, arrays: list[Any], size: int, start: int, data: int) -> None:
    count = len(arrays)
    pointers = (ctypes.c_void_p * count)(*[
        x.ctypes.data + x.itemsize * start for x in arrays])
    steps = (ctypes.c_int64 * count)(*[x.itemsize for x in arrays])
    call(pointers, (ctypes.c_int64 * 1)(size), steps, data)


def same_bits(x: Any, y: Any) -> bool:
    """Returns True if arrays have the same bits, but for those of NaNs."""
    if x.dtype.kind != "f":
        return bool(np.array_equal(x, y))
    nan = np.isnan(x) & np.isnan(y)
    return bool((((x == y) & (np.signbit(x) == np.signbit(y))) | nan).all())
