"""Derivatives by eigenvectors and singular vectors where two values are equal, and near there."""

import numpy as np
import pytest

import autograph as ag

ALONG = np.array([[1.0, 2.0, 0.0], [2.0, 3.0, 1.0], [0.0, 1.0, 1.0]])
SPREAD = np.diag([1.0, 2.0, 4.0]) + 0.1 * ALONG
TURNED = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
EQUAL = [np.eye(3), TURNED @ np.diag([1.0, 1.0, 2.0]) @ TURNED.T]


def exponential(a):
    values, vectors = np.linalg.eigh(a)
    return (vectors * np.exp(values)) @ vectors.T


def cubes(a):
    return np.sum(np.linalg.eigvalsh(a) ** 3)


def singular_cubes(a):
    return np.sum(np.linalg.svd(a, compute_uv=False) ** 3)


def nearest_rotation(a):
    u, _, vh = np.linalg.svd(a)
    return u @ vh


def difference(f, a, t):
    return (f(a + 1e-6 * t) - f(a - 1e-6 * t)) / 2e-6


@pytest.mark.parametrize(("f", "a", "t"), [
    (exponential, SPREAD, ALONG), (nearest_rotation, SPREAD, np.triu(ALONG)),
    (nearest_rotation, 1e8 * SPREAD, 1e8 * np.triu(ALONG))])
def test_vectors_of_different_values(f, a, t):
    expected = difference(f, a, t)
    np.testing.assert_allclose(ag.jvp(f, (a,), (t,))[1], expected, atol=1e-6)
    _, pullback = ag.vjp(f, a)
    np.testing.assert_allclose(np.sum(pullback(np.tri(3))[0] * t), np.sum(np.tri(3) * expected),
                               rtol=1e-6)


@pytest.mark.parametrize("a", EQUAL)
@pytest.mark.parametrize("f", [exponential, nearest_rotation])
def test_vectors_of_equal_values_are_refused(f, a):
    with pytest.raises(ag.NotDifferentiable, match="are equal"):
        ag.jvp(f, (a,), (ALONG,))
    if f is exponential:
        _, pullback = ag.vjp(f, a)
        with pytest.raises(ag.NotDifferentiable, match="are equal"):
            pullback(ALONG)


@pytest.mark.parametrize("a", EQUAL)
@pytest.mark.parametrize("f", [cubes, singular_cubes])
def test_values_alone(f, a):
    found = np.sum(ag.grad(f)(a) * ALONG)
    np.testing.assert_allclose(found, difference(f, a, ALONG), rtol=1e-6)
    with pytest.raises(ag.NotDifferentiable, match="are equal"):
        ag.hvp(f, (a,), (ALONG,))


@pytest.mark.parametrize("f", [cubes, singular_cubes])
def test_second_derivatives_of_different_values(f):
    np.testing.assert_allclose(ag.hvp(f, (SPREAD,), (ALONG,)),
                               difference(ag.grad(f), SPREAD, ALONG), rtol=1e-5, atol=1e-5)


def test_a_vector_of_one_value_beside_equal_ones():
    def last(a):
        vector = np.linalg.eigh(a)[1][:, 2]
        return vector * np.sign(vector[2])

    _, pullback = ag.vjp(last, EQUAL[1])
    found = np.sum(pullback(np.array([1.0, 2.0, 3.0]))[0] * ALONG)
    np.testing.assert_allclose(
        found, np.array([1.0, 2.0, 3.0]) @ difference(last, EQUAL[1], ALONG), rtol=1e-6)


def composed(a):
    values, vectors = np.linalg.eigh(a)
    return (vectors * np.sin(values)) @ vectors.T


def recomposed(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return (u * s) @ vh


@pytest.mark.parametrize("a", [np.zeros((3, 3)), np.diag([0.0, 0.0, 2.0]), np.ones((3, 3))])
@pytest.mark.parametrize("f", [composed, recomposed])
def test_a_cotangent_that_vanishes_with_the_gap(f, a):
    """The derivative is 0 / 0, and not 0."""
    _, pullback = ag.vjp(f, a)
    with pytest.raises(ag.NotDifferentiable, match="are equal"):
        pullback(ALONG)


def test_one_singular_value_of_zero():
    a = np.vstack([np.diag([1.0, 0.0]), np.zeros(2)])
    _, pullback = ag.vjp(recomposed, a)
    with pytest.raises(ag.NotDifferentiable, match="one is 0"):
        pullback(ALONG[:, :2])
    square = np.diag([3.0, 0.0, 1.0])
    np.testing.assert_allclose(ag.vjp(recomposed, square)[1](ALONG)[0], ALONG)


def by_order(a):
    values, vectors = np.linalg.eigh(a)
    first = vectors[:, np.argsort(values)[::-1][:1]]
    return first @ first.T


def by_rows(a):
    first = np.linalg.eigh(a)[1].T[::-1][:1]
    return first.T @ first


def by_mask(a):
    values, vectors = np.linalg.eigh(a)
    first = vectors[:, values > 1.0]
    return first @ first.T


def by_singular_vectors(a):
    u, s, vh = np.linalg.svd(a)
    return s[0] * np.outer(u[:, 0], vh[0])


@pytest.mark.parametrize("f", [by_order, by_rows, by_mask, by_singular_vectors])
def test_vectors_of_other_values_are_used(f):
    a = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    found = np.sum(ag.vjp(f, a)[1](np.tri(3))[0] * ALONG)
    np.testing.assert_allclose(found, np.sum(np.tri(3) * difference(f, a, ALONG)), rtol=1e-6)
