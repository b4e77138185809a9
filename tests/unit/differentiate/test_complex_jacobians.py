"""Jacobians of complex numbers: the same in both modes, as are the dtypes."""

from typing import Any

import numpy as np
import pytest

import autograph as ag

MODES = ("reverse", "forward", "auto")
X = np.array([1.0, 2.0])
Z = np.array([1.0 + 1.0j, 2.0 - 0.5j])


@pytest.mark.parametrize("mode", MODES)
def test_of_complex_results_by_real_arguments(mode: str) -> None:
    def f(x: Any) -> Any:
        return np.exp(1j * x) * x[0], x * x

    one, two = ag.jacobian(f, mode=mode)(X)
    h = 1e-6
    for k, e in enumerate(np.eye(2) * h):
        np.testing.assert_allclose(one[:, k], (f(X + e)[0] - f(X - e)[0]) / (2 * h), rtol=1e-8,
                                   atol=1e-9)
    assert (one.dtype, two.dtype) == (np.complex128, np.float64)


@pytest.mark.parametrize("mode", MODES)
def test_of_real_results_by_complex_arguments(mode: str) -> None:
    def f(z: Any) -> Any:
        return np.abs(z) * np.real(z[0])

    found = ag.jacobian(f, mode=mode)(Z)
    h = 1e-6
    for k, e in enumerate(np.eye(2) * h):
        along = [(f(Z + e * i) - f(Z - e * i)) / (2 * h) for i in (1, 1j)]
        np.testing.assert_allclose(found[:, k], along[0] - 1j * along[1], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found[1], ag.grad(lambda z: f(z)[1])(Z))


@pytest.mark.parametrize("mode", MODES)
def test_of_holomorphic_functions(mode: str) -> None:
    found = ag.jacobian(lambda z: z * z * z[0], mode=mode, holomorphic=True)(Z)
    a, b = Z
    np.testing.assert_allclose(found, [[3 * a * a, 0], [b * b, 2 * a * b]])
    with pytest.raises(ag.NotDifferentiable, match=r"if f is holomorphic(.|\n)*hint: holomorphic="):
        ag.jacobian(lambda z: z * np.conj(z), mode=mode)(Z)


def test_hessians() -> None:
    found = ag.hessian(lambda z: np.sum(z ** 3), holomorphic=True)(Z)
    np.testing.assert_allclose(found, np.diag(6 * Z), atol=1e-12)
    with pytest.raises(ag.NotDifferentiable, match="holomorphic"):
        ag.hessian(lambda z: np.sum(np.abs(z) ** 2))(Z)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("x", [2.0, np.float64(2.0), np.array(2.0)])
def test_of_numbers(mode: str, x: Any) -> None:
    np.testing.assert_allclose(ag.jacobian(lambda x: x * (1 + 3j), mode=mode)(x), 1 + 3j)
    z = x * (1 + 1j)
    np.testing.assert_allclose(ag.jacobian(lambda z: np.real(z) ** 2, mode=mode)(z), 2 * x)
    np.testing.assert_allclose(ag.jacobian(lambda z: np.imag(z) ** 2, mode=mode)(z), -2j * x)


@pytest.mark.parametrize("mode", MODES)
def test_dtypes_are_those_of_both(mode: str) -> None:
    small = X.astype(np.float32)
    assert ag.jacobian(lambda x: x * np.arange(2), mode=mode)(small).dtype == np.float64
    assert ag.jacobian(lambda x: x * x, mode=mode)(small).dtype == np.float32
    assert ag.jacobian(lambda x: x.astype(np.float32), mode=mode)(X).dtype == np.float64
