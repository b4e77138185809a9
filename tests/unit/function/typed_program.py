"""A user's program, for type checkers: lines with `# error` are mistakes that they have to find."""

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
    v += x @ (v + 1) - (2 * v) ** -v
    assert_type(v, ag.Variable)
    assert v[0] < 3 and v.assign_add(x) is v
    ag.function(scaled, jit=True)  # error
    ag.function(captures="sometimes")  # error
    scaled("a")  # error
    scaled.explian(x)  # error
    ag.functoin(scaled)  # error
    scaled(x, m=3)  # error
