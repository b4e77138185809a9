"""A user's program, for type checkers: lines with `# error` are mistakes that they have to find."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import autograph as ag
from autograph import ConcreteFunction

Array = NDArray[np.float64]


@ag.function
def scaled(x: Array, n: int = 2) -> Array:
    return x * n


@ag.function(strict=True, input_signature=[ag.TensorSpec((None,), np.float64)])
def same(x: Array) -> Array:
    return x


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
    scaled.explain(x)
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
