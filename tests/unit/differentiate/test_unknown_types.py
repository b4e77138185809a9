"""Derivatives where the trace does not know a type: rows of `ag.vmap`, results of `ag.jacobian`,
and NumPy functions that the table of ops does not have."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

X = np.arange(12.0).reshape(2, 2, 3) / 7.0 + 0.1
W = np.array([[0.5, -1.0], [2.0, 0.3], [1.5, 0.7]])


def sorted_rows(x: Any) -> Any:
    return np.apply_over_axes(np.sum, x, [0]) * 2.0


def total_of(f: Any) -> Any:
    return lambda x: np.sum(f(x) ** 2)


@pytest.mark.parametrize("f", [
    sorted_rows, lambda x: np.trim_zeros(x[0]), lambda x: np.unique_values(x)])
def test_rows_of_a_map_need_no_known_type(f: Any) -> None:
    one = ag.grad(total_of(f))
    found = ag.grad(lambda x: np.sum(ag.vmap(total_of(f))(x)))(X)
    np.testing.assert_allclose(found, np.stack([one(x) for x in X]))
    found = ag.grad(lambda x: np.sum(ag.vmap(f)(x) ** 2))(X)
    np.testing.assert_allclose(found, np.stack([one(x) for x in X]))


def test_all_values_of_a_scan_need_no_known_type() -> None:
    def last(x: Any, reverse: bool) -> Any:
        made = ag.scan(lambda a, v: a * v[v > -9.0], x, np.ones(3), reverse=reverse)
        return np.sum(made * np.array([[1.0], [3.0]]))

    for reverse, order in ((False, (0, 1)), (True, (1, 0))):
        first, second = (X[0, k] for k in order)
        weights = (1.0, 3.0) if not reverse else (3.0, 1.0)
        expected = np.zeros((2, 3))
        expected[order[0]] = weights[0] + weights[1] * second
        expected[order[1]] = weights[1] * first
        np.testing.assert_allclose(ag.grad(last)(X[0], reverse), expected)


@pytest.mark.parametrize("mode", ["reverse", "forward", "auto"])
def test_a_result_of_unknown_type_has_no_jacobian_of_none(mode: str) -> None:
    with pytest.raises(ag.NotDifferentiable, match=r"before the graph runs\n +at .*"):
        ag.jacobian(lambda x: np.trim_zeros(x), mode=mode)(X[0, 0])


VIEWS = [
    np.matrix_transpose, np.linalg.matrix_transpose, np.linalg.diagonal,
    lambda x: np.linalg.diagonal(x, offset=1), lambda x: np.rollaxis(x, 2),
    lambda x: np.rollaxis(x, -1, 1), lambda x: np.rollaxis(x, 0, 3), lambda x: np.unstack(x)[1],
    lambda x: np.unstack(x, axis=-1)[0], lambda x: np.hsplit(x, 2)[1],
    lambda x: np.vsplit(x, [1])[0], lambda x: np.dsplit(x, 3)[2], lambda x: np.split(x, 1, 1)[0],
    lambda x: np.array_split(x, 1)[0], lambda x: np.hsplit(x, [])[0]]


@pytest.mark.parametrize("f", VIEWS)
def test_views_by_other_names_are_known(f: Any) -> None:
    def written(x: Any) -> Any:
        y = f(x)
        if y.flags.writeable if isinstance(y, np.ndarray) else writeable:
            y[0] += 5.0
        return x * 1.0

    writeable = f(X).flags.writeable
    t = ag.function(f).graph(X).outputs[0].type
    assert t.shape == f(X).shape
    np.testing.assert_array_equal(ag.function(written)(X.copy()), written(X.copy()))
    weights = np.cos(np.arange(f(X).size)).reshape(f(X).shape)
    jacobian = ag.jacobian(f)(X)
    assert jacobian.shape == f(X).shape + X.shape
    np.testing.assert_array_equal(np.tensordot(jacobian, X, 3), f(X))
    found = ag.hessian(lambda x: np.sum(weights * f(x) ** 2))(X)
    np.testing.assert_allclose(np.tensordot(found, X, 3), ag.grad(
        lambda x: np.sum(weights * f(x) ** 2))(X))


SHAPED = [
    np.linalg.trace, lambda x: np.resize(x, (2, 5)), lambda x: np.geomspace(x + 1.0, 9.0, 3),
    lambda x: np.logspace(x, 1.0, 3), lambda x: np.vecdot(x, x), lambda x: np.linalg.vecdot(x, x),
    lambda x: np.matvec(x, x[0, 0]), lambda x: np.vecmat(x[0, :, 0], x),
    lambda x: np.linalg.tensorinv(x[0, :, :2] + 2.0 * np.eye(2), ind=1),
    lambda x: np.kron(x[0], x[0, 0, 0]), lambda x: np.kron(x[0, 0], x[0])]


@pytest.mark.parametrize("f", SHAPED)
def test_shapes_that_follow_from_shapes_are_known(f: Any) -> None:
    t = ag.function(f).graph(X).outputs[0].type
    assert (t.shape, t.dtype, t.scalar) == (f(X).shape, f(X).dtype, isinstance(f(X), np.generic))
    by_rows = ag.jacobian(f, mode="reverse")(X)
    np.testing.assert_allclose(by_rows, ag.jacobian(f, mode="forward")(X), atol=1e-12)


SQUARES = {
    "eigh": lambda x: np.linalg.eigh(x + x.T)[0], "eig": lambda x: np.abs(np.linalg.eig(x)[0]),
    "eigvalsh": np.linalg.eigvalsh, "eigvals": lambda x: np.abs(np.linalg.eigvals(x)),
    "svd": lambda x: np.linalg.svd(x)[1], "svdvals": lambda x: np.linalg.svd(x, compute_uv=False),
    "cond": np.linalg.cond, "slogdet": lambda x: np.linalg.slogdet(x)[1], "qr": lambda x:
    np.linalg.qr(x)[1], "modf": lambda x: np.modf(x)[0], "divmod": lambda x: np.divmod(x, 0.7)[1],
    "pinv": np.linalg.pinv, "nuclear": lambda x: np.linalg.norm(x, "nuc"), "median": np.median,
    "sort": np.sort, "unique": np.unique, "pad": lambda x: np.pad(x, 1), "diagonal": np.diagonal,
    "cholesky": lambda x: np.linalg.cholesky(x @ x.T + np.eye(2)), "mean": np.mean,
    "fft": lambda x: np.abs(np.fft.rfft(x)), "einsum": lambda x: np.einsum("ij,jk", x, x)}
SQUARE = np.array([[0.3, -1.2], [0.8, 0.5]])


@pytest.mark.parametrize("name", SQUARES)
def test_of_an_array_of_unknown_type_a_derivative_is_the_same_or_refused(name: str) -> None:
    def unknown(x: Any) -> Any:
        return f(np.asarray_chkfinite(x))

    f = SQUARES[name]
    y, pullback = ag.vjp(f, SQUARE)
    try:
        found = ag.vjp(unknown, SQUARE)[1](y)
        np.testing.assert_allclose(found, pullback(y))
    except ag.NotDifferentiable:
        assert name in ("svd", "svdvals", "cond", "qr", "pinv", "nuclear", "median", "unique",
                        "pad")
    try:
        found = ag.jvp(unknown, (SQUARE,), (SQUARE,))[1]
        np.testing.assert_allclose(found, ag.jvp(f, (SQUARE,), (SQUARE,))[1])
    except ag.NotDifferentiable:
        assert name in ("svd", "qr", "nuclear", "median", "unique", "pad")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", [np.cov, np.corrcoef])
@pytest.mark.parametrize("shape", [(3, 0), (2, 1), (1,), (0, 3), (0, 0)])
def test_correlations_of_too_few_numbers(f: Any, shape: Any) -> None:
    with np.errstate(all="ignore"):
        y, pullback = ag.vjp(f, np.ones(shape))
        found = pullback(y)[0]
    assert found.shape == shape and np.isnan(found).all()


def test_an_item_of_a_list_that_grew_is_an_argument_of_a_derivative() -> None:
    """As in an adjoint method that goes back through the states that it kept."""
    def sums(w: Any, x: Any) -> Any:
        states = [x]
        for _ in range(20):
            x = x + 0.1 * np.tanh(w @ x)
            states.append(x)
        total = np.zeros_like(w)
        for state in reversed(states):
            total = total + ag.vjp(lambda w, x: np.tanh(w @ x), w, state)[1](state)[0]
        return total

    w, x = np.array([[0.5, 0.2], [-0.3, 0.1]]), np.array([1.0, 2.0])
    np.testing.assert_allclose(ag.function(sums)(w, x), sums(w, x))


def test_rules_ask_for_nothing_that_only_the_run_knows() -> None:
    def averaged(x: Any, n: int) -> Any:
        for _ in range(n):
            x = np.stack([np.average(x, axis=0, weights=x[:, k] ** 2) for k in range(2)])
        return np.sum(x)

    def pieces(x: Any, starts: Any) -> Any:
        return np.sum(np.add.reduceat(x, starts) ** 2)

    def counted(x: Any, labels: Any) -> Any:
        names, at, counts = np.unique(labels, return_inverse=True, return_counts=True)
        sums = np.zeros(len(names))
        for i, k in enumerate(at):
            sums[k] += x[i] / counts[k]
        return np.prod(sums)

    x = np.array([1.0, 2.0, 0.5, 0.7])
    for f, given in ((averaged, (np.outer(x[:2], x[1:3]), 20)),
                     (counted, (x, np.array([3, 1, 3, 1]))), (pieces, (x, np.array([0, 2, 1])))):
        verdict = Trial(f, given).verdict()
        assert verdict.outcome == "agree", verdict.told


def test_a_direction_of_nothing_is_none() -> None:
    def chosen(x: Any, places: Any) -> Any:
        return x[places["first"]] ** 2

    given, direction = (np.array([1.0, 3.0]), {"first": 1}), (np.ones(2), {"first": None})
    assert ag.jvp(chosen, given, direction) == (9.0, 6.0)
