"""Products of matrices and vectors, and contractions."""

from __future__ import annotations

import operator
import string
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir.types import ArrayType, Dim, Shape, Type
from autograph.runtime.ops import operator_rules
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.numpy_op import numpy_op
from autograph.runtime.ops.op import Op, Traits, define, method
from autograph.runtime.ops.samples import (
    CUBE,
    INTS,
    MATRIX,
    OTHER,
    POINT,
    SCALAR,
    SQUARE,
    TABLE,
    VECTOR,
    call,
)
from autograph.runtime.ops.type_rules import NotKnown, array_of, rule


def product_shape(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape of `a @ b`; NumPy's error if the inner dims certainly differ."""
    if a == () or b == ():
        raise ValueError("matmul: an operand does not have enough dimensions (it has none)")
    if a is None or b is None:
        return None
    check_inner_dims(a[-1], b[-2] if len(b) > 1 else b[0], "matmul")
    rows = a[-2:-1]
    columns = b[-1:] if len(b) > 1 else ()
    batch = rules.broadcast(a[:-2], b[:-2])
    return None if batch is None else (*batch, *rows, *columns)


def check_inner_dims(a: Dim, b: Dim, name: str) -> None:
    if isinstance(a, int) and isinstance(b, int) and a != b:
        raise ValueError(f"{name}: the dimensions to be summed over differ: {a} and {b}")


def _product_dtype(a: ArrayType, b: ArrayType) -> np.dtype[Any] | None:
    return operator_rules.ufunc_dtypes(np.matmul, a.dtype, b.dtype)[0]


@rule
def _matmul(*args: Any, **keywords: Any) -> Type:
    if not any(isinstance(rules.as_type(x), ArrayType) for x in args):
        raise NotKnown
    a, b = map(array_of, args)
    dtype = rules.dtype_of(keywords.get("dtype"), _product_dtype(a, b))
    return rules.unboxed(dtype, product_shape(a.shape, b.shape))


@rule
def _dot(a: Any, b: Any) -> Type:
    x, y = array_of(a), array_of(b)
    if x.shape == () or y.shape == ():
        return rules.unboxed(rules.promote(x.dtype, y.dtype), rules.broadcast(x.shape, y.shape))
    dtype = rules.promote(x.dtype, y.dtype)
    if x.shape is None or y.shape is None:
        return ArrayType(dtype, None)
    check_inner_dims(x.shape[-1], y.shape[-2] if len(y.shape) > 1 else y.shape[0], "dot")
    rest = (*y.shape[:-2], y.shape[-1]) if len(y.shape) > 1 else ()
    return rules.unboxed(dtype, (*x.shape[:-1], *rest))


@rule
def _vdot(a: Any, b: Any) -> Type:
    return rules.unboxed(rules.promote(array_of(a).dtype, array_of(b).dtype), ())


@rule
def _inner(a: Any, b: Any) -> Type:
    x, y = array_of(a), array_of(b)
    dtype = rules.promote(x.dtype, y.dtype)
    if x.shape == () or y.shape == ():
        return rules.unboxed(dtype, rules.broadcast(x.shape, y.shape))
    if x.shape is None or y.shape is None:
        return ArrayType(dtype, None)
    check_inner_dims(x.shape[-1], y.shape[-1], "inner")
    return rules.unboxed(dtype, (*x.shape[:-1], *y.shape[:-1]))


@rule
def _outer(a: Any, b: Any) -> Type:
    x, y = array_of(a), array_of(b)
    dims = [None if t.shape is None else rules.size_of(t.shape) for t in (x, y)]
    return rules.array(rules.promote(x.dtype, y.dtype), dims)


@rule
def _kron(a: Any, b: Any) -> Type:
    x, y = array_of(a), array_of(b)
    dtype = rules.promote(x.dtype, y.dtype)
    if x.shape is None or y.shape is None:
        return ArrayType(dtype, None)
    if not (x.shape and y.shape):
        return rules.unboxed(dtype, x.shape or y.shape)
    rank = max(len(x.shape), len(y.shape))
    p, q = ((1,) * (rank - len(t.shape or ())) + (t.shape or ()) for t in (x, y))
    return rules.array(dtype, tuple(rules.size_of(pair) for pair in zip(p, q, strict=True)))


@rule
def _cross(a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1,
           axis: Any = None) -> Type:
    x, y = array_of(a), array_of(b)
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    left, p = _without_axis(x, axisa)
    right, q = _without_axis(y, axisb)
    outer = rules.broadcast(left, right)
    shape = outer
    if (not outer and (p, q) == (2, 2)) or outer is None or (
            p, q) not in ((2, 2), (2, 3), (3, 2), (3, 3)):
        shape = None
    elif (p, q) != (2, 2):
        at = rules.axis_of(axisc, len(outer) + 1)
        shape = (*outer[:at], 3, *outer[at:])
    return rules.unboxed(rules.promote(x.dtype, y.dtype), shape)


def _without_axis(x: ArrayType, axis: Any) -> tuple[Shape, Dim]:
    """Returns the dims of an array without one, and that one."""
    shape = rules.shape_of(x)
    at = rules.axis_of(axis, len(shape))
    return (*shape[:at], *shape[at + 1:]), shape[at]


@rule
def _tensordot(a: Any, b: Any, axes: Any = 2) -> Type:
    x, y = array_of(a), array_of(b)
    dtype = rules.promote(x.dtype, y.dtype)
    if x.shape is None or y.shape is None:
        return ArrayType(dtype, None)
    left, right = _contracted(axes, len(x.shape), len(y.shape))
    for i, j in zip(left, right, strict=True):
        check_inner_dims(x.shape[i], y.shape[j], "tensordot")
    kept = [d for i, d in enumerate(x.shape) if i not in left]
    kept += [d for j, d in enumerate(y.shape) if j not in right]
    return rules.array(dtype, kept)


def _contracted(axes: Any, a: int, b: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of each operand that are summed over."""
    if isinstance(axes, (tuple, list)):
        return rules.axes_of(axes[0], a), rules.axes_of(axes[1], b)
    count = rules.constant(axes)
    return tuple(range(a - count, a)), tuple(range(count))


@rule
def _einsum(*args: Any, **keywords: Any) -> Type:
    ins, out, arrays = einsum_terms(*args)
    operands = [array_of(x) for x in arrays]
    dtype = rules.dtype_of(keywords.get("dtype"), rules.promote(*(x.dtype for x in operands)))
    dims: dict[str, Dim] = {}
    outer: Shape | None = ()
    for letters, x in zip(ins, operands, strict=True):
        if "..." in letters:
            letters, x, dots = _without_dots(letters, x)
            outer = rules.broadcast(outer, dots)
        _bind_letters(dims, letters, x)
    first, dotted, last = out.partition("...")
    if unknown := sorted({*first, *last} - {*dims}):
        raise ValueError(f"einstein sum subscripts string has {unknown[0]!r} in the result alone")
    if outer is None:
        return ArrayType(dtype, None)
    return rules.unboxed(dtype, (*(dims[c] for c in first), *(outer if dotted else ()),
                                 *(dims[c] for c in last)))


def einsum_terms(*args: Any) -> tuple[list[str], str, tuple[Any, ...]]:
    """Returns the letters of each operand of `np.einsum`, those of the result, and the operands.

    >>> einsum_terms("ij, j", "A", "x")
    (['ij', 'j'], 'i', ('A', 'x'))
    >>> einsum_terms(1.5, [0, 0], [0])
    (['aa'], 'a', (1.5,))
    """
    text, operands = (args[0], args[1:]) if isinstance(args[0], str) else _as_letters(*args)
    left, arrow, out = text.replace(" ", "").partition("->")
    letters = left.replace(",", "").replace(".", "")
    if not arrow:
        out = "..." * ("." in left) + "".join(sorted(
            c for c in set(letters) if letters.count(c) == 1))
    return left.split(","), out, operands


def _as_letters(*args: Any) -> tuple[str, tuple[Any, ...]]:
    """Returns the subscripts and the operands of a call that gives each operand a list of labels,
    and perhaps one to the result."""
    lists = [*args[1::2], *([args[-1]] if len(args) % 2 else [])]
    if not all(isinstance(labels, (list, tuple)) for labels in lists):
        raise NotKnown
    words = ["".join("..." if i is Ellipsis else string.ascii_letters[rules.constant(i)]
                     for i in labels) for labels in lists]
    arrow = f"->{words.pop()}" if len(args) % 2 else ""
    return ",".join(words) + arrow, args[:2 * len(words):2]


def _without_dots(letters: str, x: ArrayType) -> tuple[str, ArrayType, Shape]:
    """Returns the letters and the operand without the dims of `...`, and those dims."""
    shape = rules.shape_of(x)
    first, _, last = letters.partition("...")
    stop = len(shape) - len(last)
    kept = (*shape[:len(first)], *shape[stop:])
    return first + last, ArrayType(x.dtype, kept), shape[len(first):stop]


def _bind_letters(dims: dict[str, Dim], letters: str, x: ArrayType) -> None:
    shape = (None,) * len(letters) if x.shape is None else x.shape
    if len(shape) != len(letters):
        raise ValueError(f"einstein sum subscripts string {letters!r} does not fit an operand with "
                         f"{len(shape)} dimensions")
    for letter, d in zip(letters, shape, strict=True):
        old = dims.get(letter, 1)
        dims[letter] = rules.broadcast((old,), (d,))[0]  # type: ignore[index]


EXPENSIVE: Traits = {"expensive": True}
DOT: Traits = {**EXPENSIVE, "fresh": True, "c_order": True, "rule_is_exact": True}
PRODUCT: Traits = {**DOT, "product": True, "reads_only": True}

MATMUL = define(Op(
    "matmul", operator.matmul, _matmul, "{0} @ {1}",
    (call(MATRIX, VECTOR), call(MATRIX, MATRIX.T), call(VECTOR, OTHER), call(CUBE, CUBE[0].T),
     call(TABLE, INTS), call(VECTOR, MATRIX.T)),
    onnx="MatMul", dunder="matmul", doc="Python's `x @ y`", **PRODUCT))
define(Op("np.matmul", np.matmul, _matmul, "np.matmul",
          (call(MATRIX, VECTOR), call([[1.0, 2.0]], MATRIX), call(CUBE, CUBE[:, 0].T)),
          onnx="MatMul", doc="NumPy's `matmul`", **PRODUCT))

# NumPy's function, type rule, traits, samples
PRODUCTS: tuple[tuple[Callable[..., Any], Any, Traits, tuple[Any, ...]], ...] = (
    (np.dot, _dot, DOT | {"method": method(1)},
     (call(MATRIX, VECTOR), call(VECTOR, OTHER), call(MATRIX, MATRIX.T), call(2, VECTOR),
      call(CUBE, CUBE[0].T), call(POINT, SCALAR))),
    (np.vdot, _vdot, {}, (call(VECTOR, OTHER), call(MATRIX, MATRIX))),
    (np.inner, _inner, {**EXPENSIVE, "c_order": True},
     (call(VECTOR, OTHER), call(MATRIX, VECTOR), call(MATRIX, 2.0))),
    (np.outer, _outer, {**EXPENSIVE, "c_order": True},
     (call(VECTOR, OTHER), call(MATRIX, INTS), call(2.0, VECTOR))),
    (np.kron, _kron, EXPENSIVE, (call(VECTOR, OTHER), call(MATRIX, SQUARE), call(VECTOR, MATRIX))),
    (np.cross, _cross, {}, (call(VECTOR, OTHER), call(MATRIX, VECTOR))),
    (np.tensordot, _tensordot, {**EXPENSIVE, "c_order": True},
     (call(MATRIX, MATRIX), call(CUBE, MATRIX, ([0, 1], [0, 1])), call(MATRIX, VECTOR, axes=1),
      call(CUBE, MATRIX, ((0,), (0,))))),
)
EINSUMS = (call("ij,j->i", MATRIX, VECTOR), call("ij,kj->ik", MATRIX, SQUARE),
           call("i,i", VECTOR, OTHER), call("ii->i", SQUARE), call("ij->", MATRIX),
           call("...ij->...ji", CUBE), call("ba", MATRIX), call("i,j->ij", VECTOR, INTS))

for _fn, _infer, _traits, _given in PRODUCTS:
    numpy_op(_fn, _infer, *_given, **_traits)
numpy_op(np.einsum, _einsum, *EINSUMS, onnx="Einsum", view=True)
