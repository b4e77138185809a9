"""`functools.wraps` copies attributes: a wrapper of what is ours is asked for itself."""

import functools
import gc
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import ExportError, SaveError
from autograph.runtime.export.exported import concrete_of
from tests.support.amount import sample

Fn = Callable[..., Any]


def with_rule(f: Fn, slope: float) -> Fn:
    made = ag.custom_vjp(f)
    made.defvjp(lambda x: (f(x), ()), lambda _, g: (slope * g,))
    return made


def with_forward_rule(f: Fn, slope: float) -> Fn:
    made = ag.custom_jvp(f)
    made.defjvp(lambda x, t: (f(x[0]), slope * t[0]))
    return made


WRAPPED: dict[str, Callable[[], Fn]] = {
    "function": lambda: ag.function(lambda x: x * x),
    "native": lambda: ag.function(lambda x: x * x, jit_compile=True),
    "custom_vjp": lambda: with_rule(lambda x: x * x, 100.0),
    "custom_jvp": lambda: with_forward_rule(lambda x: x * x, 100.0),
    "custom_gradient": lambda: ag.custom_gradient(lambda x: (x * x, lambda g: 50.0 * g)),
    "checkpoint": lambda: ag.checkpoint(lambda x: x * x),
    "do_not_convert": lambda: ag.do_not_convert(lambda x: x * x),
    "convert": lambda: ag.convert(lambda x: x * x if x > 0 else x),
    "grad": lambda: ag.grad(lambda x: x ** 3),
}


def cube(x: Any) -> Any:
    return x * x * x if x > 0 else -x


OUTER: dict[str, Callable[[Fn], Fn]] = {
    "plain": lambda wrapped: lambda x: cube(x),
    "calls it": lambda wrapped: lambda x: cube(x) + 0.0 * wrapped(x),
    "function": lambda wrapped: ag.function(lambda x: cube(x)),
    "custom_vjp": lambda wrapped: with_rule(lambda x: cube(x), 7.0),
    "custom_jvp": lambda wrapped: with_forward_rule(lambda x: cube(x), 8.0),
    "custom_gradient": lambda wrapped: ag.custom_gradient(
        lambda x: (cube(x), lambda g: 9.0 * g)),
    "checkpoint": lambda wrapped: ag.checkpoint(lambda x: cube(x)),
}


def of_tape(f: Fn) -> Any:
    v = ag.Variable(2.0)
    with ag.GradientTape() as tape:
        y = f(v)
    return tape.gradient(y, v)


ASKED: dict[str, Callable[[Fn], Any]] = {
    "call": lambda f: f(2.0),
    "grad": lambda f: ag.grad(f)(2.0),
    "value_and_grad": lambda f: ag.value_and_grad(f)(2.0),
    "vjp": lambda f: ag.vjp(f, 2.0)[1](1.0),
    "tape": of_tape,
    "function": lambda f: ag.function(f)(np.float64(2.0)),
    "in a trace": lambda f: ag.function(lambda x: f(x))(np.float64(2.0)),
    "argument": lambda f: ag.function(lambda g, x: g(x))(f, 2.0),
    "guarded": lambda f: ag.function(lambda x: f(x), captures="guard")(2.0),
    "convert": lambda f: ag.convert(f)(2.0),
    "vmap": lambda f: ag.vmap(f)(np.array([2.0, -3.0])),
}


@pytest.mark.parametrize(("wrapped", "outer", "asked"),
                         sample(product(WRAPPED, OUTER, ASKED), 11))
def test_a_wrapper_is_asked_for_itself(wrapped: str, outer: str, asked: str) -> None:
    inner = WRAPPED[wrapped]()
    bare, made = OUTER[outer](inner), functools.wraps(inner)(OUTER[outer](inner))
    ASKED[asked](inner)  # so that there is something to copy
    again = functools.wraps(inner)(OUTER[outer](inner))
    gc.collect()  # what nothing holds is gone
    expected = ASKED[asked](bare)
    for f in (made, again):
        np.testing.assert_array_equal(ASKED[asked](f), expected)


DECORATORS: dict[str, Callable[[Fn], Fn]] = {
    "function": ag.function, "custom_vjp": lambda f: with_rule(f, 7.0),
    "custom_jvp": lambda f: with_forward_rule(f, 8.0),
    "custom_gradient": lambda f: ag.custom_gradient(lambda x: (f(x), lambda g: 9.0 * g)),
}


@pytest.mark.parametrize(("wrapped", "outer", "asked"), sample(product(
    ("function", "custom_vjp", "custom_gradient", "checkpoint"), DECORATORS, ASKED), 5))
def test_a_wrapper_may_be_decorated_in_turn(wrapped: str, outer: str, asked: str) -> None:
    decorate = DECORATORS[outer]
    inner = WRAPPED[wrapped]()
    ASKED[asked](inner)
    wrapper = functools.wraps(inner)(lambda x: cube(x))
    gc.collect()
    np.testing.assert_array_equal(ASKED[asked](decorate(wrapper)), ASKED[asked](decorate(cube)))


def test_methods() -> None:
    class Model:
        factor = 3.0

        @ag.function
        def scaled(self, x: float) -> float:
            return x * self.factor

        twice = functools.wraps(scaled)(ag.function(lambda self, x: 2 * x * self.factor))

        @functools.wraps(scaled)
        def shifted(self, x: float) -> float:
            return self.scaled(x) * 5.0

        @staticmethod
        @ag.function
        def cubed(x: float) -> float:
            return x * x * x

        @classmethod
        @ag.function
        def of_class(cls, x: float) -> float:
            return x * cls.factor

    m = Model()
    gc.collect()
    assert (m.cubed(2.0), Model.cubed(2.0), m.of_class(2.0), Model.of_class(2.0)) == (8, 8, 6, 6)
    assert [ag.grad(f)(2.0) for f in (m.cubed, Model.cubed, Model.of_class)] == [12.0, 12.0, 3.0]
    assert "x * x * x" in ag.to_code(Model.cubed)
    assert ag.check(Model.cubed, 2.0)
    assert (m.scaled(2.0), m.twice(2.0), m.shifted(2.0)) == (6.0, 12.0, 30.0)
    assert [ag.grad(f)(2.0) for f in (m.scaled, m.twice, m.shifted)] == [3.0, 6.0, 15.0]


def test_decorated_twice() -> None:
    def logged(f: Fn) -> Fn:
        return functools.wraps(f)(ag.function(lambda *args: f(*args)))

    @logged
    @ag.function
    def doubled(x: Any) -> Any:
        return x * 2 if x.sum() > 0 else x

    gc.collect()
    assert doubled(np.ones(2)).tolist() == [2.0, 2.0]
    assert doubled(-np.ones(3)).tolist() == [-1.0, -1.0, -1.0]


def test_code_and_checks_are_the_wrappers() -> None:
    square = ag.function(lambda x: x * x)
    wrapper = functools.wraps(square)(cubed)
    assert "x * x * x" in ag.to_code(wrapper)
    assert ag.check(wrapper, 2.0).outcomes[0].result == 8.0


def cubed(x: float) -> float:
    return x * x * x


def test_a_plain_wrapper_has_no_graph_to_save(tmp_path: Any) -> None:
    square = ag.function(lambda x: x * x)
    square(2.0)
    with pytest.raises(SaveError, match="is a plain function, which has no graph"):
        ag.save(tmp_path / "w.agz", functools.wraps(square)(cubed))
    with pytest.raises(ExportError, match="has no graph"):
        concrete_of(functools.wraps(square)(cubed), "", 2.0)


def test_a_function_that_holds_itself_may_be_an_argument() -> None:
    def made(k: float) -> Fn:
        def product(n: float) -> float:
            return k if n <= 1 else n * product(n - 1)
        return product

    def first(n: float) -> float:
        return 1.0 if n <= 1 else n * second(n - 1)

    def second(n: float) -> float:
        return 1.0 if n <= 1 else n * first(n - 1)

    apply = ag.function(lambda g, x: g(x) if x > 0 else x)
    assert [apply(made(k), np.float64(4.0)) for k in (1.0, 2.0)] == [24.0, 48.0]
    assert apply(first, np.float64(4.0)) == 24.0


def test_annotations_are_the_functions() -> None:
    @ag.function
    def scaled(x: float, k: int = 2) -> float:
        return x * k

    class Model:
        @functools.singledispatchmethod
        def told(self, x: object) -> str:
            return "an object"

        @told.register
        @ag.function
        def _(self, x: float) -> float:
            return x * 2

    assert scaled.__annotations__ == {"x": float, "k": int, "return": float}
    assert (Model().told(3.0), Model().told("")) == (6.0, "an object")
