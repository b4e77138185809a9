"""SciPy's linear algebra: values, both modes and second order, with the options programs use."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ops.derivative_rules.scipy_linalg import RULES
from tests.support.slopes import Trial

sl = pytest.importorskip("scipy.linalg")
RNG = np.random.default_rng(3)
A = RNG.normal(size=(4, 4)) + 3.0 * np.eye(4)
B = RNG.normal(size=(4, 2))
V = RNG.normal(size=4)
TALL = RNG.normal(size=(5, 3))
BAND = np.array([V, V * V + 4.0, V[::-1]])
TURNED = A[[1, 3, 0, 2]]
Program = tuple[Callable[..., Any], tuple[Any, ...]]


def positive(a: Any) -> Any:
    return a @ a.T / 4 + np.eye(4)


PROGRAMS: dict[str, Program] = {
    "solve": (sl.solve, (A, V)), "solve many": (sl.solve, (A, B)),
    "solve transposed": (lambda a, b: sl.solve(
        a, b, False, False, False, True, "gen", True), (A, V)),
    "solve pos": (lambda a, b: sl.solve(positive(a), b, assume_a="pos"), (A, V)),
    "solve list": (lambda a: sl.solve(a, [1.0, 2.0, 3.0, 4.0]), (A,)),
    "solve_triangular": (sl.solve_triangular, (A, V)),
    "solve_triangular lower": (lambda a, b: sl.solve_triangular(a, b, lower=True), (A, B)),
    "solve_triangular trans": (lambda a, b: sl.solve_triangular(
        a, b, trans="T", lower=True), (A, V)),
    "solve_triangular unit": (lambda a, b: sl.solve_triangular(
        a, b, 1, True, unit_diagonal=True), (A / 3, V)),
    "solve_banded": (lambda ab, b: sl.solve_banded((1, 1), ab, b), (BAND, V)),
    "solve_banded of rows": (lambda v: sl.solve_banded(
        (2, 1), np.array([v, v * v + 4, v, v]), v), (V,)),
    "solve_sylvester": (sl.solve_sylvester, (A, A[:2, :2], B)),
    "solve_continuous_lyapunov": (sl.solve_continuous_lyapunov, (A, A.T @ A)),
    "solve_discrete_lyapunov": (sl.solve_discrete_lyapunov, (A / 9, A.T @ A)),
    "lstsq": (lambda a, b: sl.lstsq(a, b)[:2], (TALL, RNG.normal(size=5))),
    "inv": (sl.inv, (A,)), "det": (sl.det, (A,)), "pinv": (sl.pinv, (TALL,)),
    "cholesky": (lambda a: sl.cholesky(positive(a)), (A,)),
    "cholesky lower": (lambda a: sl.cholesky(positive(a), lower=True), (A,)),
    "cho_factor": (lambda a, b: sl.cho_solve(sl.cho_factor(positive(a)), b), (A, V)),
    "cho_factor lower": (lambda a, b: sl.cho_solve(sl.cho_factor(positive(a), True), b), (A, B)),
    "cho_solve of cholesky": (lambda a, b: sl.cho_solve(
        (sl.cholesky(positive(a)), False), b), (A, V)),
    "cho_factor's diagonal": (lambda a: np.diag(sl.cho_factor(positive(a))[0]), (A,)),
    "cho_factor's numbers": (lambda a: sl.cho_factor(positive(a))[0] ** 2, (A,)),
    "lu_factor": (lambda a, b: sl.lu_solve(sl.lu_factor(a), b), (A[::-1], V)),
    "lu_factor many": (lambda a, b: sl.lu_solve(sl.lu_factor(a), b), (TURNED, B)),
    "lu_factor transposed": (lambda a, b: sl.lu_solve(sl.lu_factor(a), b, trans=1), (TURNED, B)),
    "lu_factor's numbers": (lambda a: sl.lu_factor(a)[0], (TURNED,)),
    "qr": (sl.qr, (A,)), "qr economic": (lambda a: sl.qr(a, mode="economic"), (TALL,)),
    "eigh": (lambda a: (lambda w, v: (w, np.abs(v)))(*sl.eigh(positive(a))), (A,)),
    "eigh values": (lambda a: sl.eigh(positive(a), eigvals_only=True), (A,)),
    "eigvalsh": (lambda a: sl.eigvalsh(a + a.T), (A,)),
    "svd": (lambda a: sl.svd(a, full_matrices=False)[1:], (TALL,)),
    "svd square": (sl.svd, (A,)), "svdvals": (sl.svdvals, (TALL,)),
    "norm": (sl.norm, (A,)), "norm of a vector": (lambda v: sl.norm(v, 1), (V,)),
    "block_diag": (sl.block_diag, (A, B, V)), "toeplitz": (sl.toeplitz, (V,)),
    "toeplitz of both": (sl.toeplitz, (V, TALL[0])), "hankel": (sl.hankel, (V, TALL[1])),
    "hankel of one": (sl.hankel, (V,)), "circulant": (sl.circulant, (V,)),
    **{name: (getattr(sl, name), (0.2 * A,)) for name in (
        "expm", "cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm")},
    "logm": (lambda a: np.real(sl.logm(positive(a))), (A,)),
    "sqrtm": (lambda a: np.real(sl.sqrtm(positive(a))), (A,)),
}
FIRST_ORDER = {"logm", "sqrtm"}
"""Functions whose results are real or complex as their numbers are."""


def test_each_rule_has_a_program() -> None:
    names = {name.split()[0].split("'")[0] for name in PROGRAMS} | {"cho_solve", "lu_solve"}
    assert names == {name.removeprefix("scipy.linalg.") for name in RULES}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name: str) -> None:
    f, args = PROGRAMS[name]
    verdict = Trial(f, args).verdict()
    assert verdict.outcome == "agree", verdict.told

    def total(*given: Any) -> Any:
        made = f(*given)
        return sum(np.sum(np.sin(x)) for x in (made if isinstance(made, tuple) else (made,)))

    numbers = tuple(range(len(args)))
    gradient = ag.grad(total, numbers)
    value, found = ag.function(ag.value_and_grad(total, numbers))(*args)
    np.testing.assert_array_equal(value, total(*args))
    for g, h, x in zip(gradient(*args), found, args, strict=True):
        np.testing.assert_allclose(g, h, rtol=1e-10, atol=1e-10)
        assert (g.shape, g.dtype) == (x.shape, x.dtype)
    if name not in FIRST_ORDER:
        verdict = Trial(lambda *given: gradient(*given), args).verdict()
        assert verdict.outcome == "agree", verdict.told


def test_single_precision_stays() -> None:
    for f in sl.inv, sl.expm, lambda a: sl.solve_triangular(a, a[0]):
        found = ag.grad(lambda a: np.sum(f(a)))(A.astype(np.float32))  # noqa: B023
        assert found.dtype == np.float32


@pytest.mark.parametrize(("f", "told"), [
    (lambda a: sl.qr(a, pivoting=True)[0], "pivoting"),
    (lambda a: sl.qr(a[:, :2])[0], "mode='economic'"),
    (lambda a: sl.svd(a[:, :2])[0], "full_matrices=False"),
    (lambda a: sl.eigh(positive(a), positive(a.T))[0], "a second matrix"),
    (lambda a: sl.inv(a * 1.0, overwrite_a=True), "overwrite_a=True"),
    (lambda a: sl.solve(a * 1.0, a[0], False, True), "overwrite_a=True"),
    (lambda a: sl.cho_factor(positive(a), True, True)[0], "overwrite_a=True"),
    (lambda a: sl.pinv(a, return_rank=True)[0], "return_rank"),
    (lambda a: sl.lu_solve(sl.lu_factor(a), a[0], trans=2), "trans=0")])
def test_what_has_no_rule_says_why(f: Callable[..., Any], told: str) -> None:
    with pytest.raises(ag.NotDifferentiable, match=told):
        ag.grad(lambda a: np.sum(f(a)))(A)
