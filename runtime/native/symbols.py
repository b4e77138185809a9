"""Symbols: what machine code finds in the process by name, when it is loaded.

No address stands in the text of a kernel: it is the same in every process, and so is the machine
code that is made of it. Where a name leads to is decided in the process that wrote the text: each
address has been probed there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from autograph.runtime.native import llvm_ir
from autograph.runtime.native.llvm_ir import I64, Value
from autograph.runtime.native.machine import address_of, c_function
from autograph.runtime.native.numpy_api import numpy_function

_addresses: dict[str, int] = {}
"""The address behind each name."""


def symbol(name: str, address: int) -> Value:
    """Returns the pointer to an address; a name that means another one already gets a number."""
    unique, count = name, 1
    while _addresses.setdefault(unique, address) != address:
        count += 1
        unique = f"{name} {count}"
    return llvm_ir.symbol(unique)


def addresses_of(text: str) -> Iterator[tuple[str, int]]:
    """Yields the symbols in a text, and where they lead to."""
    for name in llvm_ir.symbols_in(text):
        yield name, _addresses[name[1:]]


def as_number(pointer: Value) -> Value:
    """Returns the address of a symbol as a number."""
    return Value(I64, f"ptrtoint ({pointer} to i64)")


@cache
def python(name: str) -> Value:
    """Returns a function of Python's C interface."""
    return symbol(name, address_of(getattr(ctypes.pythonapi, name)))


@cache
def library(name: str) -> Value:
    """Returns a function of the C library."""
    return symbol(f"c {name}", address_of(getattr(ctypes.CDLL(None), name)))


@cache
def float_exceptions(name: str) -> Value:
    """Returns a function of the C library that takes floating-point exceptions."""
    return symbol(f"c {name}", address_of(c_function(name, 1)))


@cache
def numpy(position: int) -> Value:
    """Returns a function of NumPy's table."""
    return symbol(f"numpy {position}", numpy_function(position))


def thing(x: Any) -> Value:
    """Returns an object that lasts as long as the process: a class, a dtype of NumPy's own, a
    constant of Python."""
    if isinstance(x, type):
        return symbol(f"class {x.__module__}.{x.__qualname__}", id(x))
    return symbol(f"dtype {x.str}" if isinstance(x, np.dtype) else f"object {x!r}", id(x))
