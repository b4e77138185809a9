"""Indexing ops: `x[i]`, and the stores `x[i] = v` as functions from array to array."""

from __future__ import annotations

import copy
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.runtime.ir.types import DYNAMIC, PY_NUMBERS, ArrayType, Dim, PyType, Shape, Type
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.op import Op, define
from autograph.runtime.ops.samples import (
    BITS,
    CUBE,
    INTS,
    MASK,
    MATRIX,
    OTHER,
    POINT,
    SCALAR,
    VECTOR,
    call,
)
from autograph.runtime.ops.type_rules import NotKnown, array_of, as_type, rule

# -- the type of x[index] -------------------------------------------------------------------------


@dataclass
class Walk:
    """The state while an index consumes the dims of an array, from the left."""

    left: list[Dim]
    dims: list[Dim] = field(default_factory=list)
    advanced: list[Shape | None] = field(default_factory=list)  # shapes of the index arrays
    positions: list[int] = field(default_factory=list)  # where in `dims` each index array stands
    numbers: int = 0  # how many were single integers
    order: list[str] = field(default_factory=list)  # "a" or "." per index, to see what adjoins

    def take(self) -> Dim:
        if not self.left:
            raise IndexError("too many indices for array")
        return self.left.pop(0)


def index_shape(shape: Shape, index: Any) -> tuple[Shape, bool]:
    """Returns the shape of `x[index]`, and True if the result is a scalar where it is empty."""
    if index.__class__ is int and shape:
        return shape[1:], True
    parts = list(index) if isinstance(index, tuple) else [index]
    has_ellipsis = any(p is Ellipsis for p in parts)
    if not has_ellipsis:
        parts.append(Ellipsis)
    rest = len(shape) - sum(map(_consumes, parts))
    if rest < 0:
        raise IndexError(f"too many indices for array: array is {len(shape)}-dimensional, but "
                         f"{len(shape) - rest} were indexed")
    walk = Walk(list(shape))
    for part in parts:
        _step(walk, part, rest)
    return _finish(walk), not has_ellipsis


def _consumes(part: Any) -> int:
    """Returns how many dims of the array an item of the index consumes."""
    if part is Ellipsis or part is None:
        return 0
    if isinstance(part, slice) or part.__class__ is int or rules.is_integer(as_type(part)):
        return 1
    t = _index_array(part)
    return rules.rank_of(t) if t.dtype == bool else 1


def _index_array(part: Any) -> ArrayType:
    t = array_of(part)
    if t.dtype is None:
        raise NotKnown  # a mask uses up several dims, and says nothing of the length
    if isinstance(part, (list, tuple)) and t.shape is not None and 0 in t.shape:
        return ArrayType(rules.INTP, t.shape)  # NumPy takes an empty list for integers
    if t.dtype.kind not in "biu":
        raise IndexError("only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) "
                         "and integer or boolean arrays are valid indices")
    return t


def _step(walk: Walk, part: Any, rest: int) -> None:
    if part is None:
        walk.dims.append(1)
    elif part is Ellipsis:
        walk.dims += [walk.take() for _ in range(rest)]
    elif isinstance(part, slice):
        walk.dims.append(sliced(walk.take(), part))
    else:
        _pick(walk, part)
        return
    if part is not Ellipsis or rest:
        walk.order.append(".")


def _pick(walk: Walk, part: Any) -> None:
    walk.order.append("a")
    walk.positions.append(len(walk.dims))
    if part.__class__ is int or rules.is_integer(as_type(part)):
        walk.take()
        walk.numbers += 1
        return
    t = _index_array(part)
    if t.dtype == bool:
        for _ in range(rules.rank_of(t)):
            walk.take()
        walk.advanced.append((None,))
    else:
        walk.take()
        walk.advanced.append(t.shape)


def _finish(walk: Walk) -> Shape:
    if not walk.advanced:
        return tuple(walk.dims)
    try:
        picked = rules.broadcast(*walk.advanced)
    except ValueError as error:
        raise IndexError(f"shape mismatch: indexing arrays: {error}") from None
    if picked is None:
        raise NotKnown
    together = "a.a" not in _squeezed_order(walk.order)
    at = walk.positions[0] if together else 0
    return (*walk.dims[:at], *picked, *walk.dims[at:])


def _squeezed_order(order: Sequence[str]) -> str:
    """Returns the order of index arrays and other items without repeats: `aa..a` gives `a.a`."""
    return "".join(c for i, c in enumerate(order) if i == 0 or c != order[i - 1])


def sliced(length: Dim, s: slice) -> Dim:
    """Returns the length of `x[s]`.

    >>> sliced(10, slice(2, None, 3)), sliced("n", slice(None)), sliced("n", slice(1, None))
    (3, 'n', None)
    """
    if s.start is None and s.stop is None and s.step in (None, 1, -1):
        return length
    ends = (s.start, s.stop, s.step)
    if not isinstance(length, int) or any(isinstance(e, rules.TYPES) for e in ends):
        return 0 if length == 0 else None
    return len(range(*s.indices(length)))


@rule
def getitem_type(x: Any, index: Any) -> Type:
    if isinstance(x, (tuple, list)):
        return _item_of_nest(x, index)
    t = as_type(x)
    if isinstance(t, PyType):
        return _item_of_python(t, index)
    if not isinstance(t, ArrayType):
        return DYNAMIC
    if t.dtype is not None and t.dtype.fields and isinstance(index, str):
        field, *_ = t.dtype.fields[index]
        outer = rules.shape_of(t)
        return rules.unboxed(field.base, (*outer, *field.shape)) if t.scalar else rules.array(
            field.base, (*outer, *field.shape))
    if t.dtype is not None and t.dtype.fields and not t.scalar and _names_fields(index):
        return rules.array(t.dtype[index], rules.shape_of(t))
    if t.dtype is not None and t.dtype.kind in "OV":
        return DYNAMIC  # an element may be any object
    try:
        shape, scalar = index_shape(rules.shape_of(t), index)
    except NotKnown:
        return ArrayType(t.dtype, None)
    return rules.unboxed(t.dtype, shape) if scalar else rules.array(t.dtype, shape)


def _names_fields(index: Any) -> bool:
    return index.__class__ is list and bool(index) and all(isinstance(x, str) for x in index)


def _item_of_nest(x: Sequence[Any], index: Any) -> Type:
    if isinstance(index, int):
        item = x[index]
        return DYNAMIC if isinstance(item, (tuple, list, dict)) else as_type(item)
    if rules.is_integer(as_type(index)) and not any(
            isinstance(i, (tuple, list, dict)) for i in x) and x:
        return rules.join_all([as_type(i) for i in x])
    return DYNAMIC


def _item_of_python(t: PyType, index: Any) -> Type:
    if t.cls in (*PY_NUMBERS, type(None)):
        raise TypeError(f"'{t.cls.__name__}' object is not subscriptable")
    if t.cls is range:
        return t if isinstance(index, slice) else rules.INT if rules.is_integer(
            as_type(index)) else DYNAMIC
    return t if t.cls is str else DYNAMIC


INTO = (Ellipsis,)
"""The index at which an operation that writes into an array itself (`x += y`, `np.add(x, y, x)`)
stores its result: all of the array. What a user writes as `x[...,] = y` is stored at `...`."""


def is_basic_index(index: Any) -> bool | None:
    """Returns True if `x[index]` is a view of an array `x`; None if that is not known.

    The index is a nest of constants and types. Integers, slices, `...`, None and names of fields
    make a view; arrays, lists and masks make a copy.
    """
    if not isinstance(index, tuple):
        return _is_basic(index)
    answers = list(map(_is_basic, index))
    return False if False in answers else None if None in answers else True


def _is_basic(part: Any) -> bool | None:
    if part is None or part is Ellipsis or isinstance(part, (slice, str)):
        return True  # a string names a field
    if isinstance(part, (list, tuple)):
        return _names_fields(part)
    if part.__class__ is int:
        return True
    t = as_type(part)
    if isinstance(t, ArrayType):
        unknown = t.shape is None or (t.shape == () and t.dtype is None)
        return None if unknown else t.scalar and rules.is_integer(t)
    return None if t == DYNAMIC else rules.is_integer(t)


# -- stores ---------------------------------------------------------------------------------------


def assign(x: Any, index: Any, value: Any) -> Any:
    """Does `x[index] = value`; returns `x`."""
    x[index] = value
    return x


def setitem(x: Any, index: Any, value: Any) -> Any:
    """Returns a copy of `x` after `x[index] = value`."""
    return assign(copy.copy(x), index, value)


def stored_type(x: Any, /, *rest: Any, **more: Any) -> Type:
    """Returns the type of an array after a store, which keeps dtype and shape."""
    return as_type(x)


@rule
def setitem_type(x: Any, index: Any, value: Any) -> Type:
    t = as_type(x)
    if isinstance(t, ArrayType) and t.scalar and t.dtype is not None:
        raise TypeError(f"'numpy.{t.dtype.name}' object does not support item assignment")
    tuples_are_elements = isinstance(t, ArrayType) and t.dtype is not None and t.dtype.kind in "OV"
    if isinstance(t, ArrayType) and t.shape is not None and not tuples_are_elements:
        _check_store(t, index, value)
    return t


def _check_store(t: ArrayType, index: Any, value: Any) -> None:
    """Raises NumPy's error if the value can certainly not be broadcast to the shape of the item."""
    try:
        item, _ = index_shape(rules.shape_of(t), index)
        given = rules.shape_of(array_of(value))
    except NotKnown:
        return
    if None in item:
        return  # a mask, say, which has other rules
    while given and given[0] == 1 and len(given) > len(item):
        given = given[1:]
    pairs = zip(reversed(item), reversed(given), strict=False)
    differ = any(isinstance(p, int) and isinstance(g, int) and g not in (1, p) for p, g in pairs)
    if differ or (len(given) > len(item) and isinstance(given[0], int)):
        raise ValueError(f"could not broadcast input array from shape {rules.show_shape(given)} "
                         f"into shape {rules.show_shape(item)}")


INDEXED = (
    call(VECTOR, 1), call(MATRIX, -1), call(MATRIX, (1, 2)), call(MATRIX, slice(0, 1)),
    call(CUBE, (Ellipsis, 0)), call(CUBE, (slice(None), None, 1)), call(VECTOR, Ellipsis),
    call(MATRIX, (slice(None), slice(None, None, -1))), call(VECTOR, MASK), call(MATRIX, BITS),
    call(VECTOR, INTS), call(CUBE, (slice(None), INTS)), call(CUBE, (0, slice(None), INTS)),
    call(CUBE, (np.array([0, 1]), slice(1, 3), np.array([[3], [1]]))),
    call(MATRIX, ([0, 1], [2, 2])),
    call(VECTOR, np.int64(2)), call(POINT, ()), call(SCALAR, None), call(VECTOR, np.array(1)),
    call(CUBE, (1, INTS)), call(VECTOR, slice(1, 99)), call(CUBE, (MASK[:2], 0)),
    call(VECTOR, [True, False, True]), call(MATRIX, (Ellipsis, 1, 1)),
)

GETITEM = define(Op("getitem", operator.getitem, getitem_type, "{0}[{1}]",
          (*INDEXED, call("abc", 1), call(range(9), 2), call((VECTOR, 2), 0)),
          onnx=None, view=True,
          doc="`x[i]`; a view of an array if the index is basic (see `is_basic_index`)"))
SETITEM = define(Op("setitem", setitem, setitem_type, "",
          (*(call(x, i, 0) for (x, i), _ in INDEXED if x is not SCALAR),
           call(VECTOR, slice(0, 2), OTHER[:2]), call(MATRIX, 1, VECTOR), call(CUBE, 0, POINT),
           call(VECTOR, MASK, [7, 8])),
          onnx=None, inplace=assign, stores_at=True, doc="the array after `x[i] = v`"))
