"""The machine: addresses of C functions, and offsets into arrays, each probed before it is used.

The offsets of `PyArrayObject` are those of NumPy's public headers on 64-bit
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

ARRAY_DATA, ARRAY_RANK, ARRAY_DIMENSIONS, ARRAY_STRIDES = 16, 24, 32, 40
ARRAY_DTYPE, ARRAY_FLAGS = 56, 64

RANGE_PARTS = 16, 24, 32
"""Offsets of start, stop and step in a Python `range`."""

INVALID, DIVIDE, OVERFLOW = 1, 4, 8
FLAGS = INVALID | DIVIDE | OVERFLOW
"""The floating-point exceptions that NumPy warns of, as x86 numbers them."""

UNDERFLOW = 16
"""The one that it warns of only where it is asked to."""


KINDS = {INVALID: "invalid", DIVIDE: "divide", OVERFLOW: "over", UNDERFLOW: "under"}
"""What NumPy calls the exceptions."""


def is_excused(raised: int) -> bool:
    """Returns True if NumPy ignores the floating-point exceptions that were raised."""
    how: dict[str, Any] = dict(np.geterr())
    return all(how[kind] == "ignore" for bit, kind in KINDS.items() if raised & bit)


RAISED = 8
"""The bits of what a kernel returns from this one on are the exceptions of floats that it raised;
the bits before tell why it leaves."""


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
    if not _ranges_are_known():
        return "this Python lays out its ranges in another way"
    return ""


def word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _arrays_are_known() -> bool:
    for x in (np.arange(12.0).reshape(3, 4)[:, ::-2], np.zeros((2, 0), np.int8), np.ones(3).T):
        dims, strides = word(id(x) + ARRAY_DIMENSIONS), word(id(x) + ARRAY_STRIDES)
        if word(id(x) + ARRAY_DATA) != x.__array_interface__["data"][0]:
            return False
        if tuple(word(dims + 8 * k) for k in range(x.ndim)) != x.shape:
            return False
        if word(id(x) + ARRAY_DTYPE) != id(x.dtype) or ctypes.c_int32.from_address(
                id(x) + ARRAY_RANK).value != x.ndim:
            return False
        if ctypes.c_int32.from_address(id(x) + ARRAY_FLAGS).value != x.flags.num:
            return False
        if tuple(word(strides + 8 * k) for k in range(x.ndim)) != x.strides:
            return False
    return True


def _ranges_are_known() -> bool:
    start, stop, step = 10 ** 6, 10 ** 7, 10 ** 5
    x = range(start, stop, step)
    return all(word(id(x) + offset) == id(part)
               for offset, part in zip(RANGE_PARTS, (start, stop, step), strict=True))


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
