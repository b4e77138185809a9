"""Linear algebra ops: traces, norms, decompositions and solvers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir.types import ArrayType, Dim, Shape, Type
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.derivatives import KERNELS
from autograph.runtime.ops.numpy_op import numpy_op
from autograph.runtime.ops.op import OPS, Op, Traits, define, method
from autograph.runtime.ops.operator_rules import ufunc_type
from autograph.runtime.ops.products import check_inner_dims
from autograph.runtime.ops.reduction import reduced
from autograph.runtime.ops.samples import CUBE, MATRIX, SCALAR, SQUARE, TABLE, VECTOR, call
from autograph.runtime.ops.type_rules import NotKnown, array_of, rule


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
    known = ord is None or (isinstance(ord, (int, float, str)) and ord != 0)
    return rules.unboxed(dtype if known else None, shape)


def square_of(x: ArrayType) -> tuple[Shape, Dim]:
    """Returns the batch dims and the side of square matrices; raises NumPy's error for others."""
    shape = rules.shape_of(x)
    if len(shape) < 2:
        raise np.linalg.LinAlgError(
            f"{len(shape)}-dimensional array given. Array must be at least two-dimensional")
    if isinstance(shape[-1], int) and isinstance(shape[-2], int) and shape[-1] != shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return shape[:-2], shape[-1] if isinstance(shape[-1], int) else shape[-2]


def inexact(*arrays: ArrayType) -> np.dtype[Any] | None:
    """Returns the dtype of LAPACK's result: float32 for float32, float64 for integers."""
    return rules.promote(*(None if x.dtype is None else rules.dtype_by_example(
        _inverse_of_one, x.dtype) for x in arrays))


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
    if y.shape is None or not y.shape:
        return ArrayType(dtype, None)
    check_inner_dims(side, y.shape[-2] if len(y.shape) > 1 else y.shape[0], "solve")
    if len(y.shape) == 1:
        return rules.array(dtype, (*batch, *y.shape))
    outer = rules.broadcast(batch, y.shape[:-2])
    return rules.array(dtype, None if outer is None else (*outer, *y.shape[-2:]))


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


@rules.arrays(2)
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


@rules.arrays(2)
def _eig(a: Any) -> tuple[Type, Type]:
    dtype, (batch, side) = _complex_dtype(a), square_of(array_of(a))
    return rules.array(dtype, (*batch, side)), rules.array(dtype, (*batch, side, side))


@rule
def _eigvals(a: Any) -> Type:
    batch, side = square_of(array_of(a))
    return rules.array(_complex_dtype(a), (*batch, side))


def _complex_dtype(a: Any) -> np.dtype[Any] | None:
    """Returns the dtype of complex eigenvalues; those of real matrices are real or complex, as
    the values turn out."""
    dtype = inexact(array_of(a))
    return dtype if dtype is not None and dtype.kind == "c" else None


@rule
def _qr(a: Any, mode: Any = "reduced") -> Type | tuple[Type, ...]:
    x = array_of(a)
    if rules.constant(mode) == "r":
        *batch, m, n = rules.shape_of(x)
        rows = min(m, n) if isinstance(m, int) and isinstance(n, int) else None
        return rules.array(inexact(x), (*batch, rows, n))
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
            rules.unboxed(np.dtype(np.intc), ()), rules.array(real_part(dtype), (k,)))


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


COUNTED_POWER = define(Op(
    "counted_power", np.linalg.matrix_power, _counted_power, "np.linalg.matrix_power",
    (call(SQUARE, 3), call(TABLE[:, :2], 5), call(SQUARE, 0)), onnx=None,
    doc="`np.linalg.matrix_power(a, n)` for a count n, which is not negative"))

EXPENSIVE: Traits = {"expensive": True}
ORDERED: Traits = {**EXPENSIVE, "c_order": True}
SEVERAL = (call(SQUARE), call(np.stack([SQUARE, SQUARE])))

# NumPy's function, type rule, traits, samples
LAPACK: tuple[tuple[Callable[..., Any], Any, Traits, tuple[Any, ...]], ...] = (
    (np.trace, _trace, {"method": method(3, "offset", "axis1", "axis2", "dtype")},
     (call(SQUARE), call(MATRIX, 1), call(CUBE, axis1=1, axis2=2), call(TABLE))),
    (np.linalg.norm, _norm, EXPENSIVE,
     (call(VECTOR), call(MATRIX), call(MATRIX, axis=1), call(MATRIX, 2), call(VECTOR, 1),
      call(MATRIX, None, 0, True), call(VECTOR, np.inf), call(MATRIX, "fro"), call(VECTOR, 0),
      call(TABLE, axis=-1))),
    (np.linalg.solve, _solve, ORDERED, (call(SQUARE, VECTOR), call(SQUARE, MATRIX.T))),
    (np.linalg.inv, _inv, ORDERED, SEVERAL),
    (np.linalg.det, _det, EXPENSIVE, SEVERAL),
    (np.linalg.slogdet, _slogdet, {}, (call(SQUARE),)),
    (np.linalg.svd, _svd, EXPENSIVE,
     (call(MATRIX), call(MATRIX, False), call(MATRIX, compute_uv=False))),
    (np.linalg.eigh, _eigh, EXPENSIVE, (call(SQUARE), call(np.stack([SQUARE, SQUARE]), "U"))),
    (np.linalg.eigvalsh, _eigvalsh, {}, (call(SQUARE),)),
    (np.linalg.eig, _eig, {}, (call(SQUARE), call(np.array([[0.0, 1.0], [-1.0, 0.0]])))),
    (np.linalg.eigvals, _eigvals, {}, (call(SQUARE), call(SQUARE * (1 + 1j)))),
    (np.linalg.qr, _qr, {},
     (call(MATRIX), call(MATRIX.T), call(MATRIX.T, "complete"), call(MATRIX, "r"))),
    (np.linalg.cholesky, _cholesky, ORDERED, (call(SQUARE),)),
    (np.linalg.lstsq, _lstsq, {}, (call(MATRIX.T, VECTOR), call(MATRIX.T, SQUARE, None))),
    (np.linalg.pinv, _pinv, EXPENSIVE, (call(MATRIX), call(MATRIX.T))),
    (np.linalg.matrix_rank, _matrix_rank, {}, (call(MATRIX), call(np.stack([SQUARE, SQUARE])))),
    (np.linalg.matrix_power, _matrix_power, {},
     (call(SQUARE, 3), call(SQUARE, -1), call(SQUARE, 0))),
)
NAMED: dict[Callable[..., Any], Callable[[Any], Any]] = {
    fn: type(fn(SQUARE))._make
    for fn in (np.linalg.slogdet, np.linalg.svd, np.linalg.eigh, np.linalg.eig, np.linalg.qr)
}
"""A function that returns a namedtuple -> what makes one."""

for _fn, _infer, _traits, _given in LAPACK:
    numpy_op(_fn, _infer, *_given, result=NAMED.get(_fn, tuple), **_traits)

# -- the functions of derivative rules ------------------------------------------------------------


@rules.arrays(3)
def _thin_svd(a: Any) -> Any:
    rules.shape_of(array_of(a))
    return _svd(a, False)


@rule
def _over_gaps(x: Any, gaps: Any, values: Any) -> Any:
    matrices, levels = rules.shape_of(array_of(gaps)), rules.shape_of(array_of(values))
    if len(matrices) != len(levels) + 1:
        raise NotKnown  # gaps are between values
    return ufunc_type(np.divide, rules.as_type(x), rules.as_type(gaps))


# the function's name, type rule, what it computes, samples
OF_RULES: tuple[tuple[str, Any, str, tuple[Any, ...]], ...] = (
    ("cofactors", _inv, "the cofactors of matrices, the derivative of the determinant", SEVERAL),
    ("thin_svd", _thin_svd, "`np.linalg.svd(a, full_matrices=False)`", (call(MATRIX), call(CUBE))),
    ("tall_qr", _qr, "`np.linalg.qr(a)` of matrices with at least as many rows as columns",
     (call(MATRIX.T), call(SQUARE))),
    ("over_gaps", _over_gaps, "x / gaps, where gaps are not 0: there x has to be 0, too",
     (call(SQUARE, 1.0 + np.abs(SQUARE), np.array([1.0, 2.0, 3.0])),)),
    ("of_different_values", lambda g, *args: rules.as_type(g),
     "g, the cotangent of vectors; those that are used must have values of their own",
     (call(SQUARE, np.array([1.0, 2.0, 3.0]), True, False),)),
    ("without_derivative", lambda x, reason: rules.as_type(x),
     "x, of which a derivative is refused", (call(VECTOR, "why"), call(SCALAR, "why"))),
)

for _name, _infer, _doc, _given in OF_RULES:
    define(Op(_name, KERNELS[_name], _infer, "", _given, onnx=None, doc=_doc,
              view=_name == "without_derivative", reads_only=_name != "without_derivative"))

SVD = OPS["linalg.svd"]
THIN_SVD = OPS["thin_svd"]
QR = OPS["linalg.qr"]
TALL_QR = OPS["tall_qr"]
