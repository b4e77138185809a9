"""Mistakes whose errors named no way out, a line that is not the user's, or a frame of ours."""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.traceback_filter import is_ours

X = np.arange(3.0)


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float


@dataclasses.dataclass
class Point:
    a: float


@ag.custom_vjp
def one_for_two(x, y):
    return x * y


one_for_two.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, y_bar: y_bar)


class Model:
    @ag.function(input_signature=[ag.TensorSpec([], np.float64)] * 2)
    def one_spec_too_many(self, x):
        return x


class Decorators:
    @ag.function
    @staticmethod
    def static(x):
        return x.nope

    @ag.function
    @property
    def seen(self):
        return X.nope  # type: ignore[attr-defined]


@ag.function
def sets_a_frozen_field(p, x):
    p.a = x
    return p


@ag.function
def replaces_an_unknown_field(x):
    return dataclasses.replace(Point(x), b=x)  # type: ignore[call-arg]


@ag.function
def evaluates_a_text(x):
    return eval("x + missing")


@pytest.mark.parametrize(("call", "kind", "said"), [
    (lambda: ag.live(3), TypeError,  # type: ignore[arg-type]
     ["ag.live takes a function, not 3", "hint: write ag.live(lambda: x)"]),
    (lambda: ag.py_function(3, [X]), TypeError,  # type: ignore[call-overload]
     ["ag.py_function takes a function, not 3", "hint: the function is the first argument"]),
    (lambda: ag.numpy_function([X], np.sin, Tout=float), TypeError,  # type: ignore[call-overload]
     ["ag.numpy_function takes a function, not ", "hint: the function is the first argument"]),
    (lambda: ag.run_functions_eagerly("False"), TypeError,  # type: ignore[arg-type]
     ["run_eagerly is True or False, not 'False'"]),
    (lambda: ag.trace_into(3), TypeError,  # type: ignore[arg-type]
     ["not as an int"]),
    (lambda: ag.register_replacement("numpy.sin", np.cos), TypeError,  # type: ignore[arg-type]
     ["hint: write ag.register_replacement(np.sin, f)"]),
    (lambda: ag.grad(sum)([1, 2]), ag.NotDifferentiable,
     ["argument 0 holds no float", "hint: write 3.0 instead of 3, or x.astype(float)"]),
    (lambda: ag.grad(lambda w, x: w * x, argnames="weight")(2.0, 3.0), ag.NotDifferentiable,
     ["argnames='weight'", "hint: the function takes (w, x)"]),
    (lambda: ag.grad(one_for_two)(2.0, 3.0), ag.NotDifferentiable,
     ["returned no tuple for 2 arguments", "hint: return (x_bar, y_bar)"]),
    (lambda: Model().one_spec_too_many(2.0), ag.SignatureError,
     ["self does not fit", "got a Model", "hint: an object has no TensorSpec"]),
    (lambda: ag.linearize(lambda w: w * w, 2.0)[1](X), ag.NotDifferentiable, ["a tangent is"]),
    (lambda: Decorators.static(X), AttributeError, ["has no attribute 'nope'"]),
    (lambda: Decorators().seen, AttributeError, ["has no attribute 'nope'"]),
    (lambda: sets_a_frozen_field(Frozen(1.0), np.float64(2)), AttributeError,
     [f"in sets_a_frozen_field, at {__file__}", "    p.a = x\n        ^^^"]),
    (lambda: replaces_an_unknown_field(np.float64(2)), TypeError,
     [f"in replaces_an_unknown_field, at {__file__}", "'b'"]),
    (lambda: evaluates_a_text(np.float64(2)), NameError,
     [f"in evaluates_a_text, at {__file__}"]),
], ids=["live", "py_function", "numpy_function", "eagerly", "trace_into", "replacement",
        "ints", "argnames", "custom_vjp", "signature", "linearize", "static", "property",
        "frozen", "replace", "eval"])
def test_the_users_line_and_the_way_out_are_said(call: Callable[[], Any], kind: type[Exception],
                                                 said: list[str]) -> None:
    try:
        with pytest.raises(kind) as caught:
            call()
    finally:
        ag.run_functions_eagerly(False)
    text = "".join(traceback.format_exception(caught.value))
    assert all(part in text for part in said), text
    assert "object at 0x" not in text
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert not any(map(is_ours, frames)), text
