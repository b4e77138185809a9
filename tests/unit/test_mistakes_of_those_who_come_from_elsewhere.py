"""Mistakes of those who know NumPy, TensorFlow or JAX: the cause, the user's line, the way out."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.traceback_filter import is_ours

X = np.ones(3)


def unknown_loop_option_value() -> None:
    @ag.function
    def f(x):
        for _ in range(3):
            ag.set_loop_options(unroll="yes")
            x = x + 1
        return x


def gradient_by_an_integer() -> Any:
    v = ag.Variable(2)
    with ag.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, v)


def watched_text() -> Any:
    with ag.GradientTape() as tape:
        return tape.watch("x")


def one_cotangent_of_two() -> Any:
    @ag.custom_gradient
    def product(x, y):
        return x * y, lambda g: g
    return ag.grad(product)(2.0, 3.0)


def no_pair() -> Any:
    @ag.custom_gradient
    def twice(x):
        return x * 2
    return ag.grad(twice)(2.0)


def axes_of_one_name() -> Any:
    @ag.function(input_signature=[ag.TensorSpec(["n"]), ag.TensorSpec(["n"])])
    def f(x, y):
        return x + y
    return f(np.ones(2), np.ones(3))


def module_without_a_call(path: str) -> Any:
    class Model(ag.Module):
        def __init__(self):
            self.w = ag.Variable(1.0)

        @ag.function
        def predict(self, x):
            return x * self.w

    model = Model()
    model.predict(2.0)
    ag.save(path, model)
    return ag.load(path)(2.0)


@pytest.mark.parametrize(("make", "kind", "said"), [
    (lambda: ag.grad(np.sin, argnum=0), TypeError, ["'argnum'", "there is argnums"]),
    (lambda: ag.vmap(np.sin, in_axis=0), TypeError, ["'in_axis'", "there is in_axes"]),
    (lambda: ag.scan(np.add, X, init=0.0), TypeError, ["'init'", "there is initializer"]),
    (lambda: ag.map_fn(np.sin, X, elements=3), TypeError, ["'elements'", "there is elems"]),
    (lambda: ag.load("x.agz", compile=True), TypeError, ["'compile'", "there are path, verify"]),
    (lambda: ag.TensorSpec([None], dtyp=float), TypeError, ["'dtyp'", "there is dtype"]),
    (lambda: ag.Variable(0.0, trainabel=True), TypeError, ["'trainabel'", "there is trainable"]),
    (lambda: ag.GradientTape(persistant=True), TypeError, ["there is persistent"]),
    (lambda: ag.TensorArray(float, dinamic_size=1), TypeError, ["there is dynamic_size"]),
    (lambda: ag.TensorArray(float, 3).read(0), IndexError, ["hint: write it first"]),
    (lambda: ag.Variable(1.0).assign_ad(2), AttributeError, [
        "a variable has no attribute 'assign_ad'", "did you mean assign_add?"]),
    (lambda: ag.Variable(X).mena(), AttributeError, ["did you mean mean?"]),
    (lambda: ag.Variable(X).scatter_add(3), TypeError, ["IndexedSlices(values, indices)"]),
    (lambda: ag.vmap(3), TypeError, ["not int", "the function is the first argument"]),
    (lambda: ag.map_fn(X, np.sin), TypeError, ["not ndarray", "the function is the first"]),
    (lambda: ag.map_fn(np.sin, 3), ValueError, ["the elems of map_fn", "not 3"]),
    (lambda: ag.scan(np.add, 0.0, X), ValueError, [
        "the elems of scan", "not 0.0", "the value to begin with is the third argument"]),
    (lambda: ag.switch_case(0, 3), TypeError, ["branch_fns is a list of functions", "not 3"]),
    (lambda: ag.case(3), TypeError, ["(predicate, function) pairs", "not 3"]),
    (lambda: ag.while_loop(3, lambda i: (i,), (1,)), TypeError, ["the cond of", "not int"]),
    (lambda: ag.while_loop(lambda i: i < 3, 3, (1,)), TypeError, ["the body of", "not int"]),
    (lambda: ag.custom_vjp(3), TypeError, ["not int", "@ag.custom_vjp above a function"]),
    (lambda: ag.register_replacement(3, 4), TypeError, ["not 3"]),
    (lambda: ag.set_verbosity(7), ValueError, ["a number from 0 to 3, not 7"]),
    (lambda: ag.jvp(np.sin, (1.0,), (1.0, 2.0)), ag.NotDifferentiable, [
        "has 1 argument, and there are 2 directions", "np.zeros_like"]),
    (unknown_loop_option_value, ag.ConversionError, [
        "unroll is True or False, not 'yes'", "^^^^^"]),
    (gradient_by_an_integer, ag.NotDifferentiable, ["an array of int64", "hint: write 3.0"]),
    (watched_text, ag.NotDifferentiable, ["what is watched is of class str"]),
    (one_cotangent_of_two, ag.NotDifferentiable, ["the rule of product", "(x_bar, y_bar)"]),
    (no_pair, ag.NotDifferentiable, ["twice returned", "hint: write return y, ..."]),
    (axes_of_one_name, ag.errors.SignatureError, ["where n = 2", "give them other names"]),
])
def test_what_is_wrong_is_said(make: Callable[[], Any], kind: type[Exception],
                               said: list[str]) -> None:
    with pytest.raises(kind) as caught:
        make()
    text = "".join(traceback.format_exception(caught.value))
    assert not [part for part in said if part not in text], text
    assert not [t for t, _ in traceback.walk_tb(caught.value.__traceback__) if is_ours(t)], text


def test_a_loaded_module_without_a_call_says_what_it_has(tmp_path: Any) -> None:
    with pytest.raises(TypeError, match=r"hint: there is .*predict\(…\)") as caught:
        module_without_a_call(str(tmp_path / "model.agz"))
    assert not [t for t, _ in traceback.walk_tb(caught.value.__traceback__) if is_ours(t)]


@ag.function
def product(a, b):
    h = a @ b
    return h.sum()


@ag.function
def sum_of_an_axis_after_effects(a, b):
    c = a @ b
    return c.sum(axis=5)


@ag.function
def through_a_view(x):
    y = np.broadcast_to(x, (2, 3))
    y[0] = 1
    return y


@pytest.mark.parametrize(("f", "arguments", "told"), [
    (product, (np.ones((2, 3)), np.ones((2, 3))), "  with a: float64(2, 3), b: float64(2, 3)"),
    (through_a_view, (X,), "  with x: float64(3,)"),
], ids=["product", "view"])
def test_errors_of_the_trace_show_the_operands_as_those_of_the_run(
        f: Any, arguments: tuple[Any, ...], told: str) -> None:
    with pytest.raises(ValueError) as caught:
        f(*arguments)
    assert caught.value.__notes__[-1].splitlines()[-1] == told


def test_errors_that_keep_their_state_in_slots_are_raised_by_the_graph() -> None:
    with pytest.raises(np.exceptions.AxisError, match="axis 5 is out of bounds") as caught:
        sum_of_an_axis_after_effects(np.ones((2, 2)), np.ones((2, 2)))
    assert (caught.value.axis, caught.value.ndim) == (5, 2)


class OutOfRange(ValueError):
    __slots__ = ("found",)

    def __init__(self, found: Any) -> None:
        self.found = found

    def __str__(self) -> str:
        return f"{self.found} is out of range"


@pytest.mark.parametrize("effects", ["trace", "runtime"])
def test_slots_of_errors_may_be_symbolic(effects: Any) -> None:
    def checked(x):
        y = x + 1
        if y.sum() > 2:
            raise OutOfRange(y)
        return y

    for _ in range(2):
        with pytest.raises(OutOfRange, match=r"\[2. 2.\] is out of range"):
            ag.function(checked, effects=effects)(np.ones(2))
