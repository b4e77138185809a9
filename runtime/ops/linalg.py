"""Linear algebra ops: products, contractions, decompositions and solvers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir.types import DYNAMIC, ArrayType, Dim, Shape, Type
from autograph.runtime.ops import operator_rules
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.numpy_op import numpy_op
from autograph.runtime.ops.op import Op, define
from autograph.runtime.ops.reduction import reduced
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

# -- products -------------------------------------------------------------------------------------


def product_shape(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape of `a @ b`; NumPy's error if the inner dims certainly differ."""
    if a == () or b == ():
        raise ValueError("matmul: an operand does not have enough dimensions (it has none)")
    if a is None or b is None:
        return None
    _match(a[-1], b[-2] if len(b) > 1 else b[0], "matmul")
    rows = a[-2:-1]
    columns = b[-1:] if len(b) > 1 else ()
    batch = rules.broadcast(a[:-2], b[:-2])
    return None if batch is None else (*batch, *rows, *columns)


def _match(a: Dim, b: Dim, name: str) -> None:
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
    _match(x.shape[-1], y.shape[-2] if len(y.shape) > 1 else y.shape[0], "dot")
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
    _match(x.shape[-1], y.shape[-1], "inner")
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
    if x.shape is None or y.shape is None or not x.shape or not y.shape:
        return ArrayType(dtype, None)
    rank = max(len(x.shape), len(y.shape))
    p, q = ((1,) * (rank - len(t.shape or ())) + (t.shape or ()) for t in (x, y))
    return rules.array(dtype, tuple(rules.size_of(pair) for pair in zip(p, q, strict=True)))


@rule
def _cross(a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1,
           axis: Any = None) -> Type:
    return rules.unboxed(rules.promote(array_of(a).dtype, array_of(b).dtype), None)


@rule
def _tensordot(a: Any, b: Any, axes: Any = 2) -> Type:
    x, y = array_of(a), array_of(b)
    dtype = rules.promote(x.dtype, y.dtype)
    if x.shape is None or y.shape is None:
        return ArrayType(dtype, None)
    left, right = _contracted(axes, len(x.shape), len(y.shape))
    for i, j in zip(left, right, strict=True):
        _match(x.shape[i], y.shape[j], "tensordot")
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
def _einsum(subscripts: Any, *arrays: Any, **keywords: Any) -> Type:
    operands = [array_of(x) for x in arrays]
    dtype = rules.dtype_of(keywords.get("dtype"), rules.promote(*(x.dtype for x in operands)))
    if not isinstance(subscripts, str) or "." in subscripts:
        return ArrayType(dtype, None)
    ins, _, out = subscripts.replace(" ", "").partition("->")
    dims: dict[str, Dim] = {}
    for letters, x in zip(ins.split(","), operands, strict=True):
        _bind_letters(dims, letters, x)
    if "->" not in subscripts:
        joined = ins.replace(",", "")
        out = "".join(sorted(c for c in set(joined) if joined.count(c) == 1))
    return rules.unboxed(dtype, tuple(dims[c] for c in out))


def _bind_letters(dims: dict[str, Dim], letters: str, x: ArrayType) -> None:
    shape = (None,) * len(letters) if x.shape is None else x.shape
    if len(shape) != len(letters):
        raise ValueError(f"einstein sum subscripts string {letters!r} does not fit an operand with "
                         f"{len(shape)} dimensions")
    for letter, d in zip(letters, shape, strict=True):
        old = dims.get(letter, 1)
        dims[letter] = rules.broadcast((old,), (d,))[0]  # type: ignore[index]


# -- traces, norms, decompositions ----------------------------------------------------------------


@rule
def _trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Type:
    x = array_of(a)
    found = rules.dtype_by_example(np.sum, x.dtype) if x.dtype is not None else None
    rank = rules.rank_of(x)
    gone = (rules.axis_of(axis1, rank), rules.axis_of(axis2, rank))
    return rules.unboxed(rules.dtype_of(dtype, found), reduced(x, gone, False))


@rule
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Type:
    t = array_of(x)
    dtype = None if t.dtype is None or ord == 0 else rules.dtype_by_example(np.linalg.norm, t.dtype)
    shape = reduced(t, axis, keepdims)
    known = ord is None or (isinstance(ord, (int, float)) and ord != 0)
    return rules.unboxed(dtype if known else None, shape)


def square_of(x: ArrayType) -> tuple[Shape, Dim]:
    """The batch dims and the side of a stack of square matrices; NumPy's error if they are not."""
    shape = rules.shape_of(x)
    if len(shape) < 2:
        raise np.linalg.LinAlgError(
            f"{len(shape)}-dimensional array given. Array must be at least two-dimensional")
    if isinstance(shape[-1], int) and isinstance(shape[-2], int) and shape[-1] != shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return shape[:-2], shape[-1] if isinstance(shape[-1], int) else shape[-2]


def inexact(*arrays: ArrayType) -> np.dtype[Any] | None:
    """The dtype that LAPACK works in for these arrays: float32 stays, integers become float64."""
    dtype = rules.promote(*(x.dtype for x in arrays))
    return None if dtype is None else rules.dtype_by_example(_inverse_of_one, dtype)


def _inverse_of_one(x: Any) -> Any:
    return np.linalg.inv(x[:1, None])


def real_part(dtype: np.dtype[Any] | None) -> np.dtype[Any] | None:
    return None if dtype is None else np.empty(0, dtype).real.dtype


@rule
def _inv(a: Any) -> Type:
    x = array_of(a)
    batch, side = square_of(x)
    return rules.array(inexact(x), (*batch, side, side))


@rule
def _cholesky(a: Any, *, upper: Any = False) -> Any:
    return _inv(a)


@rule
def _det(a: Any) -> Type:
    x = array_of(a)
    return rules.unboxed(inexact(x), square_of(x)[0])


@rule
def _slogdet(a: Any) -> tuple[Type, Type]:
    x = array_of(a)
    batch, dtype = square_of(x)[0], inexact(x)
    return rules.unboxed(dtype, batch), rules.unboxed(real_part(dtype), batch)


@rule
def _solve(a: Any, b: Any) -> Type:
    x, y = array_of(a), array_of(b)
    dtype = inexact(x, y)
    batch, side = square_of(x)
    if y.shape is None or batch:
        return ArrayType(dtype, None)
    if y.shape:
        _match(side, y.shape[-2] if len(y.shape) > 1 else y.shape[0], "solve")
    return rules.array(dtype, y.shape)


@rule
def _svd(a: Any, full_matrices: Any = True, compute_uv: Any = True,
         hermitian: Any = False) -> Type | tuple[Type, ...]:
    x = array_of(a)
    dtype = inexact(x)
    *batch, m, n = rules.shape_of(x)
    k = min(m, n) if isinstance(m, int) and isinstance(n, int) else m if m == n else None
    values = rules.array(real_part(dtype), (*batch, k))
    if not rules.constant(compute_uv):
        return values
    full = rules.constant(full_matrices)
    return (rules.array(dtype, (*batch, m, m if full else k)), values,
            rules.array(dtype, (*batch, n if full else k, n)))


@rule
def _eigh(a: Any, UPLO: Any = "L") -> tuple[Type, Type]:
    x = array_of(a)
    batch, side = square_of(x)
    dtype = inexact(x)
    return (rules.array(real_part(dtype), (*batch, side)),
            rules.array(dtype, (*batch, side, side)))


@rule
def _eigvalsh(a: Any, UPLO: Any = "L") -> Type:
    x = array_of(a)
    batch, side = square_of(x)
    return rules.array(real_part(inexact(x)), (*batch, side))


@rule
def _eig(a: Any) -> tuple[Type, Type]:
    """Real or complex, as the values turn out."""
    batch, side = square_of(array_of(a))
    return rules.array(None, (*batch, side)), rules.array(None, (*batch, side, side))


@rule
def _eigvals(a: Any) -> Type:
    batch, side = square_of(array_of(a))
    return rules.array(None, (*batch, side))


@rule
def _qr(a: Any, mode: Any = "reduced") -> Type | tuple[Type, ...]:
    x = array_of(a)
    if rules.constant(mode) == "r":
        return rules.array(inexact(x), None)
    if mode == "raw":
        raise NotKnown
    *batch, m, n = rules.shape_of(x)
    k: Dim = min(m, n) if isinstance(m, int) and isinstance(n, int) else m if m == n else None
    k = m if mode == "complete" else k
    return rules.array(inexact(x), (*batch, m, k)), rules.array(inexact(x), (*batch, k, n))


@rule
def _lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Type, ...]:
    x, y = array_of(a), array_of(b)
    dtype = inexact(x, y)
    m, n = rules.shape_of(x)
    k = min(m, n) if isinstance(m, int) and isinstance(n, int) else None
    columns = rules.shape_of(y)[1:]
    return (rules.array(dtype, (n, *columns)), rules.array(real_part(dtype), (None,)),
            DYNAMIC, rules.array(real_part(dtype), (k,)))


@rule
def _pinv(a: Any, *args: Any, **keywords: Any) -> Type:
    x = array_of(a)
    *batch, m, n = rules.shape_of(x)
    return rules.array(inexact(x), (*batch, n, m))


@rule
def _matrix_rank(A: Any, *args: Any, **keywords: Any) -> Type:
    shape = rules.shape_of(array_of(A))
    return rules.unboxed(rules.INTP, shape[:-2]) if len(shape) > 1 else rules.INT


@rule
def _matrix_power(a: Any, n: Any) -> Type:
    x = array_of(a)
    batch, side = square_of(x)
    grows = isinstance(n, int) and n >= 0
    return rules.array(x.dtype if grows else None, (*batch, side, side))


@rule
def _counted_power(a: Any, n: Any) -> Type:
    return _matrix_power(a, 0)  # type: ignore[no-any-return]


define(Op("matmul", operator.matmul, _matmul, "{0} @ {1}",
          (call(MATRIX, VECTOR), call(MATRIX, MATRIX.T), call(VECTOR, OTHER), call(CUBE, CUBE[0].T),
           call(TABLE, INTS), call(VECTOR, MATRIX.T)),
          vjp=None, onnx="MatMul", ufunc=None, doc="Python's `x @ y`"))
define(Op("np.matmul", np.matmul, _matmul, "np.matmul",
          (call(MATRIX, VECTOR), call([[1.0, 2.0]], MATRIX), call(CUBE, CUBE[:, 0].T)),
          vjp=None, onnx="MatMul", doc="NumPy's `matmul`"))
define(Op("counted_power", np.linalg.matrix_power, _counted_power, "np.linalg.matrix_power",
          (call(SQUARE, 3), call(TABLE[:, :2], 5), call(SQUARE, 0)), vjp=None, onnx=None,
          doc="`np.linalg.matrix_power(a, n)` for a count n, which is not negative"))

PRODUCTS: tuple[tuple[Callable[..., Any], Any, tuple[Any, ...]], ...] = (
    (np.dot, _dot, (call(MATRIX, VECTOR), call(VECTOR, OTHER), call(MATRIX, MATRIX.T),
                    call(2, VECTOR), call(CUBE, CUBE[0].T), call(POINT, SCALAR))),
    (np.vdot, _vdot, (call(VECTOR, OTHER), call(MATRIX, MATRIX))),
    (np.inner, _inner, (call(VECTOR, OTHER), call(MATRIX, VECTOR), call(MATRIX, 2.0))),
    (np.outer, _outer, (call(VECTOR, OTHER), call(MATRIX, INTS), call(2.0, VECTOR))),
    (np.kron, _kron, (call(VECTOR, OTHER), call(MATRIX, SQUARE), call(VECTOR, MATRIX))),
    (np.cross, _cross, (call(VECTOR, OTHER), call(MATRIX, VECTOR))),
    (np.tensordot, _tensordot, (call(MATRIX, MATRIX), call(CUBE, MATRIX, ([0, 1], [0, 1])),
                                call(MATRIX, VECTOR, axes=1), call(CUBE, MATRIX, ((0,), (0,))))),
    (np.trace, _trace, (call(SQUARE), call(MATRIX, 1), call(CUBE, axis1=1, axis2=2), call(TABLE))),
)
EINSUMS = (call("ij,j->i", MATRIX, VECTOR), call("ij,kj->ik", MATRIX, SQUARE),
           call("i,i", VECTOR, OTHER), call("ii->i", SQUARE), call("ij->", MATRIX),
           call("...ij->...ji", CUBE), call("ba", MATRIX), call("i,j->ij", VECTOR, INTS))

LAPACK: tuple[tuple[Callable[..., Any], Any, tuple[Any, ...]], ...] = (
    (np.linalg.norm, _norm, (call(VECTOR), call(MATRIX), call(MATRIX, axis=1), call(MATRIX, 2),
                             call(VECTOR, 1), call(MATRIX, None, 0, True), call(VECTOR, np.inf),
                             call(MATRIX, "fro"), call(VECTOR, 0), call(TABLE, axis=-1))),
    (np.linalg.solve, _solve, (call(SQUARE, VECTOR), call(SQUARE, MATRIX.T))),
    (np.linalg.inv, _inv, (call(SQUARE), call(np.stack([SQUARE, SQUARE])))),
    (np.linalg.det, _det, (call(SQUARE), call(np.stack([SQUARE, SQUARE])))),
    (np.linalg.slogdet, _slogdet, (call(SQUARE),)),
    (np.linalg.svd, _svd, (call(MATRIX), call(MATRIX, False), call(MATRIX, compute_uv=False))),
    (np.linalg.eigh, _eigh, (call(SQUARE), call(np.stack([SQUARE, SQUARE]), "U"))),
    (np.linalg.eigvalsh, _eigvalsh, (call(SQUARE),)),
    (np.linalg.eig, _eig, (call(SQUARE), call(np.array([[0.0, 1.0], [-1.0, 0.0]])))),
    (np.linalg.eigvals, _eigvals, (call(SQUARE),)),
    (np.linalg.qr, _qr, (call(MATRIX), call(MATRIX.T), call(MATRIX.T, "complete"),
                         call(MATRIX, "r"))),
    (np.linalg.cholesky, _cholesky, (call(SQUARE),)),
    (np.linalg.lstsq, _lstsq, (call(MATRIX.T, VECTOR), call(MATRIX.T, SQUARE, None))),
    (np.linalg.pinv, _pinv, (call(MATRIX), call(MATRIX.T))),
    (np.linalg.matrix_rank, _matrix_rank, (call(MATRIX), call(np.stack([SQUARE, SQUARE])))),
    (np.linalg.matrix_power, _matrix_power, (call(SQUARE, 3), call(SQUARE, -1), call(SQUARE, 0))),
)
NAMED: dict[Callable[..., Any], Callable[[Any], Any]] = {
    fn: type(fn(SQUARE))._make
    for fn in (np.linalg.slogdet, np.linalg.svd, np.linalg.eigh, np.linalg.eig, np.linalg.qr)
}
"""What returns a namedtuple -> how that is made."""

for _fn, _infer, _given in (*PRODUCTS, *LAPACK):
    numpy_op(_fn, _infer, *_given, result=NAMED.get(_fn, tuple))
numpy_op(np.einsum, _einsum, *EINSUMS, onnx="Einsum", view=True)
