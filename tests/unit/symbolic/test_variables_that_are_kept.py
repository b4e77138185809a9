"""Variables that a function leaves in objects and containers outside: they are themselves there."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autograph as ag

W = ag.Variable(np.ones(2))


def in_a_dict(o: Any, x: Any) -> Any:
    o.d[0] = W
    return o.d[0] + x


def in_an_attribute(o: Any, x: Any) -> Any:
    o.v = W
    return o.v * x


def in_a_list(o: Any, x: Any) -> Any:
    o.xs.append(W)
    return x


def where_there_was_none(o: Any, x: Any) -> Any:
    if 0 not in o.d:
        o.d[0] = W
    return o.d[0] + x


@pytest.mark.parametrize("mode", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
@pytest.mark.parametrize("f", [in_a_dict, in_an_attribute, in_a_list, where_there_was_none])
def test_a_variable_stays_itself(f: Any, mode: dict[str, str]) -> None:
    staged, o = ag.function(f, **mode), SimpleNamespace(d={}, v=None, xs=[])
    for _ in range(2):
        assert np.array_equal(staged(o, np.ones(2)), f(
            SimpleNamespace(d={}, v=None, xs=[]), np.ones(2)))
    kept = [*o.d.values(), *o.xs, *([o.v] if o.v is not None else [])]
    assert kept
    assert all(x is W for x in kept)


class Momentum:
    """An optimiser that makes its variables when they are first wanted."""

    def __init__(self) -> None:
        self.speeds: dict[int, Any] = {}

    def apply(self, pairs: Any) -> None:
        for k, (p, g) in enumerate(pairs):
            if k not in self.speeds:
                self.speeds[k] = ag.Variable(np.zeros(p.shape))
            self.speeds[k].assign(0.9 * self.speeds[k] + g)
            p.assign_sub(0.3 * self.speeds[k])


@pytest.mark.parametrize("mode", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
def test_an_optimiser_makes_its_variables(mode: dict[str, str]) -> None:
    w, optimiser = ag.Variable(np.ones(2)), Momentum()

    @ag.function(**mode)
    def step(x: Any) -> None:
        optimiser.apply([(w, x)])

    for _ in range(3):
        step(np.ones(2))
    assert np.allclose(w.numpy(), 1 - 0.3 * (1 + 1.9 + 2.71))
    assert isinstance(optimiser.speeds[0], ag.Variable)
    assert np.allclose(optimiser.speeds[0].numpy(), 2.71)


def test_a_tape_in_a_function_gives_zeros_for_a_variable_that_is_not_read() -> None:
    v, u = ag.Variable(np.ones(2)), ag.Variable(np.ones(3))

    @ag.function
    def slopes() -> Any:
        with ag.GradientTape(persistent=True) as tape:
            y = np.sum(v**2)
        none = tape.gradient(y, u)
        return tape.gradient(y, [v, u], unconnected_gradients="zero"), none is None

    (of_v, of_u), was_none = slopes()
    assert np.array_equal(of_v, [2.0, 2.0])
    assert np.array_equal(of_u, [0.0, 0.0, 0.0])
    assert was_none
