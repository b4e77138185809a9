"""Stores through views that a view op gives: parts of complex arrays, and rows stored anew."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

A, B = np.array([0.3, -0.4, 0.9]), np.array([0.8, 0.2, -0.5])


def part_of_imaginary(a: Any, b: Any) -> Any:
    z = np.zeros(3, complex)
    z.real = a
    z.imag[1:] = b[1:]
    return z * z, np.abs(z).sum(), z.imag


def complex_rows(a: Any, b: Any) -> Any:
    z = np.zeros((2, 3), complex)
    z[0].real[:2] = a[:2]
    z.T[:, 1] = a + 1j * b
    return z * (1 + 2j)


def row_stored_anew(a: Any, b: Any) -> Any:
    made = np.zeros((3, 3))
    made[0] = a
    row = made[0]
    for k in range(1, 3):
        made[k] = np.sin(row) * b
    made[0] += 1.0
    return made


@pytest.mark.parametrize("f", [part_of_imaginary, complex_rows, row_stored_anew])
def test_slopes(f: Callable[..., Any]) -> None:
    verdict = Trial(f, (A, B)).verdict()
    assert verdict.outcome == "agree", verdict.told


def test_a_rule_that_calls_its_function_has_tangents() -> None:
    @ag.custom_vjp
    def square(x: Any) -> Any:
        return x ** 2

    def forward(x: Any) -> Any:
        return square(x), x

    square.defvjp(forward, lambda x, g: (2 * x * g,))
    assert ag.jvp(square, (3.0,), (1.0,)) == (9.0, 6.0)
    assert ag.grad(ag.grad(square))(3.0) == 2.0


@pytest.mark.parametrize("call", [
    lambda x: np.cov(x, aweights=np.abs(x[0])), lambda x: np.gradient(x),
    lambda x: np.gradient(x, 0.5, x[0], axis=(0, 1)), lambda x: np.gradient(x[1]),
    lambda x: np.vander(x[0], 3), lambda x: np.polyfit(x[0], x[1], 1), lambda x: np.trapezoid(x[0]),
    lambda x: np.sinc(x[0, 0]), lambda x: np.linalg.svdvals(x),
])
def test_types_by_example_are_those_of_the_results(call: Callable[..., Any]) -> None:
    x = np.linspace(0.3, 2.0, 6).reshape(2, 3) ** 2
    np.testing.assert_equal(ag.function(call)(x), call(x))
    assert type(ag.function(call)(x)) is type(call(x))
    assert Trial(call, (x,)).verdict().outcome == "agree"
