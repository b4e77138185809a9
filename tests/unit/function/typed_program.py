"""A user's program, for type checkers: lines with `# error` are mistakes that they have to find."""

from collections.abc import Callable
from pathlib import Path
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import autograph as ag
from autograph import ConcreteFunction
from autograph.explain.explanation import Explanation

Array = NDArray[np.float64]


@ag.function
def scaled(x: Array, n: int = 2) -> Array:
    return x * n


@ag.function(strict=True, input_signature=[ag.TensorSpec((None,), np.float64)])
def same(x: Array) -> Array:
    return x


def energy(x: Array, n: int = 2) -> float:
    return float((x * x).sum()) * n


@ag.function
def decorated_energy(x: Array, n: int = 2) -> float:
    return energy(x, n)


def pair(x: Array) -> tuple[float, int]:
    return energy(x), 1


class Model:
    @ag.function
    def step(self, x: Array) -> Array:
        return x

    @ag.function(reduce_retracing=True)
    def loss(self, x: Array) -> float:
        return 1.0

    @staticmethod
    @ag.function
    def helper(x: Array) -> Array:
        return x


def use(x: Array) -> None:
    assert_type(scaled(x, 3), Array)
    assert_type(same(x), Array)
    assert_type(Model().step(x), Array)
    assert_type(Model().loss(x), float)
    assert_type(Model.helper(x), Array)
    assert_type(scaled.get_concrete_function(x), ConcreteFunction)
    assert_type(ag.function(scaled, fast_math=True)(x), Array)
    assert_type(scaled.explain(x), Explanation)
    assert_type(ag.grad(energy)(x, 2), Array)
    assert_type(ag.grad(decorated_energy)(x, 2), Array)
    assert_type(ag.value_and_grad(energy)(x), tuple[float, Array])
    value, _slopes = ag.value_and_grad(energy, argnums=(0, 1))(x, 2)
    assert_type(value, float)
    found, count = ag.grad(pair, has_aux=True)(x)
    print(found, count)
    print(ag.jacobian(same)(x), ag.hessian(energy)(x, n=3), ag.grad(energy).graph(x).equations)
    print(ag.value_and_grad(lambda x: (x * x).sum())(x), ag.grad(lambda x: -x.sum())(x))
    assert_type(ag.checkpoint(energy)(x), float)
    assert_type(ag.vmap(energy)(x, n=3), float)
    ag.grad(energy)("a")  # error
    ag.grad(energy, argnum=1)  # error
    ag.jacobian(energy)(x, m=3)  # error
    ag.value_and_grad(energy)(x, m=3)  # error
    print(scaled.explain(x).nothing)  # error
    Model().step.explain(x)
    print(scaled.graph(x), scaled.experimental_get_tracing_count(), ag.__version__)
    v = ag.Variable(x)
    print(x @ (v + 1) - (2 * v) ** -v)
    v += 1
    assert_type(v, ag.Variable)
    assert v[0] < 3 and v.assign_add(x) is v
    ag.function(scaled, jit=True)  # error
    ag.function(captures="sometimes")  # error
    scaled("a")  # error
    scaled.explian(x)  # error
    ag.functoin(scaled)  # error
    scaled(x, m=3)  # error


def two(x: Array, n: float) -> Array:
    return x * n


@ag.custom_vjp
def clipped(x: Array, n: float = 2.0) -> Array:
    return x * n


clipped.defvjp(lambda x, n=2.0: (x * n, x.shape), lambda kept, g: (g, float(kept[0])))


@ag.custom_jvp
def half(x: Array) -> Array:
    return x


@half.defjvp
def rule(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    return primals[0], tangents[0] * 0.5


@ag.custom_gradient
def quarter(x: Array) -> tuple[Array, Callable[[Array], Array]]:
    return x, lambda g: g * 0.25


def derivatives(x: Array, path: Path) -> None:
    y, pullback = ag.vjp(two, x, 2.0)
    assert_type(y, Array)
    assert_type(pullback(y), tuple[Array, float])
    assert_type(ag.vjp(scaled, x)[0], Array)
    value, back, aux = ag.vjp(pair, x, has_aux=True)
    assert_type((value, aux), tuple[float, int])
    assert_type(back(1.0), tuple[Array])
    assert_type(ag.jvp(two, (x, 2.0), (x, None)), tuple[Array, Array])
    assert_type(ag.jvp(two, [x, 2.0], [x, 1.0]), tuple[Array, Array])
    assert_type(ag.jvp(pair, (x,), (x,), has_aux=True), tuple[float, float, int])
    moved, f_jvp = ag.linearize(two, x, 2.0)
    assert_type(moved, Array)
    assert_type(f_jvp(x, 1.0), Array)
    assert_type(ag.hvp(energy, (x,), (x,)), Array)
    assert_type(ag.hvp(two, (x, 2.0), (x, 1.0)), tuple[Array, float])
    assert_type(clipped(x, 3.0), Array)
    assert_type(half(x), Array)
    assert_type(quarter(x), Array)
    assert_type(ag.stop_gradient(x), Array)
    assert_type(ag.live(lambda: 3), int)
    assert_type(ag.converted(energy)(x), float)
    assert_type(ag.convert(energy)(x), float)
    assert_type(ag.do_not_convert(energy)(x), float)
    print(ag.vjp(lambda x: x * x, x), ag.jvp(lambda x: x * x, (x,), (x,)))
    loaded = ag.load(path)
    assert_type(loaded.get_concrete_function(x), ConcreteFunction)
    assert_type(loaded.explain(), str)
    print(loaded(x), loaded.weights, [f.name for f in loaded.concrete_functions])
    ag.vjp(two, x)  # error
    ag.vjp(two, x, "a")  # error
    ag.jvp(two, (x, "a"), (x, 1.0))  # error
    ag.hvp(energy, ("a",), (x,))  # error
    clipped("a")  # error
    clipped.defvjp(lambda x: x)  # error
    quarter(1, 2)  # error
    ag.load(3)  # error
    loaded.explain(x)  # error
