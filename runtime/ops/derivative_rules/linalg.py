"""Derivative rules of linear algebra: solvers, determinants, decompositions and norms.

The formulas of decompositions are those of M. Giles, "Collected matrix derivative results for
forward and reverse mode algorithmic differentiation" (2008); of J. Townsend, "Differentiating the
singular value decomposition" (2016); of C. Boeddeker et al. (arXiv:1701.00392) for eigenvectors;
and of G. Golub and V. Pereyra (1973) for the pseudoinverse.

cholesky, eigh and eigvalsh read one triangle of a matrix that they take to be symmetric. At one
that is, the gradient is symmetric: that of the function of (a + a^H) / 2. At another one it is that
of the triangle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.gaps import OF_DIFFERENT_VALUES, OVER_GAPS, over_gaps
from autograph.runtime.ops.derivative_rules.helpers import (
    adjoint,
    axes_of,
    dot_conjugate,
    given,
    is_complex,
    is_symbol,
    known,
    on_symbols,
    rank,
    squares,
    swap_last,
)
from autograph.runtime.ops.derivatives import (
    ZERO,
    Derivative,
    Formula,
    NotDifferentiableHere,
    Parts,
    Refused,
    dispatching,
)

# -- small things about matrices ------------------------------------------------------------------


def _diagonal(x: Any) -> Any:
    return np.diagonal(x, 0, -2, -1)


def _eye(x: Any) -> Any:
    """Returns the identity matrix of x's side, and of its precision."""
    dtype = getattr(x, "dtype", None)
    side = np.shape(x)[-1]
    if isinstance(dtype, np.dtype):
        return on_symbols(np.eye, side, dtype=np.zeros(0, dtype).real.dtype)
    return on_symbols(np.eye, side)


def _columns(v: Any) -> Any:
    """Returns numbers to multiply the columns of a matrix with."""
    return np.expand_dims(v, -2)


def _rows(v: Any) -> Any:
    """Returns numbers to multiply the rows of a matrix with."""
    return np.expand_dims(v, -1)


def _hermitian(x: Any) -> Any:
    return (x + adjoint(x)) / 2


def _as_read(x: Any, a: Any, upper: bool = False) -> Any:
    """Returns what counts of a change of `a`, or of its cotangent, where one triangle is read: all
    of it if `a` is symmetric, else that triangle twice."""
    half = np.triu(x, 1) if upper else np.tril(x, -1)
    symmetric = np.all(np.equal(a, adjoint(a)), axis=(-2, -1), keepdims=True)
    return np.where(symmetric, x, 2 * half + _eye(x) * x)


def _mirrored(x: Any, a: Any, upper: bool = False) -> Any:
    """Returns the Hermitian matrix that a function reads of one."""
    return _hermitian(_as_read(x, a, upper))


def _lower_half(x: Any) -> Any:
    """Returns the lower triangle with half the diagonal."""
    return np.tril(x) - _eye(x) * x / 2


def _by_gaps(x: Any, w: Any) -> Any:
    """Returns x_ij / (w_j - w_i), and 0 on the diagonal."""
    return over_gaps(x, _off_diagonal(_columns(w) - _rows(w)), w)


def _off_diagonal(gaps: Any) -> Any:
    """Returns gaps with infinite ones on the diagonal: a vector has none to itself."""
    return np.where(_eye(gaps) == 1.0, np.inf, gaps)


# -- solvers and determinants ---------------------------------------------------------------------


def _solve_vjp(g: Any, z: Any, a: Any, b: Any) -> Any:
    if rank(b) == 1:
        b_bar = np.linalg.solve(swap_last(a), _rows(g))[..., 0]
        return -_rows(b_bar) * _columns(z), b_bar
    b_bar = np.linalg.solve(swap_last(a), g)
    return -np.matmul(b_bar, swap_last(z)), b_bar


def _solve_jvp(t: Any, z: Any, a: Any, b: Any) -> Any:
    vector = rank(b) == 1
    moved: Any = 0.0 if t[1] is None else _rows(t[1]) if vector else t[1]
    if t[0] is not None:
        moved = moved - np.matmul(t[0], _rows(z) if vector else z)
    made = np.linalg.solve(a, moved)
    return made[..., 0] if vector else made


def _inv_vjp(g: Any, z: Any, a: Any) -> Any:
    zt = swap_last(z)
    return (-np.matmul(np.matmul(zt, g), zt),)


def _inv_jvp(t: Any, z: Any, a: Any) -> Any:
    return -np.matmul(np.matmul(z, t[0]), z)


@dispatching
def cofactors(a: Any) -> Any:
    """Returns the matrices of cofactors, the derivative of the determinant.

    >>> cofactors(np.array([[1.0, 2.0], [3.0, 4.0]])).round(12)
    array([[ 4., -3.],
           [-2.,  1.]])
    """
    determinant = np.linalg.det(a)
    singular = ~(np.abs(determinant) > 0)
    if not np.any(singular):
        return np.asarray(determinant)[..., None, None] * np.linalg.inv(a).swapaxes(-1, -2)
    regular = np.where(singular[..., None, None], np.eye(a.shape[-1], dtype=a.dtype), a)
    inverse = np.asarray(determinant)[..., None, None] * np.linalg.inv(regular).swapaxes(-1, -2)
    return np.where(singular[..., None, None], _cofactors_by_svd(a), inverse)


def _cofactors_by_svd(a: Any) -> Any:
    u, s, vt = np.linalg.svd(a)
    n = s.shape[-1]
    others = np.where(np.eye(n, dtype=bool), 1.0, s[..., None, :]).prod(-1)
    sign = np.linalg.det(u) * np.linalg.det(vt)
    return (np.conj(u * others[..., None, :] @ vt) * sign[..., None, None]).astype(a.dtype)


def _cofactors_jvp(t: Any, z: Any, a: Any) -> Any:
    """By the inverse: a second derivative at a singular matrix is refused by NumPy's own error."""
    inverse_t = swap_last(np.linalg.inv(a))
    trace = np.sum(inverse_t * t[0], axis=(-2, -1), keepdims=True)
    return trace * z - np.matmul(np.matmul(z, swap_last(t[0])), inverse_t)


def _slogdet_vjp(g: Any, z: Any, a: Any) -> Any:
    inverse_t = swap_last(np.linalg.inv(a))
    moved = None if g[1] is None else _rows(_rows(g[1])) * inverse_t
    if g[0] is not None and is_complex(a):
        # the sign is exp(i t): only the imaginary part of the trace turns it
        turned = _rows(_rows(np.imag(g[0] * z[0]))) * 1j * inverse_t
        moved = turned if moved is None else moved + turned
    return (moved,)


def _slogdet_jvp(t: Any, z: Any, a: Any) -> Any:
    trace = np.sum(swap_last(np.linalg.inv(a)) * t[0], axis=(-2, -1))
    if not is_complex(a):
        return None, trace
    return z[0] * 1j * np.imag(trace), np.real(trace)


# -- symmetric matrices ---------------------------------------------------------------------------


def _cholesky_vjp(g: Any, z: Any, a: Any, *, upper: Any = False) -> Any:
    g, z = (adjoint(g), adjoint(z)) if upper else (g, z)
    back = np.linalg.inv(z)
    inner = _lower_half(np.matmul(swap_last(z), g))
    made = np.matmul(np.matmul(swap_last(back), inner), dot_conjugate(back))
    return (_as_read(_hermitian(made), a, bool(upper)),)


def _cholesky_jvp(t: Any, z: Any, a: Any, *, upper: Any = False) -> Any:
    factor = adjoint(z) if upper else z
    back = np.linalg.inv(factor)
    inner = np.matmul(np.matmul(back, _mirrored(t[0], a, bool(upper))), adjoint(back))
    made = np.matmul(factor, _lower_half(inner))
    return adjoint(made) if upper else made


def _eigh_jvp(t: Any, z: Any, a: Any, UPLO: Any = "L") -> Any:
    values, vectors = z
    moved = _mirrored(t[0], a, UPLO in ("U", "u"))
    inner = np.matmul(np.matmul(adjoint(vectors), moved), vectors)
    return np.real(_diagonal(inner)), np.matmul(vectors, _by_gaps(inner, values))


def _eigh_vjp(g: Any, z: Any, a: Any, UPLO: Any = "L") -> Any:
    values, vectors = z
    inner: Any = 0.0
    if g[0] is not None:
        inner = _columns(g[0]) * _eye(vectors)
    if g[1] is not None:
        inner = inner + _by_gaps(np.matmul(adjoint(vectors), dot_conjugate(g[1])), values)
    made = np.matmul(np.matmul(vectors, inner), adjoint(vectors))
    return (_as_read(dot_conjugate(_hermitian(made)), a, UPLO in ("U", "u")),)


def _eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    return np.linalg.eigh(a, UPLO)[0]


# -- eigenvalues of any matrix --------------------------------------------------------------------


def _eig_jvp(t: Any, z: Any, a: Any) -> Any:
    """Eigenvectors of length 1 whose largest component is real, as LAPACK gives them."""
    values, vectors = z
    inner = np.linalg.solve(vectors, np.matmul(t[0], vectors))
    moved = np.matmul(vectors, _by_gaps(inner, values))
    moved = moved - vectors * np.sum(np.real(np.conjugate(vectors) * moved), axis=-2, keepdims=True)
    largest = np.expand_dims(np.argmax(np.absolute(vectors), axis=-2), -2)
    turn = np.take_along_axis(moved, largest, -2) / np.take_along_axis(vectors, largest, -2)
    if is_complex(vectors):
        moved = moved - 1j * np.imag(turn) * vectors
    return _diagonal(inner), moved


def _eigvals(a: Any) -> Any:
    return np.linalg.eig(a)[0]


# -- singular values ------------------------------------------------------------------------------


@dispatching
def thin_svd(a: Any) -> Any:
    """Returns u, s, vh of `np.linalg.svd(a, full_matrices=False)`."""
    return tuple(np.linalg.svd(a, full_matrices=False))


def _thin_svd_jvp(t: Any, z: Any, a: Any) -> Any:
    u, s, vh = z
    v = adjoint(vh)
    inner = np.matmul(np.matmul(adjoint(u), t[0]), v)
    mirrored = adjoint(inner) * (1.0 - _eye(inner)) + inner * _eye(inner)
    together = _by_gaps((inner + mirrored) / 2, s)
    against = over_gaps((inner - mirrored) / 2, _off_diagonal(_columns(s) + _rows(s)), s)
    du, dv = np.matmul(u, together + against), np.matmul(v, together - against)
    if is_complex(a):
        turn = _diagonal(inner)
        du = du + u * _columns(1j * over_gaps(np.imag(turn), s, 0.0 * s))
    m, n = np.shape(a)[-2:]
    if m is not n and m != n:
        du = du + _outside(u, np.matmul(t[0], v), s)
        dv = dv + _outside(v, np.matmul(adjoint(t[0]), u), s)
    return du, np.real(_diagonal(inner)), adjoint(dv)


def _outside(u: Any, moved: Any, s: Any) -> Any:
    """Returns the tangent of singular vectors at right angles to all of them."""
    outside = moved - np.matmul(u, np.matmul(adjoint(u), moved))
    return over_gaps(outside, _columns(s), 0.0 * s)


@dispatching
def without_derivative(x: Any, reason: str) -> Any:
    """Returns x; a derivative of it is refused."""
    return x


EXTRA_COLUMNS = ("the additional vectors of a full decomposition have no derivative that is the "
                 "same for all bases\n  hint: ask for the reduced form (full_matrices=False, "
                 "mode='reduced')")


def _svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Any:
    a = _mirrored(a, a) if given(hermitian) else a
    u, s, vh = thin_svd(a)
    if not compute_uv:
        return s
    m, n = np.shape(a)[-2:]
    if full_matrices and (m is not n and m != n):
        full = np.linalg.svd(a, True)
        if isinstance(m, int) and isinstance(n, int):
            return (without_derivative(full[0], EXTRA_COLUMNS) if m > n else u, s,
                    without_derivative(full[2], EXTRA_COLUMNS) if n > m else vh)
        return (without_derivative(full[0], EXTRA_COLUMNS), s,
                without_derivative(full[2], EXTRA_COLUMNS))
    return u, s, vh


# -- QR -------------------------------------------------------------------------------------------


@dispatching
def tall_qr(a: Any) -> Any:
    """Returns q and r of `np.linalg.qr(a)`, for matrices with at least as many rows as columns."""
    return tuple(np.linalg.qr(a))


def _tall_qr_jvp(t: Any, z: Any, a: Any) -> Any:
    q, r = z
    moved = swap_last(np.linalg.solve(swap_last(r), swap_last(t[0])))  # da r^-1
    inner = np.matmul(adjoint(q), moved)
    below = np.tril(inner, -1)
    turn = below - adjoint(below)
    if is_complex(a):
        turn = turn + 1j * _eye(inner) * np.imag(inner)
    return np.matmul(q, turn - inner) + moved, np.matmul(inner - turn, r)


def _qr(a: Any, mode: Any = "reduced") -> Any:
    m, n = np.shape(a)[-2:]
    if not isinstance(m, int) or not isinstance(n, int):
        raise NotDifferentiableHere("the shape of the matrix is known only when the graph runs")
    if mode == "raw":
        raise NotDifferentiableHere("mode='raw' gives LAPACK's reflections; write mode='reduced'")
    if m >= n:
        q, r = tall_qr(a)
    else:
        q, left = tall_qr(a[..., :m])
        r = np.concatenate([left, np.matmul(adjoint(q), a[..., m:])], -1)
    if mode == "complete" and m > n:
        full = np.linalg.qr(a, "complete")
        below = np.zeros((*np.shape(a)[:-2], m - n, n))
        return without_derivative(full[0], EXTRA_COLUMNS), np.concatenate([r, below], -2)
    return r if mode == "r" else (q, r)


# -- least squares --------------------------------------------------------------------------------


def _pinv_jvp(t: Any, z: Any, a: Any, rcond: Any = None, hermitian: Any = False, **more: Any
              ) -> Any:
    """At constant rank."""
    d, a = (_mirrored(t[0], a), _mirrored(a, a)) if hermitian else (t[0], a)
    zh, dh = adjoint(z), adjoint(d)
    rows = np.matmul(np.matmul(z, zh), dh)
    columns = np.matmul(np.matmul(dh, zh), z)
    return (rows - np.matmul(np.matmul(rows, a), z) + columns
            - np.matmul(z, np.matmul(a, columns)) - np.matmul(np.matmul(z, d), z))


def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    x = np.matmul(np.linalg.pinv(a, _cut_off(a, rcond)), b)
    rest = squares(b - np.matmul(a, x))
    shape = np.shape(a)
    if _is_known(shape) and shape[0] <= shape[1]:
        residuals = np.zeros(0)
    else:
        residuals = np.sum(rest, axis=0, keepdims=rank(b) == 1)
    return x, residuals, np.linalg.matrix_rank(a), thin_svd(a)[1]


def _cut_off(a: Any, rcond: Any) -> Any:
    if rcond is None:
        shape = np.shape(a)
        size = max(shape) if _is_known(shape) else np.maximum(shape[0], shape[1])
        dtype = a.dtype if isinstance(getattr(a, "dtype", None), np.dtype) else np.dtype(float)
        return float(np.finfo(dtype if dtype.kind in "fc" else float).eps) * size
    return rcond


def _is_known(shape: Any) -> bool:
    return isinstance(shape, tuple) and all(isinstance(d, int) for d in shape)


# -- powers ---------------------------------------------------------------------------------------


def _power_moved(a: Any, d: Any, n: Any) -> Any:
    """Returns the derivative of a**n in the direction d: a corner of [[a, d], [0, a]]**n."""
    upper = np.concatenate([a, d], -1)
    lower = np.concatenate([np.zeros_like(a), a], -1)
    side = np.shape(a)[-1]
    return np.linalg.matrix_power(np.concatenate([upper, lower], -2), n)[..., :side, side:]


POWER = Formula(lambda g, z, a, n: (swap_last(_power_moved(a, swap_last(g), n)), None),
                lambda t, z, a, n: _power_moved(a, t[0], n))

# -- norms ----------------------------------------------------------------------------------------


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    keep, n = given(keepdims), rank(x)
    if len(axes_of(axis, n)) != 1:
        ord = known(ord, "ord")
    if axis is None and (ord is None or (n == 2 and ord in ("f", "fro"))):
        return np.sqrt(np.sum(squares(x), keepdims=keep))
    over = axes_of(axis, n)
    if len(over) == 1:
        return vector_norm(x, 2 if ord is None else ord, over[0], keep)
    return matrix_norm(x, ord, over, keep)


def vector_norm(x: Any, ord: Any, axis: int, keep: bool) -> Any:
    if is_symbol(ord):  # finite, or the result is no number either
        total = np.sum(_powered(np.absolute(x), ord), axis=axis, keepdims=keep)
        return _powered(total, 1.0 / ord)
    if ord == 2:
        return np.sqrt(np.sum(squares(x), axis=axis, keepdims=keep))
    size = np.absolute(x)
    if ord in (np.inf, -np.inf):
        return (np.max if ord > 0 else np.min)(size, axis=axis, keepdims=keep)
    if ord == 1:
        return np.sum(size, axis=axis, keepdims=keep)
    if ord == 0:
        return np.sum(np.where(x != 0, 1.0, 0.0), axis=axis, keepdims=keep)
    total = np.sum(_powered(size, ord), axis=axis, keepdims=keep)
    return _powered(total, 1.0 / ord)


def _powered(x: Any, exponent: Any) -> Any:
    """Returns x**exponent, with derivative 0 where x is 0."""
    zero = x == 0
    return np.where(zero, np.where(exponent > 0, 0.0, np.inf),
                    np.power(np.where(zero, 1, x), exponent))


def matrix_norm(x: Any, ord: Any, over: tuple[int, ...], keep: bool) -> Any:
    if ord in (None, "fro", "f"):
        return np.sqrt(np.sum(squares(x), axis=over, keepdims=keep))
    rows, columns = over
    if ord in (1, -1, np.inf, -np.inf):
        first, second = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = np.sum(np.absolute(x), axis=first, keepdims=True)
        best = (np.max if ord > 0 else np.min)(sums, axis=second, keepdims=True)
        return best if keep else np.squeeze(best, over)
    values = thin_svd(np.moveaxis(x, over, (-2, -1)))[1]
    made = (np.sum if ord == "nuc" else np.max if ord == 2 else np.min)(values, axis=-1)
    return np.expand_dims(made, over) if keep else made


def _trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None,
           out: Any = None) -> Any:
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


RULES: dict[str, Derivative] = {
    "trace": Parts(_trace), "linalg.norm": Parts(_norm),
    "linalg.solve": Formula(_solve_vjp, _solve_jvp, pads=False),
    "linalg.inv": Formula(_inv_vjp, _inv_jvp, pads=False),
    "linalg.det": Formula(lambda g, z, a: (_rows(_rows(g)) * cofactors(a),),
                          lambda t, z, a: np.sum(cofactors(a) * t[0], axis=(-2, -1)), pads=False),
    "cofactors": Formula(jvp=_cofactors_jvp),
    "linalg.slogdet": Formula(_slogdet_vjp, _slogdet_jvp, pads=False),
    "linalg.cholesky": Formula(_cholesky_vjp, _cholesky_jvp),
    "linalg.eigh": Formula(_eigh_vjp, _eigh_jvp), "linalg.eigvalsh": Parts(_eigvalsh),
    "linalg.eig": Formula(jvp=_eig_jvp), "linalg.eigvals": Parts(_eigvals),
    "over_gaps": OVER_GAPS, "of_different_values": OF_DIFFERENT_VALUES,
    "thin_svd": Formula(jvp=_thin_svd_jvp),
    "linalg.svd": Parts(_svd), "tall_qr": Formula(jvp=_tall_qr_jvp), "linalg.qr": Parts(_qr),
    "without_derivative": Refused("what it marks has none; its last operand says why",
                                  by_operand=True),
    "linalg.pinv": Formula(jvp=_pinv_jvp), "linalg.lstsq": Parts(_lstsq),
    "linalg.matrix_rank": ZERO, "linalg.matrix_power": POWER, "counted_power": POWER,
}
