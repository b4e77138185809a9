"""Derivatives of norms, for each order, axis and shape that NumPy takes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

ORDERS = (None, "fro", "nuc", np.inf, -np.inf, 1, -1, 2, -2, 3, 0.5, -3, 2.5)
SHAPES: dict[tuple[int, ...], tuple[Any, ...]] = {
    (4,): (None, 0), (3, 4): (None, 0, -1, (0, 1), (1, 0)), (2, 3, 4): (None, 1, (0, 2), (2, 1))}


def calls() -> Iterator[tuple[tuple[int, ...], Any, Any]]:
    """The calls that NumPy takes."""
    for shape, axes in SHAPES.items():
        for order in ORDERS:
            for axis in axes:
                try:
                    np.linalg.norm(np.ones(shape), order, axis)
                except (ValueError, TypeError):
                    continue
                yield shape, order, axis


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize(("shape", "order", "axis"), [*calls()])
def test_norm(shape: tuple[int, ...], order: Any, axis: Any, kind: str) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=shape) + (1j * rng.normal(size=shape) if kind == "complex" else 0.0)

    def f(x: Any, keep: bool = len(shape) == 3) -> Any:
        return np.linalg.norm(x, order, axis, keep)

    verdict = Trial(f, (x,)).verdict()
    assert verdict.outcome == "agree", verdict.told


@pytest.mark.parametrize("order", [1, 2, 3.5, np.inf, -np.inf])
def test_the_order_is_an_argument(order: Any) -> None:
    def f(x: Any, order: Any) -> Any:
        return np.linalg.norm(x, order) + np.sum(np.linalg.norm(np.outer(x, x), order, 1))

    x, v, h = np.array([0.4, -1.3, 0.9]), np.array([0.3, 0.1, -0.7]), 1e-6
    slope = (f(x + h * v, order) - f(x - h * v, order)) / (2 * h)
    np.testing.assert_allclose(ag.grad(f)(x, order) @ v, slope, rtol=1e-7)


@pytest.mark.skipif(not hasattr(np.linalg, "vector_norm"), reason="this NumPy has no such function")
@pytest.mark.parametrize("order", [1, 2, np.inf, -np.inf, 3])
@pytest.mark.parametrize("axis", [None, 0, -1, (), (0, 1), (2, 0), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_vector_norm(order: Any, axis: Any, keepdims: bool) -> None:
    x = np.random.default_rng(4).normal(size=(2, 3, 4))
    verdict = Trial(lambda x: np.linalg.vector_norm(
        x, ord=order, axis=axis, keepdims=keepdims), (x,)).verdict()
    assert verdict.outcome == "agree", verdict.told
