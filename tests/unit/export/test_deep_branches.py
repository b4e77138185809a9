"""Branches in branches, as chains of `elif` and early returns make them: each is lowered once, or
for JAX once more for each branch around it, not twice for each."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.export.lowering import Lowering
from tests.unit.export.onnx_runs import started

X = np.array([0.5, -1.0, 0.25])


def early(x: Any) -> Any:
    if x[0] > 9:
        return x * 1.5
    if x[1] > 8:
        return x - 2.5
    if x[2] > 7:
        return x * 3.5
    if x[0] > 6:
        return x / 4.5
    if x[1] > 5:
        return x + 5.5
    if x[2] > 4:
        return x * 6.5
    if x[0] > 3:
        return x - 7.5
    if x[1] > 2:
        return x * 8.5
    if x[2] > 1:
        return x / 9.5
    return x


def chain(x: Any) -> Any:
    if x[0] > 9:
        y = x * 1.5
    elif x[1] > 8:
        y = x - 2.5
    elif x[2] > 7:
        y = x * 3.5
    elif x[0] > 6:
        y = x / 4.5
    elif x[1] > 5:
        y = x + 5.5
    elif x[2] > 4:
        y = x * 6.5
    elif x[0] > 3:
        y = x - 7.5
    elif x[1] > 2:
        y = x * 8.5
    elif x[2] > 1:
        y = x / 9.5
    else:
        y = x
    return y


BRANCHES = 9


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The equations that are lowered, as often as they are."""
    found: list[Any] = []
    lower = Lowering._lowered

    def noted(self: Any, e: Any) -> Any:
        found.append(e)
        return lower(self, e)

    monkeypatch.setattr(Lowering, "_lowered", noted)
    return found


@pytest.mark.parametrize("f", [early, chain])
def test_onnx(f: Callable[..., Any], lowered: list[Any]) -> None:
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    graph = ag.function(f)
    model = ag.export_onnx(None, graph, X)
    assert len(lowered) == len(set(lowered)) > BRANCHES
    for x in (X, X * 5, X + 8, X + 10):
        assert np.array_equal(started(model, [x])[0], f(x))


@pytest.mark.parametrize("f", [early, chain])
def test_jax(f: Callable[..., Any], lowered: list[Any]) -> None:
    jax = pytest.importorskip("jax", reason="the extra jax is not installed")
    graph = ag.function(f).to_jax()
    jax.config.update("jax_enable_x64", True)
    for x in (X, X * 5, X + 8, X + 10):
        assert np.allclose(graph(x), f(x), rtol=1e-15)
        assert len(lowered) <= len(set(lowered)) * (BRANCHES + 2)
        lowered.clear()
