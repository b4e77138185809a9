# ruff: noqa: C408, PIE804  # programs as users write them
"""`dict(w=x)`: a dict whose keys are known, whatever its values are."""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

X = np.array([0.5, -0.3, 0.2])


def parameters(x: Any) -> Any:
    p = dict(w=x[0], b=x[1:] * 2.0)
    q = dict(p, w=p["w"] * 3.0, **{"c": x[2]})
    return sum(np.sum(v * v) for v in q.values()), sorted(q), "w" in q, len(q)


def ordered(x: Any) -> Any:
    p = OrderedDict(b=x[0], a=x)
    p.move_to_end("b")
    return list(p), p["a"] * p["b"], type(p) is OrderedDict


def by_default(x: Any) -> Any:
    p = defaultdict(float, k=x[0])
    p["new"] += x[1]
    return p["k"] * p["new"], p["other"]


def counted(x: Any) -> Any:
    return Counter(a=x[0], b=x[1])["a"] + Counter(a=2.0)["b"]


def in_a_loop(x: Any) -> Any:
    state = dict(v=x, t=0.0)
    for i in range(int(x[0] * 8.0 + 0.5)):
        state = dict(v=state["v"] * 0.9 + i, t=state["t"] + state["v"].sum())
    return state


def in_a_branch(x: Any) -> Any:
    state = dict(v=x, n=1)
    if x.sum() > 0.0:
        state = dict(state, v=x * 2.0)
        state.update(n=2)
    return state


@pytest.mark.parametrize("mode", [{}, {"effects": "runtime"}], ids=["default", "runtime"])
@pytest.mark.parametrize("program", [parameters, ordered, by_default, counted, in_a_loop,
                                     in_a_branch])
def test_as_plain(program: Callable[..., Any], mode: dict[str, Any]) -> None:
    traced = ag.function(program, **mode)
    for x in (X, -X):
        np.testing.assert_equal(traced(x), program(x))


def test_it_has_derivatives() -> None:
    def loss(x: Any) -> Any:
        return parameters(x)[0] + in_a_loop(x)["t"]

    steps = [(loss(X + 1e-6 * e) - loss(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(ag.grad(loss)(X), steps, rtol=1e-6)
