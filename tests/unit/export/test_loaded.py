"""Exports of functions that were loaded, and of traces: as those of the function itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.serialize.save import dumps, loads
from tests.unit.export.onnx_runs import run_onnx


@ag.function
def moved(x, k, steps=3):
    for i in range(steps):
        if np.sum(x) > k:
            x = x * 0.5 + x[i]
        else:
            x = x + k
    return {"x": x, "sum": x.sum()}


class Scaled(ag.Module):
    def __init__(self) -> None:
        super().__init__("scaled")
        self.v = ag.Variable(np.arange(3.0))

    @ag.function
    def times(self, x):
        return self.v * x


X, K = np.arange(3.0), np.float64(2.0)


def forms() -> list[Any]:
    data = dumps(moved, (X, K))
    return [loads(data), loads(data).concrete_functions[0], moved.get_concrete_function(X, K)]


@pytest.mark.parametrize("number", range(3))
def test_jax_runs_what_has_no_source(number: int) -> None:
    jax = pytest.importorskip("jax", reason="the extra jax is not installed")
    jax.config.update("jax_enable_x64", True)
    run = forms()[number].to_jax()
    for x in (X, X - 5):
        found, wanted = run(jax.numpy.asarray(x), jax.numpy.asarray(K)), moved(x, K)
        assert np.array_equal(found["x"], wanted["x"]) and found["sum"] == wanted["sum"]
    slope = jax.grad(lambda x: run(x, K)["sum"])(jax.numpy.asarray(X))
    assert np.allclose(slope, ag.grad(lambda x: moved(x, K)["sum"])(X))
    with pytest.raises(ag.errors.SignatureError, match=r"for other arguments than these"):
        run(jax.numpy.ones(4), K)
    with pytest.raises(ValueError, match="checks must be one of"):
        forms()[number].to_jax(checks="leave")


def test_jax_takes_a_method_of_a_loaded_module() -> None:
    jax = pytest.importorskip("jax", reason="the extra jax is not installed")
    jax.config.update("jax_enable_x64", True)
    loaded = loads(dumps(Scaled(), {"times": (X,)}))
    assert loaded.times.to_jax()(jax.numpy.asarray(X)).tolist() == [0, 1, 4]


@pytest.mark.parametrize("number", range(3))
def test_onnx_has_what_has_no_source(number: int) -> None:
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    for arguments in ((X, K), ()):  # the only signature need not be told
        model = ag.export_onnx(None, forms()[number], *arguments, checks="drop")
        found, wanted = run_onnx(model, [X, K]), moved(X, K)
        assert np.array_equal(found["x"], wanted["x"]) and found["sum"] == wanted["sum"]


def test_of_several_signatures_one_has_to_be_told() -> None:
    pytest.importorskip("onnx", reason="the extra onnx is not installed")
    f = ag.function(lambda x: x * 2)
    f(X), f(np.ones((2, 2)))
    with pytest.raises(ag.errors.SignatureError):
        ag.export_onnx(None, loads(dumps(f)))
