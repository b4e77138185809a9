"""Names and options that there are not: the error has the user's line, the cause, the way out."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.traceback_filter import is_ours

X = np.arange(5.0)


@ag.function
def sorted_with_an_unknown_option(x):
    return sorted(x, key=lambda v: -v, rev=True)


@ag.function
def least_with_an_unknown_option(x):
    return min(x, key=lambda v: -v, initial=0)


@ag.function
def misspelt_in_a_branch(x):
    if x[0] >= 0:
        x = np.sqroot(x)
    return x


def unknown_executor() -> None:
    @ag.function(executor="pyhton")
    def f(x):
        return x


def method_of_functions_asked_of_the_module() -> None:
    ag.to_python(lambda x: x)


def unknown_switch() -> None:
    ag.config.debugg = True  # type: ignore[attr-defined]


@pytest.mark.parametrize(("make", "kind", "said"), [
    (lambda: sorted_with_an_unknown_option(X), TypeError, ["'rev' is an invalid keyword", "^^^^"]),
    (lambda: least_with_an_unknown_option(X), TypeError, ["min() got an unexpected", "'initial'"]),
    (lambda: misspelt_in_a_branch(X), AttributeError, [
        "no attribute 'sqroot'", "in misspelt_in_a_branch, at", "^^^^^^^^^", "with x: float64(5"]),
    (unknown_executor, ValueError, [
        "executor must be one of python", "not 'pyhton'", '@ag.function(executor="pyhton")']),
    (method_of_functions_asked_of_the_module, AttributeError, ["hint: use f.to_python"]),
    (unknown_switch, AttributeError, ["no switch 'debugg'", "hint: there is debug"]),
], ids=["sorted", "min", "np", "executor", "to_python", "switch"])
def test_what_there_is_not_is_said(make: Callable[[], Any], kind: type[Exception],
                                   said: list[str]) -> None:
    with pytest.raises(kind) as caught:
        make()
    text = "".join(traceback.format_exception(caught.value))
    assert all(part in text for part in said), text
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert not any(map(is_ours, frames)), text


@pytest.mark.parametrize(("call", "arguments"), [
    (lambda x: min(x, key=lambda v: -v), (X,)), (lambda x: max(x, 3.0, key=abs), (X[1],)),
    (lambda x: min([], key=abs, default=x), (X[1],)),
    (lambda x: sorted(x, key=lambda v: -v, reverse=bool(x[0] > 1)), (X,))])
def test_options_that_there_are_hold(call: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    for _ in range(2):
        assert repr(ag.function(call)(*arguments)) == repr(call(*arguments))
