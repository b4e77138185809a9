"""Selection ops: elements picked by position, by a mask, or from several arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.types import ArrayType, Dim, Type
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.numpy_op import numpy_op
from autograph.runtime.ops.op import method
from autograph.runtime.ops.samples import (
    BITS,
    CUBE,
    INTS,
    MASK,
    MATRIX,
    OTHER,
    POINT,
    SCALAR,
    TABLE,
    VECTOR,
    call,
)
from autograph.runtime.ops.type_rules import NotKnown, array_of, as_type, rule

POSITIONS = rules.array(rules.INTP, (None,))

@rule
def _take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Type:
    x, i = array_of(a), array_of(indices)
    if x.shape is None or i.shape is None or (axis is not None and isinstance(axis, rules.TYPES)):
        return ArrayType(x.dtype, None)
    at = 0 if axis is None else rules.axis_of(axis, len(x.shape))
    shape = i.shape if axis is None else (*x.shape[:at], *i.shape, *x.shape[at + 1:])
    return rules.unboxed(x.dtype, shape)


@rule
def _take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Type:
    x, i = array_of(arr), array_of(indices)
    if x.shape is None or i.shape is None or axis is None or isinstance(axis, rules.TYPES):
        return rules.array(x.dtype, None)
    at = rules.axis_of(axis, len(x.shape))
    open_dims = tuple(1 if k == at else d for k, d in enumerate(x.shape))
    return rules.array(x.dtype, rules.broadcast(open_dims, i.shape))


@rule
def _where(condition: Any, *choices: Any) -> Type | tuple[Type, ...]:
    test = array_of(condition)
    if not choices:
        rank = rules.rank_of(test)
        if rank < 2:
            raise NotKnown  # a tuple of one array, as it comes
        return (rules.array(rules.INTP, (None,)),) * rank
    x, y = choices
    shape = rules.broadcast(test.shape, array_of(x).shape, array_of(y).shape)
    return rules.array(chosen_dtype(x, y), shape)


def chosen_dtype(*given: Any) -> np.dtype[Any] | None:
    """The dtype of a result made of elements of several arrays and weak Python numbers."""
    return rules.result_type(*map(rules.operand_kind, given))


@rule
def _nonzero(a: Any) -> tuple[Type, ...]:
    rank = rules.rank_of(array_of(a))
    if rank < 2:
        raise NotKnown  # a tuple of one array, as it comes
    return (rules.array(rules.INTP, (None,)),) * rank


def picked(x: Any, *rest: Any, **more: Any) -> Type:
    """Some elements of an array, how many is not known."""
    return rules.array(array_of(x).dtype, (None,))


@rule
def _argwhere(a: Any) -> Type:
    x = array_of(a)
    return rules.array(rules.INTP, (None, None if x.shape is None else len(x.shape)))


@rule
def _clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None,
          dtype: Any = None) -> Type:
    bounds = [b for b in (a_min, a_max, min, max) if b is not None]
    shapes = [array_of(x).shape for x in (a, *bounds)]
    first = a if isinstance(as_type(a), ArrayType) else array_of(a)
    return rules.unboxed(rules.dtype_of(dtype, chosen_dtype(first, *bounds)),
                         rules.broadcast(*shapes))


@rule
def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Type:
    if not isinstance(condlist, (list, tuple)) or not isinstance(choicelist, (list, tuple)):
        raise NotKnown
    shapes = [array_of(x).shape for x in (*condlist, *choicelist, default)]
    return rules.array(chosen_dtype(*choicelist, default), rules.broadcast(*shapes))


@rule
def _compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Type:
    x = array_of(a)
    if axis is None:
        return picked(a)
    shape = list(rules.shape_of(x))
    shape[rules.axis_of(axis, len(shape))] = None
    return rules.array(x.dtype, shape)


@rule
def _delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    return _compress(obj, arr, axis)


@rule
def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    return _compress(obj, arr, axis)


@rule
def _extract(condition: Any, arr: Any) -> Type:
    return picked(arr)


@rule
def _nan_to_num(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None,
                neginf: Any = None) -> Type:
    t = array_of(x)
    return rules.unboxed(t.dtype, t.shape)


@rule
def _unravel_index(indices: Any, shape: Any, order: Any = "C") -> tuple[Type, ...]:
    dims = rules.dims_of(shape)
    if len(dims) < 2:
        raise NotKnown
    return (rules.unboxed(rules.INTP, array_of(indices).shape),) * len(dims)


@rule
def _ix(*args: Any) -> tuple[Type, ...]:
    if len(args) < 2:
        raise NotKnown
    ones = (1,) * len(args)
    return tuple(rules.array(_dtype_of_positions(array_of(x).dtype),
                             (*ones[:at], _length(array_of(x)), *ones[at + 1:]))
                 for at, x in enumerate(args))


def _dtype_of_positions(dtype: np.dtype[Any] | None) -> np.dtype[Any] | None:
    """A mask becomes positions; numbers stay what they are."""
    return rules.INTP if dtype is not None and dtype.kind == "b" else dtype


def _length(x: ArrayType) -> Dim:
    """How many positions an array stands for: a mask may stand for any number."""
    known = x.shape is not None and x.dtype is not None and x.dtype != bool
    return rules.shape_of(x)[0] if known else None


numpy_op(np.take, _take, call(VECTOR, INTS), call(MATRIX, INTS, axis=1), call(MATRIX, 4),
         call(CUBE, [0, 1], 0), call(VECTOR, 1), call(MATRIX, [[9, 1]], mode="wrap"), onnx="Gather",
         c_order=True, method=method(2, "axis", "mode"))
numpy_op(np.take_along_axis, _take_along_axis, call(MATRIX, TABLE % 3, 1),
         call(VECTOR, INTS, axis=0), call(MATRIX, TABLE[:1] % 2, 0), onnx="GatherElements",
         keeps_c_order=True)
numpy_op(np.where, _where, call(MASK, VECTOR, OTHER), call(MASK, VECTOR, 0.0),
         call(BITS, 1, MATRIX), call(True, SCALAR, 2), call(BITS),
         call(MASK, POINT, INTS), call(MASK), call(MASK, 1, 2.5), onnx="Where",
         elementwise_arity=3, foldable=True, keeps_c_order=True)
numpy_op(np.clip, _clip, call(VECTOR, 1, 3), call(MATRIX, 1.0, VECTOR), call(VECTOR, None, 2),
         call(SCALAR, 0, 1), call(POINT, 0.0, 1.0), call(TABLE, 1, 4), call(VECTOR, INTS, OTHER),
         onnx="Clip", keeps_c_order=True, method=method(2, least=2))
numpy_op(np.nonzero, _nonzero, call(BITS), call(CUBE), call(VECTOR), method=method(0))
numpy_op(np.flatnonzero, rule(lambda a: array_of(a) and POSITIONS), call(BITS), call(VECTOR))
numpy_op(np.argwhere, _argwhere, call(BITS), call(VECTOR))
numpy_op(np.select, _select, call([MASK, MASK], [VECTOR, OTHER]), call([MASK], [VECTOR], -1.0),
         call([MASK, True], [INTS, OTHER], default=POINT))
numpy_op(np.compress, _compress, call(MASK, VECTOR), call(MASK, MATRIX, axis=1), call(MASK, MATRIX),
         c_order=True)
numpy_op(np.extract, _extract, call(MASK, VECTOR), call(BITS, MATRIX))
numpy_op(np.delete, _delete, call(VECTOR, 1), call(MATRIX, INTS[:2], axis=1), call(MATRIX, 0))
numpy_op(np.insert, _insert, call(VECTOR, 1, 9.0), call(MATRIX, 1, VECTOR, axis=0))
numpy_op(np.nan_to_num, _nan_to_num, call(VECTOR), call(MATRIX, nan=1.0), call(SCALAR), call(POINT),
         keeps_c_order=True)
numpy_op(np.unravel_index, _unravel_index, call(INTS, (2, 3)), call(4, (2, 3)),
         call(TABLE, shape=(2, 2, 2)))
numpy_op(np.ix_, _ix, call(INTS, [0, 1]), call(MASK, INTS, [1]), view=True,
         views_each=True)
