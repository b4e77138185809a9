"""Small programs: value, both modes and second order against differences, decorated and not.

A sample of them runs by default; AUTOGRAPH_TESTS=1000 runs all.
"""

from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import autograph as ag
from tests.support.amount import ALL
from tests.support.slope_programs import PROGRAMS

STEP = 1e-6
ONE_OF = 5
CHOSEN = [x for x in PROGRAMS if ALL
          or not crc32(x[0].__name__.encode()) % ONE_OF]


class Slopes:
    """A program, and a direction in which its arguments move."""

    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...]) -> None:
        rng = np.random.default_rng(crc32(f.__name__.encode()))
        self.f, self.args = f, args
        self.numbers = tuple(range(len(args)))
        self.direction = [self.like(x, rng) for x in args]

    def like(self, x: Any, rng: np.random.Generator) -> Any:
        if isinstance(x, np.ndarray):
            return rng.standard_normal(x.shape)
        return 0.3 + 0.4j if isinstance(x, complex) else 0.7

    def fresh(self, step: float = 0.0) -> Iterator[Any]:
        return (np.array(x) + step * d if isinstance(x, np.ndarray) else x + step * d
                for x, d in zip(self.args, self.direction, strict=True))

    def along(self, gradients: Any) -> Any:
        total = 0.0
        for g, d in zip(gradients, self.direction, strict=True):
            total = total + np.real(np.sum(g * d))
        return total

    def slope(self, f: Callable[..., Any]) -> float:
        return float((f(*self.fresh(STEP)) - f(*self.fresh(-STEP))) / (2 * STEP))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("f", "args"), CHOSEN, ids=lambda x: getattr(x, "__name__", ""))
def test_program(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    given = Slopes(f, args)
    expected, value = given.slope(f), f(*given.fresh())
    for fn in (f, ag.function(f)):
        found, gradients = ag.value_and_grad(fn, argnums=given.numbers)(*given.fresh())
        np.testing.assert_allclose(found, value, rtol=1e-12)
        np.testing.assert_allclose(given.along(gradients), expected, rtol=1e-5, atol=1e-5)
    _, tangent = ag.jvp(f, tuple(given.fresh()), tuple(given.direction))
    np.testing.assert_allclose(np.real(tangent), expected, rtol=1e-5, atol=1e-5)
    first = ag.grad(f, argnums=given.numbers)
    expected = given.slope(lambda *xs: given.along(first(*xs)))
    second = ag.grad(lambda *xs: given.along(first(*xs)), argnums=given.numbers)(*given.fresh())
    np.testing.assert_allclose(given.along(second), expected, rtol=3e-5, atol=3e-5)
    product = ag.hvp(f, tuple(given.fresh()), tuple(given.direction))
    np.testing.assert_allclose(given.along(product if len(args) > 1 else (product,)), expected,
                               rtol=3e-5, atol=3e-5)
