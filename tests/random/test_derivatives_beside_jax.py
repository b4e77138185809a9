"""Derivatives of random programs of arrays are those that JAX gives, or are refused.

Where JAX gives NaN, ours may be a number: roots and logarithms that were not chosen.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.namespace_programs import PRELUDES, ArrayProgram
from tests.support.alarm import alarm
from tests.support.amount import seeds

jax = pytest.importorskip("jax")
SEEDS = seeds(4)
PATIENCE = 120.0
LOSS = """
def loss(x0, x1):
    total = 0.0
    for y, w in zip(f(x0, x1), weights):
        total = total + np.sum(np.real(y * w))
    return total
"""


@pytest.fixture(autouse=True)
def _wide() -> Any:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def load(source: str, namespace: str, weights: Any = ()) -> dict[str, Any]:
    text = PRELUDES[namespace] + source + LOSS
    name = f"<{namespace} {hash(source)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"np": np if namespace == "numpy" else jax.numpy, "__name__": "made",
             "weights": weights}
    exec(compile(text, name, "exec"), scope)
    return scope


def like(x: Any, rng: np.random.Generator) -> Any:
    made = rng.normal(size=np.shape(x))
    if np.iscomplexobj(x):
        made = made + 1j * rng.normal(size=np.shape(x))
    return np.asarray(made).astype(np.result_type(x))


def agree(ours: Callable[[], Any], theirs: Callable[[], Any], tolerance: float, told: str) -> None:
    """Compares two nests of arrays; JAX may refuse, and so may we."""
    try:
        expected = jax.tree_util.tree_leaves(theirs())
    except Exception:
        return
    try:
        with alarm(PATIENCE):
            found = jax.tree_util.tree_leaves(ours())
    except ag.NotDifferentiable:
        return
    assert len(found) == len(expected), told
    for x, y in zip(map(np.asarray, found), map(np.asarray, expected), strict=True):
        assert x.shape == y.shape, told
        y = y.astype(x.dtype)
        there = np.isfinite(y)
        scale = max(1.0, np.abs(y[there]).max(initial=0.0))
        assert (np.abs(x - y)[there] <= tolerance * scale).all(), f"{told}\n{x}\n{y}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives(seed: int) -> None:
    program = ArrayProgram(seed)
    source, xs = program.source(), program.arguments
    rng = np.random.default_rng(seed)
    f = load(source, "numpy")["f"]
    with np.errstate(all="ignore"):
        results = f(*(x.copy() for x in xs))
        weights = [like(y, rng) for y in results]
        ours, theirs = (load(source, n, weights)["loss"] for n in PRELUDES)
        given, tangents = list(map(jax.numpy.asarray, xs)), tuple(like(x, rng) for x in xs)
        tolerance = 2e-3 if xs[0].dtype.itemsize == 4 or xs[0].dtype == np.complex64 else 1e-7
        agree(lambda: ag.grad(ours, (0, 1))(*(x.copy() for x in xs)),
              lambda: jax.grad(theirs, (0, 1))(*given), tolerance, f"{source}\ngradient, {xs}")
        agree(lambda: ag.jvp(ours, tuple(x.copy() for x in xs), tangents)[1],
              lambda: jax.jvp(theirs, tuple(given), tuple(map(jax.numpy.asarray, tangents)))[1],
              tolerance, f"{source}\nforward mode, {xs}")
        if seed % 4 == 0 and program.dtype.kind == "f":
            agree(lambda: ag.hessian(ours)(*xs), lambda: jax.hessian(theirs)(*given),
                  tolerance * 50, f"{source}\nHessian matrix, {xs}")
        if seed % 4 == 1:
            many = [np.stack([x, x * 0.9]) for x in xs]
            agree(lambda: ag.grad(lambda *a: np.sum(ag.vmap(ours)(*a)), (0, 1))(*many),
                  lambda: jax.grad(lambda *a: jax.numpy.sum(jax.vmap(theirs)(*a)), (0, 1))(
                      *map(jax.numpy.asarray, many)), tolerance * 10, f"{source}\nmapped, {xs}")
