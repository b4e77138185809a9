"""NumPy's C functions that kernels call, from the table that NumPy exports, each probed."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from autograph.runtime.native.machine import word

ARRAY_NEW, ARRAY_SCALAR, ARRAY_COPY = 93, 60, 85
"""Positions in the table: `PyArray_New`, `PyArray_Scalar`, `PyArray_NewCopy`; they are
part of NumPy's stable ABI."""

SCALAR_VALUE = 16
"""Offset of the value in a NumPy scalar, and in Python's float."""


@cache
def numpy_function(position: int) -> int:
    """Returns the address of a function of NumPy's table."""
    capsule = np._core._multiarray_umath._ARRAY_API  # type: ignore[attr-defined]
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return word(get(capsule, None) + 8 * position)


@cache
def is_known() -> bool:
    """Returns True if the functions make what they are asked for, and scalars lie as expected."""
    return _makes_arrays() and _makes_scalars() and _makes_copies()


def _makes_arrays() -> bool:
    new = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p, ctypes.c_int,
        *[ctypes.c_void_p] * 2, *[ctypes.c_int] * 2, ctypes.c_void_p)(numpy_function(ARRAY_NEW))
    dims = (ctypes.c_int64 * 2)(3, 4)
    made: Any = new(np.ndarray, 2, ctypes.addressof(dims), np.dtype(np.float32).num, None, None, 0,
                    0, None)
    return type(made) is np.ndarray and made.shape == (3, 4) and made.dtype == np.float32 and (
        bool(made.flags.carray))


def _makes_copies() -> bool:
    copy = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.c_int)(
        numpy_function(ARRAY_COPY))
    x = np.arange(6.0).reshape(2, 3)
    made: Any = copy(x, 2)
    return type(made) is np.ndarray and made.tobytes() == x.tobytes() and (
        not np.shares_memory(made, x) and made.strides == x.strides)


def _makes_scalars() -> bool:
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
        numpy_function(ARRAY_SCALAR))
    for x in (np.float64(2.5), np.float32(-1.5), np.int64(-7), np.uint8(200), np.bool_(True)):
        raw = ctypes.create_string_buffer(x.tobytes(), 8)
        made = new(ctypes.addressof(raw), x.dtype, None)
        if type(made) is not type(x) or made != x:
            return False
        if ctypes.string_at(id(x) + SCALAR_VALUE, x.itemsize) != x.tobytes():
            return False
    return ctypes.c_double.from_address(id(1.25) + SCALAR_VALUE).value == 1.25
