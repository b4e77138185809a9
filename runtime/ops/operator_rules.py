"""Type rules of ufuncs and Python's operators, which ask NumPy and Python once per case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import Any

import numpy as np

from autograph.runtime.ir.types import (
    DYNAMIC,
    PY_NUMBERS,
    ArrayType,
    DynamicType,
    PyType,
    Type,
    type_of,
)
from autograph.runtime.ops.type_rules import (
    Kind,
    NotKnown,
    array_of,
    as_type,
    broadcast,
    is_numpy,
    join_all,
    kind_of,
    unboxed,
)


@cache
def is_predicate(ufunc: np.ufunc) -> bool:
    """Returns True if the ufunc gives bool for all numbers that it takes."""
    loops = [loop for loop in ufunc.types if "O" not in loop]
    return all(loop.endswith("->?") for loop in loops)


@lru_cache(maxsize=4096, typed=True)  # NumPy has several dtypes for 64 bits, all equal
def ufunc_dtypes(ufunc: np.ufunc, *kinds: Kind | None) -> tuple[np.dtype[Any] | None, ...]:
    """Returns the dtypes of a ufunc's outputs; raises NumPy's TypeError if no loop fits."""
    if any(k is None for k in kinds):
        known = np.dtype(bool) if is_predicate(ufunc) else None
        return (known,) * ufunc.nout
    try:
        return tuple(ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout))[ufunc.nin:])
    except TypeError:
        if all(not isinstance(k, np.dtype) or k.kind in "biufc" for k in kinds):
            raise
        raise NotKnown from None  # `==` of strings and numbers has no loop, but an answer


@lru_cache(maxsize=8192)
def ufunc_type(ufunc: np.ufunc, *types: Type) -> Type | tuple[Type, ...]:
    """Returns the type of a ufunc's result for operands of these types."""
    try:
        dtypes = ufunc_dtypes(ufunc, *map(kind_of, types))
        shape = broadcast(*(t.shape if isinstance(t, ArrayType) else () for t in types))
    except NotKnown:
        return DYNAMIC if ufunc.nout == 1 else (DYNAMIC,) * ufunc.nout
    out = tuple(unboxed(d, shape) for d in dtypes)
    return out[0] if len(out) == 1 else out


REPRESENTATIVES: dict[type, Sequence[Any]] = {
    bool: (True, False), int: (2, -3, 1), float: (2.5, -1.5), complex: (1 + 2j,), str: ("a",),
    bytes: (b"a",), type(None): (None,), range: (range(3),),
}
"""Objects of each class: an operator's result class on them is its result class on all."""


@lru_cache(maxsize=1024)
def python_type(fn: Callable[..., Any], *classes: type) -> Type:
    """Returns the type of a Python operator's result on objects of these classes, by trying."""
    if any(c not in REPRESENTATIVES for c in classes):
        return DYNAMIC
    found: list[Type] = []
    failures: list[Exception] = []
    for values in product(*(REPRESENTATIVES[c] for c in classes)):
        try:
            found.append(type_of(fn(*values)))
        except (TypeError, ArithmeticError, ValueError) as error:
            failures.append(error)
    if found:
        return join_all(found)
    if all(isinstance(e, TypeError) for e in failures) and all(c in PY_NUMBERS for c in classes):
        raise failures[0]
    return DYNAMIC


@lru_cache(maxsize=8192)
def operator_type(fn: Callable[..., Any], ufunc: np.ufunc, *types: Type) -> Type:
    """Returns the type of a Python operator's result: NumPy's if an operand is NumPy's."""
    if any(map(is_numpy, types)):
        out = ufunc_type(ufunc, *types)
        assert not isinstance(out, tuple)
        python_may_answer = types[0] == PyType(complex) and may_be_float64(types[-1])
        return unboxed(None, out.shape) if python_may_answer and isinstance(out, ArrayType) else out
    if all(isinstance(t, PyType) for t in types):
        return python_type(fn, *(t.cls for t in types if isinstance(t, PyType)))
    if any(isinstance(t, DynamicType) or (isinstance(t, PyType) and t.cls not in PY_NUMBERS)
           for t in types):
        return DYNAMIC
    shapes = (t.shape if isinstance(t, ArrayType) else () for t in types)
    return unboxed(None, broadcast(*shapes))


def may_be_scalar(t: Type) -> bool:
    """Returns True if the value may be a NumPy scalar, which NumPy does not always compute with.

    `1j + np.float64(1)` is Python's, since a float64 is a Python float; `[1, 2] * np.int64(2)` too.
    """
    return isinstance(t, ArrayType) and (t.shape is None or t.scalar)


def may_be_float64(t: Type) -> bool:
    """Returns True if the value may be a float64 as a scalar, the only one with which Python's
    complex numbers compute by themselves."""
    return may_be_scalar(t) and isinstance(t, ArrayType) and t.dtype in (None, np.dtype(float))


def operands(args: Sequence[Any]) -> list[Type]:
    """Returns the types of an operator's operands. A list beside an array is an array, as it is
    beside a NumPy number but an integer, which would repeat the list."""
    types = [DYNAMIC if isinstance(a, SEQUENCES) else as_type(a) for a in args]
    if not any(is_numpy(t) and not _may_repeat(t) for t in types):
        return types
    return [array_of(a) if isinstance(a, SEQUENCES) else t
            for a, t in zip(args, types, strict=True)]


def _may_repeat(t: Type) -> bool:
    return may_be_scalar(t) and isinstance(t, ArrayType) and (
        t.dtype is None or t.dtype.kind in "biu")


SEQUENCES = (list, tuple, range)
