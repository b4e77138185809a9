"""A method of an array of another class than ndarray is the class's own."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import run

NUMBERS = [[1.0, 2.0], [3.0, 4.0]]


class Odd(np.ndarray):
    """Has methods of its own, which none of NumPy's functions calls."""

    def dot(self, other: Any) -> Any:
        return "dot", other

    def flatten(self, order: str = "C") -> Any:
        return "flatten", order

    def conj(self) -> Any:
        return self[::-1] * 1.0

    def item(self, *args: Any) -> Any:
        return "item", args


MAKE: dict[str, Callable[[], Any]] = {
    "matrix": lambda: np.asarray(NUMBERS).view(np.matrix),
    "masked": lambda: np.ma.array(NUMBERS, mask=[[0, 1], [0, 0]]),
    "subclass": lambda: np.asarray(NUMBERS).view(Odd)}

METHODS: dict[str, Callable[..., Any]] = {
    "ravel": lambda m: m.ravel(), "ravel in another order": lambda m: m.ravel(order="F"),
    "flatten": lambda m: m.flatten(), "diagonal": lambda m: m.diagonal(),
    "trace": lambda m: m.trace(), "dot": lambda m: m.dot(m), "conj": lambda m: m.conj(),
    "conjugate": lambda m: (m * 1j).conjugate(), "item": lambda m: m.item(1),
    "of a result": lambda m: (m * 2.0).flatten(), "meshgrid": lambda m: np.meshgrid(m, m)}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", MAKE)
def test_is_called(kind: str, method: str) -> None:
    f = METHODS[method]
    assert run(ag.function(f), (MAKE[kind](),)).describe() == run(f, (MAKE[kind](),)).describe()


def writes(m: Any) -> Any:
    view, copy = m.ravel(), m.flatten()
    view[..., 0] = 9.0
    copy[..., 1:2] = 7.0
    return view, copy, m


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("kind", ("matrix", "masked"))
def test_a_view_is_written_through(kind: str) -> None:
    assert run(ag.function(writes), (MAKE[kind](),)).describe() == run(
        writes, (MAKE[kind](),)).describe()


def chosen(x: Any) -> Any:
    y = [x, x * 2.0][int(x.sum() > 3)]
    return y.ravel().sum() * y.flatten()[0] + y.dot(x).trace() + y.diagonal()[1] + y.conj().sum()


def test_has_a_derivative_where_the_class_is_not_known() -> None:
    x = np.asarray(NUMBERS)
    direction = np.asarray([[1.0, 0.5], [-0.5, 2.0]])
    step = 1e-6 * direction
    slope = (chosen(x + step) - chosen(x - step)) / 2e-6
    assert np.sum(ag.grad(chosen)(x) * direction) == pytest.approx(slope, rel=1e-6)
