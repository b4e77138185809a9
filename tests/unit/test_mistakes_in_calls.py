"""Mistakes in what public functions are given: the sentence names the cause and the way out."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.traceback_filter import is_ours

X = np.arange(4.0)


@ag.function
def in_a_with(x):
    with x:
        return x


@ag.function
def as_keywords(x):
    return dict(**x)


@ag.function
def attribute_of_the_run(x):
    return getattr(x, "T" if x.sum() > 0 else "real")


@ag.function
def recursive(x, n):
    if n == 0:
        return x
    return recursive(x, n)


@pytest.mark.parametrize(("call", "kind", "said"), [
    (lambda: in_a_with(X), TypeError, "an array or a number when the graph runs"),
    (lambda: as_keywords(X), TypeError, "an array or a number when the graph runs"),
    (lambda: ag.vmap(lambda x, y: x, in_axes=(0,))(X, X), ValueError,
     "in_axes has 1 axes, and the function is called with 2 arguments\n  hint: None is"),
    (lambda: ag.vmap(lambda x: x, in_axes=3)(X), np.exceptions.AxisError,
     "axis 3 of an argument of 1 dimensions is to be mapped\n  hint: in_axes has"),
    (lambda: ag.vmap(lambda x: x)(3.0), np.exceptions.AxisError, "an argument of 0 dimensions"),
    (lambda: ag.vjp(lambda x: x * 2), TypeError, "<lambda>() missing a required argument: 'x'"),
    (lambda: ag.load(3), TypeError, "expected str, bytes or os.PathLike object, not int"),  # type: ignore[arg-type]
    (lambda: ag.grad(lambda x: None)(3.0), ag.NotDifferentiable, "it gave None\n"),
    (lambda: ag.grad(lambda x: np.argmax(x))(X), ag.NotDifferentiable,
     "gave a number of int64, which"),
    (lambda: ag.grad(lambda x: x * 2, argnums=1)(3.0), ag.NotDifferentiable,
     "hint: the first is argument 0"),
], ids=["with", "keywords", "in_axes", "axis", "scalar", "vjp", "load", "None", "int", "argnums"])
def test_the_cause_and_the_way_out_are_said(call: Callable[[], Any], kind: type[Exception],
                                            said: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert said in "".join(traceback.format_exception(caught.value))
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert not any(is_ours(f) or f.f_code.co_filename.endswith("inspect.py") for f in frames)


def test_a_warning_of_a_fallback_is_at_the_line_of_the_call() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        attribute_of_the_run(X)
    assert [(w.category, w.filename) for w in caught] == [(ag.FallbackWarning, __file__)]


def test_an_endless_recursion_is_one_error() -> None:
    with pytest.raises(RecursionError) as caught:
        recursive(X, 3)
    assert "During handling" not in "".join(traceback.format_exception(caught.value))
