"""Linear systems in ONNX: elimination with pivots, a step for each column of a matrix.

The formulas are those of Golub and Van Loan, Matrix Computations, sections 3.4 and 4.2. NumPy
raises a LinAlgError for a singular matrix, which a model cannot: `checks="drop"` leaves it out.
"""

from __future__ import annotations

from typing import Any

import numpy

from autograph.runtime.export.onnx.builder import BOOL, INT64, T
from autograph.runtime.export.onnx.compositions import Functions, Rule, composed

LARGEST = 64
"""The largest matrix that is taken apart: each column takes some ten nodes."""


def matrix(np: Functions, a: Any) -> T:
    """Returns a square matrix of known size, in the dtype in which NumPy computes."""
    x = np.tensor(a)
    if x.ndim != 2 or x.shape[0] != x.shape[1] or not 0 < (x.shape[0] or 0) <= LARGEST:
        np.refuse(f"an array that is no square matrix of a known size, of at most {LARGEST} rows")
    return x if x.dtype.kind == "f" else np.lw.b.cast(x, numpy.float64)


def one_at(np: Functions, k: int, n: int) -> T:
    """Returns a column that is True in row k."""
    return np.lw.b.constant((numpy.arange(n) == k)[:, None], BOOL)


def pivoted(np: Functions, rows: Any, k: int, n: int) -> tuple[Any, Any]:
    """Exchanges row k with the later row that has the largest element in column k; gives the rows,
    and True if they are exchanged."""
    column = np.absolute(np.part(rows, (slice(k, None), k)))
    pivot = np.add(np.argmax(column), k)
    every = numpy.arange(n)
    order = np.where(np.equal(every, pivot), k, np.where(every == k, pivot, every))
    return np.take(rows, order, axis=0), np.not_equal(pivot, k)


def reduced(np: Functions, rows: Any, n: int) -> tuple[Any, list[Any], list[Any]]:
    """Gauss-Jordan elimination; gives the rows, the pivots, and which rows were exchanged."""
    pivots, exchanged = [], []
    for k in range(n):
        rows, swap = pivoted(np, rows, k, n)
        pivots.append(np.part(rows, (k, k)))
        exchanged.append(swap)
        row = np.divide(np.part(rows, slice(k, k + 1)), pivots[-1])
        rest = np.subtract(rows, np.multiply(np.part(rows, (slice(None), slice(k, k + 1))), row))
        rows = np.where(one_at(np, k, n), row, rest)
    return rows, pivots, exchanged


def solve(np: Functions, a: Any, b: Any) -> Any:
    np.lw.check()
    left = matrix(np, a)
    n, right = left.shape[0] or 0, np.tensor(b)
    dtype = numpy.result_type(left.dtype, right.dtype if right.dtype.kind == "f" else float)
    if right.ndim not in (1, 2):
        np.refuse("several right sides in an array of more than 2 dimensions")
    sides = np.lw.tensor(np.expand_dims(right, 1) if right.ndim == 1 else right, dtype)
    both = np.concatenate([np.lw.tensor(left, dtype), sides], axis=1)
    found = np.part(reduced(np, both, n)[0], (slice(None), slice(n, None)))
    return np.part(found, (slice(None), 0)) if right.ndim == 1 else found


def inverse(np: Functions, a: Any) -> Any:
    x = matrix(np, a)
    return solve(np, x, numpy.eye(x.shape[0] or 0, dtype=x.dtype))


def sign_and_pivots(np: Functions, a: Any) -> tuple[Any, Any]:
    """Returns the sign that the exchanges of rows give the determinant, and the pivots."""
    x = matrix(np, a)
    n, rows, pivots, sign = x.shape[0] or 0, x, [], 1.0
    for k in range(n):
        rows, swap = pivoted(np, rows, k, n)
        sign = np.multiply(sign, np.where(swap, -1.0, 1.0))
        pivots.append(np.part(rows, (k, k)))
        safe = np.where(np.equal(pivots[-1], 0), 1.0, pivots[-1])
        share = np.divide(np.part(rows, (slice(None), slice(k, k + 1))), safe)
        below = np.where(numpy.arange(n)[:, None] > k, share, 0.0)
        rows = np.subtract(rows, np.multiply(below, np.part(rows, slice(k, k + 1))))
    return np.lw.tensor(sign, x.dtype), np.stack(pivots, axis=0)


def determinant(np: Functions, a: Any) -> Any:
    sign, pivots = sign_and_pivots(np, a)
    return np.multiply(sign, np.prod(pivots))


def sign_and_logarithm(np: Functions, a: Any) -> Any:
    sign, pivots = sign_and_pivots(np, a)
    of_each = np.where(np.equal(pivots, 0), 0.0, np.where(np.less(pivots, 0), -1.0, 1.0))
    found = np.multiply(sign, np.prod(np.cast(of_each, pivots.dtype)))  # NaN is not negative
    return [unless(np, np.any(np.isinf(a)), found), np.sum(np.log(np.absolute(pivots)))]


def cholesky(np: Functions, a: Any) -> Any:
    """The lower triangle, column by column."""
    np.lw.check()
    rest = matrix(np, a)
    n, columns = rest.shape[0] or 0, []
    for k in range(n):
        root = np.sqrt(np.part(rest, (k, k)))
        column = np.divide(np.part(rest, (slice(None), k)), root)
        columns.append(np.where(numpy.arange(n) >= k, column, 0.0))
        rest = np.subtract(rest, np.outer(columns[-1], columns[-1]))
    return unless(np, np.any(np.isinf(a)), np.stack(columns, axis=1))


def unless(np: Functions, wrong: Any, x: Any) -> Any:
    """Returns an array; the model's run stops at an index that is out of bounds if LAPACK computes
    something else, as of infinities."""
    return np.part(np.expand_dims(x, 0), np.cast(wrong, INT64))


FACTORISATIONS: dict[str, Rule] = {
    "linalg.solve": composed(solve), "linalg.inv": composed(inverse),
    "linalg.det": composed(determinant), "linalg.slogdet": composed(sign_and_logarithm),
    "linalg.cholesky": composed(cholesky),
}
"""The rules of this module by the op's name."""
