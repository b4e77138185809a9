"""The machine: addresses of NumPy's inner loops and of C functions, each probed before it is used.

The offsets of `PyUFuncObject` and `PyArrayObject` are those of NumPy's public headers on 64-bit
builds with the GIL. If a probe does not find what Python reports, there is no native code.
"""

from __future__ import annotations

import ctypes
import importlib.util
import platform
import struct
from functools import cache
from typing import Any

import numpy as np

ARRAY_DATA, ARRAY_DIMENSIONS, ARRAY_STRIDES = 16, 32, 40
UFUNC_COUNTS, UFUNC_LOOPS, UFUNC_DATA, UFUNC_NTYPES, UFUNC_TYPES = 16, 32, 40, 48, 64

INVALID, DIVIDE, OVERFLOW = 1, 4, 8
FLAGS = INVALID | DIVIDE | OVERFLOW
"""The floating-point exceptions that NumPy warns of, as x86 numbers them."""


@cache
def missing() -> str:
    """Returns why there is no native code on this machine; empty if there is."""
    if importlib.util.find_spec("llvmlite") is None:
        return "llvmlite is not installed: pip install 'autograph-numpy[native]'"
    if struct.calcsize("P") != 8 or object.__basicsize__ != 16:
        return "this Python is not a 64-bit build with the GIL"
    if platform.machine().lower() not in ("x86_64", "amd64") or platform.system() == "Windows":
        return f"{platform.system()} on {platform.machine()} is not supported yet"
    if not _arrays_are_known() or not _flags_are_known():
        return "this NumPy lays out its arrays in another way"
    return ""


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _arrays_are_known() -> bool:
    for x in (np.arange(12.0).reshape(3, 4)[:, ::-2], np.zeros((2, 0), np.int8), np.ones(3).T):
        dims, strides = _word(id(x) + ARRAY_DIMENSIONS), _word(id(x) + ARRAY_STRIDES)
        if _word(id(x) + ARRAY_DATA) != x.__array_interface__["data"][0]:
            return False
        if tuple(_word(dims + 8 * k) for k in range(x.ndim)) != x.shape:
            return False
        if tuple(_word(strides + 8 * k) for k in range(x.ndim)) != x.strides:
            return False
    return True


def _flags_are_known() -> bool:
    """Tests that the C library tells of a division by zero."""
    clear, test = c_function("feclearexcept", 1), c_function("fetestexcept", 1)
    divide = c_function("logb", 1, ctypes.c_double)
    clear(0x3d)
    before = test(FLAGS)
    divide(0.0)
    found = test(FLAGS)
    clear(0x3d)
    return bool(before == 0 and found == DIVIDE)


@cache
def c_function(name: str, arity: int, of: Any = ctypes.c_int) -> Any:
    """Returns a function of the C library, of so many numbers of one C type."""
    return ctypes.CFUNCTYPE(of, *[of] * arity)((name, ctypes.CDLL(None)))  # Python has it loaded


def address_of(function: Any) -> int:
    """Returns the address of a function that `c_function` or `ctypes.pythonapi` gave."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@cache
def inner_loop(ufunc: Any) -> tuple[int, int, bool] | None:
    """Returns the addresses of the inner loop for float64, and of the data it is called with; True
    if it clears the floating-point exceptions that came before it.

    None if the object in memory is not what Python reports, or if the loop gives other bits than
    the ufunc.
    """
    base, types = id(ufunc), "d" * ufunc.nin + "->" + "d" * ufunc.nout
    counts = [ctypes.c_int32.from_address(base + UFUNC_COUNTS + 4 * k).value for k in range(3)]
    ntypes = ctypes.c_int32.from_address(base + UFUNC_NTYPES).value
    if counts != [ufunc.nin, ufunc.nout, ufunc.nargs] or ntypes != ufunc.ntypes or (
            types not in ufunc.types):
        return None
    numbers = [np.dtype(c).num for t in ufunc.types for c in t.replace("->", "")]
    table = _word(base + UFUNC_TYPES)
    if [ctypes.c_uint8.from_address(table + k).value for k in range(len(numbers))] != numbers:
        return None
    row = ufunc.types.index(types)
    found = (_word(_word(base + UFUNC_LOOPS) + 8 * row), _word(_word(base + UFUNC_DATA) + 8 * row))
    same, keeps = _tried(ufunc, found)
    return (*found, not keeps) if same else None


def _tried(ufunc: Any, loop: tuple[int, int]) -> tuple[bool, bool]:
    """Calls the loop one element at a time, with an exception pending.

    Returns (True if the bits are the ufunc's, True if the exception is still pending).
    """
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(loop[0])
    values = np.array([0.25, 0.5, 0.75, 1.0, -0.5, 0.0, -0.0, 3.5, -7.25, 1e-300, 1e300, np.inf])
    operands = [values, np.roll(values, 5)][:ufunc.nin]
    result = np.empty_like(values)
    with np.errstate(all="ignore"):
        expected = ufunc(*operands)
    clear, test = c_function("feclearexcept", 1), c_function("fetestexcept", 1)
    pending = c_function("logb", 1, ctypes.c_double)
    size, steps = (ctypes.c_int64 * 1)(1), (ctypes.c_int64 * 3)(8, 8, 8)
    kept = True
    for k in range(len(values)):
        pointers = (ctypes.c_void_p * 3)(*[
            x.ctypes.data + 8 * k for x in (*operands, result)])
        clear(0x3d)
        pending(0.0)
        call(pointers, size, steps, loop[1])
        kept = kept and bool(test(DIVIDE))
    clear(0x3d)
    same = (result == expected) | (np.isnan(result) & np.isnan(expected))
    same &= (np.signbit(result) == np.signbit(expected)) | np.isnan(expected)
    return bool(same.all()), kept
