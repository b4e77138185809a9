"""Shape ops: the same elements, arranged, joined, split, repeated or picked by axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.ir.types import ArrayType, Dim, Shape, Type
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.numpy_op import numpy_op
from autograph.runtime.ops.op import ANY_RANK, OPS, method
from autograph.runtime.ops.samples import CUBE, EMPTY, INTS, MASK, MATRIX, POINT, VECTOR, call
from autograph.runtime.ops.type_rules import NotKnown, array_of, rule

Rule = Callable[..., Any]


def kept(fn: Callable[..., Shape | None]) -> Rule:
    """The rule of a function that keeps the dtype: `fn(x's type, …)` gives the shape."""
    def infer(a: Any, *args: Any, **kwargs: Any) -> Type:
        x = array_of(a)
        try:
            shape = fn(x, *args, **kwargs)
        except NotKnown:
            shape = None
        if shape == ():  # a scalar stays a scalar in some of these functions
            shape = None if not isinstance(a, ArrayType) or a.scalar else shape
        return rules.array(x.dtype, shape)

    return rule(infer)


# -- rearranging ----------------------------------------------------------------------------------


def reshaped(x: ArrayType, shape: Any, order: Any = "C", *, copy: Any = None) -> Shape | None:
    new = rules.dims_of(shape)
    if -1 not in new or x.shape is None:
        return tuple(None if d == -1 else d for d in new)
    total = rules.size_of(x.shape)
    rest = rules.size_of(tuple(d for d in new if d != -1))
    return tuple(_quotient(total, rest) if d == -1 else d for d in new)


def _quotient(total: Dim, rest: Dim) -> Dim:
    if isinstance(total, int) and isinstance(rest, int) and rest:
        if total % rest:
            raise ValueError(f"cannot reshape array of size {total} into groups of {rest}")
        return total // rest
    return total if rest == 1 else None


def transposed(x: ArrayType, axes: Any = None) -> Shape:
    shape = rules.shape_of(x)
    if axes is None:
        return shape[::-1]
    order = rules.axes_of(rules.constant(axes), len(shape))
    if len(order) != len(shape):
        raise ValueError("axes don't match array")
    return tuple(shape[i] for i in order)


def swapped(x: ArrayType, axis1: Any, axis2: Any) -> Shape:
    shape = list(rules.shape_of(x))
    i, j = (rules.axis_of(a, len(shape)) for a in (axis1, axis2))
    shape[i], shape[j] = shape[j], shape[i]
    return tuple(shape)


def moved(x: ArrayType, source: Any, destination: Any) -> Shape:
    shape = rules.shape_of(x)
    src, dst = (rules.axes_of(a, len(shape)) for a in (source, destination))
    order = [i for i in range(len(shape)) if i not in src]
    for to, axis in sorted(zip(dst, src, strict=True)):
        order.insert(to, axis)
    return tuple(shape[i] for i in order)


def expanded(x: ArrayType, axis: Any) -> Shape:
    shape = rules.shape_of(x)
    many = isinstance(axis, (tuple, list))
    rank = len(shape) + (len(axis) if many else 1)
    new, rest = rules.axes_of(axis, rank), iter(shape)
    if len(set(new)) < rank - len(shape):
        raise ValueError("repeated axis")
    return tuple(1 if i in new else next(rest) for i in range(rank))


def squeezed(x: ArrayType, axis: Any = None) -> Shape:
    shape = rules.shape_of(x)
    if axis is None:
        if not all(isinstance(d, int) for d in shape):
            raise NotKnown
        return tuple(d for d in shape if d != 1)
    if not shape:
        raise NotKnown  # NumPy lets a scalar have the axes 0 and -1
    gone = rules.axes_of(axis, len(shape))
    if any(isinstance(shape[i], int) and shape[i] != 1 for i in gone):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return tuple(d for i, d in enumerate(shape) if i not in gone)


def flattened(x: ArrayType, order: Any = "C") -> Shape:
    return (None if x.shape is None else rules.size_of(x.shape),)


def broadcast_to(x: ArrayType, shape: Any, subok: Any = False) -> Shape:
    new = rules.dims_of(shape)
    if x.shape is not None and (len(x.shape) > len(new)):
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    if all(isinstance(d, int) for d in new):  # NumPy's message names the shape
        rules.broadcast(x.shape, tuple(new))
    return new


def same(x: ArrayType, *args: Any, **kwargs: Any) -> Shape | None:
    return x.shape


def flipped(x: ArrayType, axis: Any = None) -> Shape | None:
    if x.shape == ():
        raise NotKnown  # NumPy makes a number of it
    return x.shape


def of_a_matrix(x: ArrayType, k: Any = 0) -> Shape | None:
    """The shape of a triangle: a vector is one row of a square."""
    return x.shape if x.shape is None or len(x.shape) != 1 else x.shape * 2


def rotated(x: ArrayType, k: Any = 1, axes: Any = (0, 1)) -> Shape:
    shape = rules.shape_of(x)
    return swapped(x, *rules.constant(axes)) if rules.constant(k) % 2 else shape


# -- repeating and padding ------------------------------------------------------------------------


def tiled(x: ArrayType, reps: Any) -> Shape:
    shape = rules.shape_of(x)
    times = rules.dims_of(reps)
    rank = max(len(shape), len(times))
    shape = (1,) * (rank - len(shape)) + shape
    times = (1,) * (rank - len(times)) + times
    return tuple(map(_product, shape, times))


def _product(a: Dim, b: Dim) -> Dim:
    return rules.size_of((a, b))


def repeated(x: ArrayType, repeats: Any, axis: Any = None) -> Shape:
    shape = flattened(x) if axis is None else rules.shape_of(x)
    at = 0 if axis is None else rules.axis_of(axis, len(shape))
    times = repeats if isinstance(repeats, int) else None
    return (*shape[:at], None if times is None else _product(shape[at], times), *shape[at + 1:])


def padded(x: ArrayType, pad_width: Any, mode: Any = "constant", **more: Any) -> Shape:
    shape = rules.shape_of(x)
    try:
        widths = np.broadcast_to(_constant_nest(pad_width), (len(shape), 2)).tolist()
    except NotKnown:
        return (None,) * len(shape)
    return tuple(d + before + after if isinstance(d, int) else None
                 for d, (before, after) in zip(shape, widths, strict=True))


def _constant_nest(x: Any) -> Any:
    if isinstance(x, (tuple, list)):
        return [_constant_nest(i) for i in x]
    if isinstance(x, dict):
        raise NotKnown
    return rules.constant(x)


# -- joining and splitting ------------------------------------------------------------------------


def items(arrays: Any) -> list[ArrayType]:
    """The arrays that a joining function is given; an array stands for its rows."""
    if not isinstance(arrays, (list, tuple)):
        raise NotKnown
    return [array_of(a) for a in arrays]


def sum_dims(dims: Sequence[Dim]) -> Dim:
    return None if not all(isinstance(d, int) for d in dims) else sum(dims)  # type: ignore[arg-type]


def joined(shapes: Sequence[Shape | None], axis: Any) -> Shape:
    """The shape of arrays put one after the other along an axis."""
    known = [s for s in shapes if s is not None]
    if len(known) != len(shapes):
        raise NotKnown
    rank = len(known[0])
    at = rules.axis_of(axis, rank)
    out = list(known[0])
    for shape in known[1:]:
        if len(shape) != rank:
            raise ValueError("all the input array dimensions must match")
        out = [d if i == at else rules.equal_dims(d, e)
               for i, (d, e) in enumerate(zip(out, shape, strict=True))]
    out[at] = sum_dims([s[at] for s in known])
    return tuple(out)


def joining(shape: Callable[[list[ArrayType], Any], Shape]) -> Rule:
    """The rule of `fn(arrays, axis=0, dtype=)`, given how the shape follows from the arrays; of
    objects that only the run knows, an array of unknown numbers."""
    def infer(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None,
              casting: Any = None) -> Type:
        given = items(arrays)
        common = rules.dtype_of(dtype, rules.promote(*(x.dtype for x in given)))
        try:
            return rules.array(common, shape(given, axis))
        except NotKnown:
            return rules.array(common, None)

    return rule(infer, ArrayType(None, None))


def concatenated(arrays: list[ArrayType], axis: Any) -> Shape:
    if axis is None:
        return (sum_dims([flattened(x)[0] for x in arrays]),)
    return joined([x.shape for x in arrays], axis)


def stacked(arrays: list[ArrayType], axis: Any) -> Shape:
    shapes = [rules.shape_of(x) for x in arrays]
    at = rules.axis_of(axis, len(shapes[0]) + 1)
    if any(len(s) != len(shapes[0]) for s in shapes):
        raise ValueError("all input arrays must have the same shape")
    return joined([(*s[:at], 1, *s[at:]) for s in shapes], at)


def at_least(rank: int, shape: Shape) -> Shape:
    """The shape after `np.atleast_1d`, `2d` (ones in front), `3d` (one of them behind)."""
    if len(shape) >= rank:
        return shape
    if rank == 3 and shape:
        return (1, *shape, 1) if len(shape) == 1 else (*shape, 1)
    return (1,) * (rank - len(shape)) + shape


def by_rows(arrays: list[ArrayType], axis: Any) -> Shape:
    return joined([at_least(2, rules.shape_of(x)) for x in arrays], 0)


def by_columns(arrays: list[ArrayType], axis: Any) -> Shape:
    shapes = [at_least(1, rules.shape_of(x)) for x in arrays]
    return joined(shapes, 0 if len(shapes[0]) == 1 else 1)


def in_depth(arrays: list[ArrayType], axis: Any) -> Shape:
    return joined([at_least(3, rules.shape_of(x)) for x in arrays], 2)


def as_columns(arrays: list[ArrayType], axis: Any) -> Shape:
    shapes = (rules.shape_of(x) for x in arrays)
    return joined([(*s, 1)[:2] if len(s) == 1 else s if s else (1, 1) for s in shapes], 1)


def appended(arr: Any, values: Any, axis: Any = None) -> Type:
    x, y = array_of(arr), array_of(values)
    dtype = rules.promote(x.dtype, y.dtype)
    try:
        return rules.array(dtype, concatenated([x, y], axis))
    except NotKnown:
        return rules.array(dtype, None)


def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Type | tuple[Type, ...]:
    """One output per part; a single part, or an unknown number, is a list as it comes."""
    x = array_of(ary)
    shape = rules.shape_of(x)
    at = rules.axis_of(axis, len(shape))
    where = rules.constant(indices_or_sections)
    count = where if isinstance(where, int) else len(where) + 1
    if count == 1:
        raise NotKnown
    sizes = _part_sizes(shape[at], where, count)
    return tuple(rules.array(x.dtype, (*shape[:at], d, *shape[at + 1:])) for d in sizes)


def _part_sizes(length: Dim, where: Any, count: int) -> list[Dim]:
    if not isinstance(length, int):
        return [None] * count
    if isinstance(where, int):
        return [length // count + (i < length % count) for i in range(count)]
    return [len(range(length)[slice(*ends)])
            for ends in zip((0, *where), (*where, None), strict=True)]


def at_least_rule(rank: int) -> Rule:
    def infer(*arrays: Any) -> Type | tuple[Type, ...]:
        out = []
        for a in arrays:
            x = array_of(a)
            out.append(rules.array(x.dtype, None if x.shape is None else at_least(rank, x.shape)))
        return out[0] if len(out) == 1 else tuple(out)

    return rule(infer)


def diagonal(x: ArrayType, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Shape:
    shape = rules.shape_of(x)
    i, j = (rules.axis_of(a, len(shape)) for a in (axis1, axis2))
    rest = tuple(d for k, d in enumerate(shape) if k not in (i, j))
    return (*rest, _diagonal_length(shape[i], shape[j], offset))


def _diagonal_length(rows: Dim, columns: Dim, offset: Any) -> Dim:
    if not isinstance(offset, int):
        return None
    if isinstance(rows, int) and isinstance(columns, int):
        return max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    return rows if rows == columns and offset == 0 else None


def diag(x: ArrayType, k: Any = 0) -> Shape:
    shape = rules.shape_of(x)
    if len(shape) == 2:
        return diagonal(x, k)
    side = sum_dims((*shape, abs(k))) if isinstance(k, int) else None
    return (side, side)


# -- the table ------------------------------------------------------------------------------------

numpy_op(np.reshape, kept(reshaped), call(MATRIX, (3, 2)), call(MATRIX, -1), call(CUBE, (-1, 4)),
         call(CUBE, (2, -1), order="F"), call(POINT, (1, 1)), onnx="Reshape", view=True,
         may_copy=True, method=method(1, "order"))
numpy_op(np.transpose, kept(transposed), call(MATRIX), call(CUBE, (1, 2, 0)), call(VECTOR),
         call(CUBE, axes=(0, -1, 1)), onnx="Transpose", view=True, always_view=True,
         total=ANY_RANK, method=method(1))
numpy_op(np.swapaxes, kept(swapped), call(CUBE, 0, -1), call(MATRIX, 0, 1), view=True,
         always_view=True, method=method(2))
numpy_op(np.moveaxis, kept(moved), call(CUBE, 0, -1), call(CUBE, (0, 1), (-1, 0)), view=True,
         always_view=True)
numpy_op(np.expand_dims, kept(expanded), call(MATRIX, 0), call(VECTOR, (0, -1)), call(POINT, 0),
         onnx="Unsqueeze", view=True, always_view=True)
numpy_op(np.squeeze, kept(squeezed), call(MATRIX[:1]), call(CUBE[:, :1], 1),
         call(MATRIX[:, :1], -1), onnx="Squeeze", view=True, always_view=True,
         method=method(1, "axis"))
numpy_op(np.ravel, kept(flattened), call(MATRIX), call(CUBE, "F"), call(POINT), onnx="Flatten",
         view=True, may_copy=True, method=method(1, "order"))
numpy_op(np.broadcast_to, kept(broadcast_to), call(VECTOR, (2, 3)), call(POINT, 4), call(2.5, (2,)),
         onnx="Expand", view=True, unwritable=True, foldable=True)
numpy_op(np.diagonal, kept(diagonal), call(MATRIX), call(MATRIX, 1), call(CUBE, 0, 1, 2), view=True,
         unwritable=True, method=method(3, "offset", "axis1", "axis2"))
numpy_op(np.flip, kept(flipped), call(MATRIX), call(CUBE, axis=1), view=True)
numpy_op(np.fliplr, kept(same), call(MATRIX), view=True)
numpy_op(np.flipud, kept(same), call(VECTOR), view=True)
numpy_op(np.rot90, kept(rotated), call(MATRIX), call(CUBE, 2), call(CUBE, 1, (1, 2)), view=True)

numpy_op(np.roll, kept(same), call(VECTOR, 1), call(MATRIX, 1, axis=0),
         call(MATRIX, (1, 2), (0, 1)), keeps_c_order=True)
numpy_op(np.tile, kept(tiled), call(VECTOR, 2), call(MATRIX, (2, 1, 3)), call(POINT, 3),
         onnx="Tile", c_order=True)
numpy_op(np.repeat, kept(repeated), call(VECTOR, 2), call(MATRIX, 3, axis=1), call(VECTOR, INTS),
         call(2.5, 3), c_order=True, method=method(2, "axis"))
numpy_op(np.pad, kept(padded), call(VECTOR, 2), call(MATRIX, ((1, 0), (2, 3))),
         call(VECTOR, (1, 2), mode="edge"), call(MATRIX, 1, constant_values=7), onnx="Pad",
         keeps_c_order=True)
numpy_op(np.triu, kept(of_a_matrix), call(MATRIX), call(CUBE, 1), call(VECTOR), onnx="Trilu",
         keeps_c_order=True)
numpy_op(np.tril, kept(of_a_matrix), call(MATRIX), call(CUBE, -1), call(VECTOR),
         keeps_c_order=True)
numpy_op(np.diag, kept(diag), call(VECTOR), call(MATRIX), call(MATRIX, -1), call(VECTOR, 1),
         view=True, copied_ranks=range(2))

numpy_op(np.concatenate, joining(concatenated), call([MATRIX, MATRIX]), call((VECTOR, VECTOR)),
         call([CUBE, CUBE], axis=1), call([MATRIX, VECTOR], axis=None), call([MATRIX, EMPTY]),
         call([VECTOR, [1.0, 2.0]], dtype=np.float32), call([VECTOR, INTS, MASK]), onnx="Concat",
         foldable=True, keeps_c_order=True)
numpy_op(np.stack, joining(stacked), call([VECTOR, VECTOR]), call([MATRIX, MATRIX], axis=-1),
         call([VECTOR, INTS, MASK], 1), call([1.5, POINT]), foldable=True, keeps_c_order=True)
numpy_op(np.vstack, joining(by_rows), call([VECTOR, MATRIX]), call((VECTOR, VECTOR)),
         call((MATRIX, MATRIX)), keeps_c_order=True, joins_along=0)
numpy_op(np.hstack, joining(by_columns), call([VECTOR, VECTOR]), call((MATRIX, MATRIX)),
         call([1.5, VECTOR]), keeps_c_order=True, joins_along=1)
numpy_op(np.dstack, joining(in_depth), call([VECTOR, VECTOR]), call((MATRIX, MATRIX)),
         call([CUBE, CUBE]), keeps_c_order=True, joins_along=2)
numpy_op(np.column_stack, joining(as_columns), call([VECTOR, VECTOR]), call((MATRIX, MATRIX)),
         keeps_c_order=True, joins_along=1)
numpy_op(np.append, rule(appended), call(VECTOR, 2.5), call(MATRIX, [[1, 2, 3]], axis=0),
         call(VECTOR, MATRIX), keeps_c_order=True)
for _fn in (np.split, np.array_split):
    numpy_op(_fn, rule(split), call(CUBE, 2), call(CUBE, 3, axis=1), call(VECTOR, [1, 2]),
             call(VECTOR, 1), call(CUBE, (1, 7), -1), view=True, result=list)
for _rank, _at_least in enumerate((np.atleast_1d, np.atleast_2d, np.atleast_3d), 1):
    numpy_op(_at_least, at_least_rule(_rank), call(VECTOR), call(MATRIX), call(POINT), call(2.5),
             view=True)


@rule
def _broadcast_arrays(*arrays: Any, subok: Any = False) -> tuple[Type, ...]:
    given = items(arrays)
    if len(given) < 2:
        raise NotKnown
    shape = rules.broadcast(*(x.shape for x in given))
    return tuple(rules.array(x.dtype, shape) for x in given)


numpy_op(np.broadcast_arrays, _broadcast_arrays, call(VECTOR, MATRIX), call(POINT, INTS, MASK),
         view=True, views_each=True, unwritable=True)

RESHAPE, RAVEL, TRANSPOSE, STACK, ROLL = (
    OPS[name] for name in ("reshape", "ravel", "transpose", "stack", "roll"))
