"""Derivative rules of SciPy's linear algebra, by the functions' public names.

The rules of NumPy's functions serve where a result is the same. What has a choice (the signs of
vectors) is taken from the result that SciPy gave. Functions of matrices, such as `expm`, have the
derivative in the direction d as a corner of the function of [[a, d], [0, a]].
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules import linalg
from autograph.runtime.ops.derivative_rules.helpers import (
    adjoint,
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
    Derivative,
    Formula,
    NotDifferentiableHere,
    Parts,
)

Rule = Callable[..., Any]
SYMMETRIC = ("sym", "symmetric", "her", "hermitian", "pos", "positive definite")


def function(name: str) -> Rule:
    """Returns a function of SciPy's, which is there where a rule asks for it."""
    found: Rule = getattr(importlib.import_module("scipy.linalg"), name)
    return found


# -- solvers --------------------------------------------------------------------------------------


def _solve(a: Any, b: Any, lower: Any = False, overwrite_a: Any = False,
           overwrite_b: Any = False, check_finite: Any = True, assume_a: Any = None,
           transposed: Any = False, **options: Any) -> Any:
    if known(assume_a, "assume_a") in SYMMETRIC:
        a = linalg._mirrored(a, a, not given(lower))
    return _solved(swap_last(a) if given(transposed) else a, b)


def _solved(a: Any, b: Any) -> Any:
    if isinstance(b, (list, tuple)):
        b = np.asarray(b, dtype=float)
    return np.linalg.solve(a, b)


def _triangle(a: Any, lower: Any, unit: Any) -> Any:
    if is_symbol(lower):
        return np.where(lower, np.tril(a), np.triu(a))
    if given(unit):
        return (np.tril(a, -1) if lower else np.triu(a, 1)) + linalg._eye(a)
    return np.tril(a) if lower else np.triu(a)


def _solve_triangular(a: Any, b: Any, trans: Any = 0, lower: Any = False,
                      unit_diagonal: Any = False, *more: Any, **options: Any) -> Any:
    a = _triangle(a, lower, unit_diagonal)
    trans = known(trans, "trans")
    if trans not in (0, "N"):
        a = swap_last(a) if trans in (1, "T") else adjoint(a)
    return _solved(a, b)


def _solve_banded(l_and_u: Any, ab: Any, b: Any, *more: Any, **options: Any) -> Any:
    """By the dense matrix: row u - k of `ab` is its diagonal k, from the column on where it is."""
    lower, upper = known(l_and_u, "l_and_u")
    ab = np.asarray(ab, dtype=float) if isinstance(ab, (list, tuple)) else ab
    side = np.shape(ab)[-1]
    a: Any = 0.0
    for k in range(-lower, upper + 1):
        row = ab[upper - k]
        a = a + np.diag(row[k:] if k >= 0 else row[:side + k], k)
    return _solved(a, b)


def _sylvester(a: Any, b: Any, q: Any, *more: Any, **options: Any) -> Any:
    """Solves a x + x b = q, by the matrix that acts on the rows of x one behind the other."""
    together = np.kron(a, linalg._eye(b)) + np.kron(linalg._eye(a), swap_last(b))
    return np.reshape(np.linalg.solve(together, np.reshape(q, -1)), np.shape(q))


def _continuous_lyapunov(a: Any, q: Any) -> Any:
    return _sylvester(a, adjoint(a), q)


def _discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    """Solves a x a^H - x + q = 0."""
    together = np.kron(linalg._eye(a), linalg._eye(a)) - np.kron(a, dot_conjugate(a))
    return np.reshape(np.linalg.solve(together, np.reshape(q, -1)), np.shape(q))


def _lstsq(a: Any, b: Any, cond: Any = None, *more: Any, **options: Any) -> Any:
    x, _, of_rank, s = linalg._lstsq(a, b, cond)
    residues = np.sum(squares(b - np.matmul(a, x)), axis=0)
    return x, residues, of_rank, s


# -- factors --------------------------------------------------------------------------------------


def _other_triangle(g: Any, lower: Any) -> Any:
    return np.triu(g, 1) if lower else np.tril(g, -1)


def _cho_factor_vjp(g: Any, z: Any, a: Any, lower: Any = False, *more: Any, **options: Any) -> Any:
    lower, g, z = given(lower), g[0], _triangle(z[0], given(lower), False)
    (made,) = linalg._cholesky_vjp(_triangle(g, lower, False), z, a, upper=not lower)
    return (made + _other_triangle(g, lower),)


def _cho_factor_jvp(t: Any, z: Any, a: Any, lower: Any = False, *more: Any, **options: Any) -> Any:
    lower, z = given(lower), _triangle(z[0], given(lower), False)
    moved = linalg._cholesky_jvp(t, z, a, upper=not lower)
    return moved + _other_triangle(t[0], lower), None


def _cho_solve(c_and_lower: Any, b: Any, *more: Any, **options: Any) -> Any:
    c, lower = c_and_lower
    factor = _triangle(c, lower, False)
    if is_symbol(lower):
        factor = np.where(lower, factor, adjoint(factor))
    elif not lower:
        factor = adjoint(factor)
    return _solved(adjoint(factor), _solved(factor, b))


def _lu_factors(lu: Any) -> tuple[Any, Any]:
    return np.tril(lu, -1) + linalg._eye(lu), np.triu(lu)


def _lu_factor_jvp(t: Any, z: Any, a: Any, *more: Any, **options: Any) -> Any:
    """A solution with `a`, times the factors, has the tangent's rows in their order."""
    lower, upper = _lu_factors(z[0])
    moved = np.matmul(upper, np.linalg.solve(a, t[0]))
    inner = swap_last(np.linalg.solve(swap_last(upper), swap_last(moved)))
    return np.matmul(lower, np.tril(inner, -1)) + np.matmul(np.triu(inner), upper), None


def _real_trans(trans: Any) -> bool:
    """Returns True if the transposed system is solved."""
    if known(trans, "trans") not in (0, 1):
        raise NotDifferentiableHere("it has a rule with trans=0 and trans=1")
    return bool(trans)


def _turned(lu: Any, b: Any) -> Any:
    """Returns a solution of the transposed system, its rows in the order of the factors'."""
    lower, upper = _lu_factors(lu)
    return _solved(swap_last(lower), _solved(swap_last(upper), b))


def _lu_solve_vjp(g: Any, z: Any, lu_and_piv: Any, b: Any, trans: Any = 0, *more: Any,
                  **options: Any) -> Any:
    """Of the factors' product, whose rows are those of the matrix in their order."""
    transposed = _real_trans(trans)
    b_bar = on_symbols(function("lu_solve"), lu_and_piv, g, trans=int(not transposed))
    rows, columns = (b, b_bar) if transposed else (g, z)
    rows = _turned(lu_and_piv[0], rows)
    moved = -(np.outer(rows, columns) if rank(b) == 1 else np.matmul(rows, swap_last(columns)))
    lower, upper = _lu_factors(lu_and_piv[0])
    lu_bar = np.tril(np.matmul(moved, swap_last(upper)), -1) + np.triu(
        np.matmul(swap_last(lower), moved))
    return (lu_bar, None), b_bar


def _lu_solve_jvp(t: Any, z: Any, lu_and_piv: Any, b: Any, trans: Any = 0, *more: Any,
                  **options: Any) -> Any:
    transposed, made = _real_trans(trans), 0.0
    if t[1] is not None:
        made = on_symbols(function("lu_solve"), lu_and_piv, t[1], trans=int(transposed))
    if t[0] is None:
        return made
    lower, upper = _lu_factors(lu_and_piv[0])
    moved = np.matmul(np.tril(t[0][0], -1), upper) + np.matmul(lower, np.triu(t[0][0]))
    if not transposed:
        return made - _solved(upper, _solved(lower, np.matmul(moved, z)))
    inner = np.matmul(swap_last(moved), _turned(lu_and_piv[0], b))
    return made - on_symbols(function("lu_solve"), lu_and_piv, inner, trans=1)


def _qr_jvp(t: Any, z: Any, a: Any, *more: Any, mode: Any = "full", pivoting: Any = False,
            **options: Any) -> Any:
    m, n = np.shape(a)[-2:]
    mode = known(mode, "mode")
    if more or given(pivoting) or mode not in ("full", "economic") or not (
            isinstance(m, int) and isinstance(n, int)) or m < n or (mode == "full" and m != n):
        raise NotDifferentiableHere(
            "of matrices that are not square it has a rule with mode='economic' and more rows than "
            "columns, and none with pivoting; write np.linalg.qr")
    return linalg._tall_qr_jvp(t, z, a)


# -- eigenvalues and singular values --------------------------------------------------------------


def _uplo(lower: Any) -> Any:
    return "L" if given(lower) else "U"


def _no_pencil(b: Any, options: dict[str, Any]) -> None:
    if b is not None or options.get("subset_by_index") is not None or options.get(
            "subset_by_value") is not None:
        raise NotDifferentiableHere("with a second matrix or a subset it has no rule")


def _eigh_jvp(t: Any, z: Any, a: Any, b: Any = None, *, lower: Any = True,
              eigvals_only: Any = False, **options: Any) -> Any:
    _no_pencil(b, options)
    if given(eigvals_only):
        z = np.linalg.eigh(a, _uplo(lower))
        return linalg._eigh_jvp(t, z, a, _uplo(lower))[0]
    return linalg._eigh_jvp(t, z, a, _uplo(lower))


def _eigh_vjp(g: Any, z: Any, a: Any, b: Any = None, *, lower: Any = True,
              eigvals_only: Any = False, **options: Any) -> Any:
    _no_pencil(b, options)
    if given(eigvals_only):
        g, z = (g, None), np.linalg.eigh(a, _uplo(lower))
    return linalg._eigh_vjp(g, z, a, _uplo(lower))


def _eigvalsh(a: Any, b: Any = None, *, lower: Any = True, **options: Any) -> Any:
    _no_pencil(b, options)
    return np.linalg.eigvalsh(a, _uplo(lower))


def _svd_jvp(t: Any, z: Any, a: Any, full_matrices: Any = True, compute_uv: Any = True,
             *more: Any, **options: Any) -> Any:
    if not given(compute_uv):
        return linalg._thin_svd_jvp(t, linalg.thin_svd(a), a)[1]
    m, n = np.shape(a)[-2:]
    if given(full_matrices) and m is not n and m != n:
        raise NotDifferentiableHere(linalg.EXTRA_COLUMNS)
    return linalg._thin_svd_jvp(t, z, a)


def _svdvals(a: Any, *more: Any, **options: Any) -> Any:
    return np.linalg.svd(a, compute_uv=False)


# -- functions of matrices ------------------------------------------------------------------------


def _moved(name: str, a: Any, d: Any) -> Any:
    """Returns the derivative of a function of matrices in the direction d."""
    d = d + np.zeros_like(a)
    upper = np.concatenate([a, d], -1)
    lower = np.concatenate([np.zeros_like(a), a], -1)
    side = np.shape(a)[-1]
    return on_symbols(function(name), np.concatenate([upper, lower], -2))[..., :side, side:]


def _of_matrices(name: str) -> Formula:
    def real(x: Any, a: Any) -> Any:
        return x if is_complex(a) else np.real(x)

    return Formula(lambda g, z, a, *more, **options: (
                       real(swap_last(_moved(name, a, swap_last(g))), a),),
                   lambda t, z, a, *more, **options: _moved(name, a, t[0]))


# -- matrices of numbers --------------------------------------------------------------------------


def _block_diag(*arrays: Any) -> Any:
    blocks = [np.reshape(x, (1, -1)) if rank(x) < 2 else x for x in arrays]
    width, rows, before = sum(np.shape(x)[1] for x in blocks), [], 0
    for x in blocks:
        after = width - before - np.shape(x)[1]
        rows.append(np.pad(x, ((0, 0), (before, after))))
        before += np.shape(x)[1]
    return np.concatenate(rows, 0)


def _toeplitz(c: Any, r: Any = None) -> Any:
    row = dot_conjugate(c) if r is None else r
    n, m = np.shape(c)[0], np.shape(row)[0]
    numbers = np.concatenate([row[:0:-1], c])
    return numbers[np.arange(n)[:, None] - np.arange(m) + m - 1]


def _hankel(c: Any, r: Any = None) -> Any:
    row = np.zeros_like(c) if r is None else r
    numbers = np.concatenate([c, row[1:]])
    return numbers[np.arange(np.shape(c)[0])[:, None] + np.arange(np.shape(row)[0])]


def _circulant(c: Any) -> Any:
    k = np.arange(np.shape(c)[0])
    return c[(k[:, None] - k) % np.shape(c)[0]]


def _norm(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False,
          check_finite: Any = True) -> Any:
    return linalg._norm(a, ord, axis, keepdims)


def _of_first(formula: Formula) -> Formula:
    """Returns a rule for a function that has options behind its operand."""
    vjp, jvp = formula.vjp, formula.jvp
    assert jvp is not None
    return Formula(vjp and (lambda g, z, a, *more, **options: vjp(g, z, a)),
                   lambda t, z, a, *more, **options: jvp(t, z, a), pads=formula.pads)


def _cholesky(rule: Rule) -> Rule:
    return lambda x, z, a, lower=False, *more, **options: rule(x, z, a, upper=not given(lower))


def _as_formula(rule: Derivative) -> Formula:
    assert isinstance(rule, Formula)
    return rule


def _pinv_jvp(t: Any, z: Any, a: Any, *, return_rank: Any = False, **options: Any) -> Any:
    if given(return_rank):
        raise NotDifferentiableHere("with return_rank=True it has no rule")
    return linalg._pinv_jvp(t, z, a)


def _kept(name: str, rule: Derivative) -> Derivative:
    """Returns a rule that refuses calls which destroy what it reads."""
    def checked(function_of_rule: Any, before: int) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            names = inspect.signature(function(name)).parameters
            for k, x in (*zip(names, args[before:], strict=False), *options.items()):
                if k.startswith("overwrite") and x is not False and given(x):
                    raise NotDifferentiableHere(
                        f"{k}=True lets SciPy destroy what the derivative reads; leave it out")
            return function_of_rule(*args, **options)

        return function_of_rule and call

    if isinstance(rule, Parts):
        return Parts(checked(rule.fn, 0), nests=rule.nests)
    assert isinstance(rule, Formula)
    return Formula(checked(rule.vjp, 2), checked(rule.jvp, 2), pads=rule.pads, nests=rule.nests)


RULES: dict[str, Derivative] = {f"scipy.linalg.{name}": _kept(name, rule) for name, rule in {
    "solve": Parts(_solve), "solve_triangular": Parts(_solve_triangular),
    "solve_banded": Parts(_solve_banded), "solve_sylvester": Parts(_sylvester),
    "solve_continuous_lyapunov": Parts(_continuous_lyapunov),
    "solve_discrete_lyapunov": Parts(_discrete_lyapunov), "lstsq": Parts(_lstsq),
    "inv": _of_first(_as_formula(linalg.RULES["linalg.inv"])),
    "det": _of_first(_as_formula(linalg.RULES["linalg.det"])),
    "pinv": Formula(jvp=_pinv_jvp),
    "cholesky": Formula(_cholesky(linalg._cholesky_vjp), _cholesky(linalg._cholesky_jvp)),
    "cho_factor": Formula(_cho_factor_vjp, _cho_factor_jvp),
    "cho_solve": Parts(_cho_solve, nests=True), "lu_factor": Formula(jvp=_lu_factor_jvp),
    "lu_solve": Formula(_lu_solve_vjp, _lu_solve_jvp, nests=True),
    "qr": Formula(jvp=_qr_jvp), "eigh": Formula(_eigh_vjp, _eigh_jvp),
    "eigvalsh": Parts(_eigvalsh), "svd": Formula(jvp=_svd_jvp), "svdvals": Parts(_svdvals),
    "norm": Parts(_norm), "block_diag": Parts(_block_diag), "toeplitz": Parts(_toeplitz),
    "hankel": Parts(_hankel), "circulant": Parts(_circulant),
    **{name: _of_matrices(name) for name in (
        "expm", "logm", "sqrtm", "cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm")},
}.items()}
