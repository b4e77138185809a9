"""Kinds of values in an exported graph: a dtype, or the class of a Python number, which is weak."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from autograph.runtime.ir.types import PyType, Type
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.type_rules import WEAK, Kind

NUMBERS = (bool, int, float, complex, np.generic, np.ndarray)
"""Classes of constants that an exported graph can hold as an array."""
COMPARISONS = frozenset({op.ufunc for op in OPS.values() if op.comparison} - {None})
NARROW = tuple(map(np.dtype, ("i1", "i2", "i4", "i8", "u1", "u2", "u4")))
"""The integers that int64 holds."""


def is_number(x: Any) -> bool:
    """Returns True for a constant that is a number or an array of numbers."""
    return isinstance(x, NUMBERS) and np.asarray(x).dtype.kind in "biufc"


def kind_of_constant(x: Any) -> Kind:
    """Returns the kind of a number or array.

    >>> kind_of_constant(2), kind_of_constant(True), kind_of_constant(np.float32(1))
    (<class 'int'>, dtype('bool'), dtype('float32'))
    """
    return type(x) if type(x) in WEAK else np.asarray(x).dtype


def kind_of_type(t: Type) -> Kind | None:
    """Returns the kind that a Python number's type stands for; None for any other type."""
    if isinstance(t, PyType):
        return np.dtype(bool) if t.cls is bool else t.cls if t.cls in WEAK else None
    return None


def dtype_of(kind: Kind) -> np.dtype[Any]:
    """Returns the dtype that an array of this kind has.

    >>> dtype_of(int), dtype_of(np.dtype("float32"))
    (dtype('int64'), dtype('float32'))
    """
    return kind if isinstance(kind, np.dtype) else WEAK[kind]


def kind_name(kind: Kind | None) -> str:
    """Returns a kind as text to compare: to NumPy, None and `float` equal float64.

    >>> kind_name(float), kind_name(np.dtype(float)), kind_name(None)
    ('float', '<f8', '')
    """
    return "" if kind is None else kind.str if isinstance(kind, np.dtype) else kind.__name__


def join(a: Kind, b: Kind) -> Kind:
    """Returns the kind of a value that is of one kind on one path, and of another on the other.

    >>> join(int, float), join(int, np.dtype("float32"))
    (<class 'float'>, dtype('float32'))
    """
    if kind_name(a) == kind_name(b):
        return a
    if isinstance(a, np.dtype) or isinstance(b, np.dtype):
        return np.result_type(*(k if isinstance(k, np.dtype) else k(0) for k in (a, b)))
    return max(a, b, key=list(WEAK).index)


def computes_alike(a: Kind, b: Kind) -> bool:
    """Returns True if what is computed of a value of either kind is so of one of their common kind.

    That holds for a Python number that becomes an array's float: its arithmetic has no width. It
    does not for two dtypes: uint8 wraps where float64 does not, and float32 has fewer digits.

    >>> computes_alike(int, np.dtype("float32")), computes_alike(int, np.dtype("int64"))
    (True, True)
    >>> computes_alike(int, np.dtype("int8")), computes_alike(*map(np.dtype, ("uint8", "float64")))
    (False, False)
    """
    if dtype_of(a) == dtype_of(b):
        return True
    given = [k for k in (a, b) if isinstance(k, np.dtype)]
    weak = [dtype_of(k) for k in (a, b) if not isinstance(k, np.dtype)]
    return not given or (len(weak) == 1 and given[0].kind in "fc"
                         and "ifc".index(weak[0].kind) <= "ifc".index(given[0].kind))


def join_all(*kinds: Kind) -> Kind:
    """Returns the kind of a value that is one of several."""
    return reduce(join, kinds)


def loop_of(ufunc: np.ufunc, *kinds: Kind) -> tuple[np.dtype[Any], ...]:
    """Returns the dtypes of the loop that NumPy takes: of the operands, then of the results.

    >>> loop_of(np.add, np.dtype("int32"), np.dtype("float32"))
    (dtype('float64'), dtype('float64'), dtype('float64'))
    >>> loop_of(np.add, np.dtype("float32"), int)
    (dtype('float32'), dtype('float32'), dtype('float32'))

    Comparisons of integers with a Python int are exact, whatever fits the dtype:

    >>> loop_of(np.less, np.dtype("int8"), int)
    (dtype('int64'), dtype('int64'), dtype('bool'))
    """
    if ufunc in COMPARISONS and all(dtype_of(k) in NARROW for k in kinds) and any(
            k is int for k in kinds):
        kinds = (int, int)
    if all(not isinstance(k, np.dtype) for k in kinds):
        kinds = tuple(map(dtype_of, kinds))
    return tuple(ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout)))
