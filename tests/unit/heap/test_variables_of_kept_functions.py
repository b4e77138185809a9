"""Functions that the run keeps find in their variables what Python's functions find there."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES


class Holder:
    v: Any = 1


def variable_of_a_loop(a: Any) -> Any:
    fs: list[Callable[[], Any]] = []
    for v in (1, 2):
        def g() -> Any:
            return v  # noqa: B023
        fs.append(g)
        if a > 1:
            break
    return [g() for g in fs]


def variable_bound_later(a: Any) -> Any:
    fs, t = list[Callable[[], Any]](), (1, 1)
    if a > 1:
        fs.append(lambda: t)
    t = (a, 2)
    return [g() for g in fs]


def list_filled_later(a: Any) -> Any:
    fs, items = list[Callable[[], Any]](), [1]
    if a > 1:
        fs.append(lambda: sum(items))
    items.append(a)
    return [g() for g in fs], items


def list_that_comes_out_twice(a: Any) -> Any:
    fs, items = list[Callable[[], Any]](), [1]
    if a > 1:
        fs.append(lambda: items)
    found = [g() for g in fs]
    return found, all(x is items for x in found)


def dict_set_later(a: Any) -> Any:
    fs, table = list[Callable[[], Any]](), {"k": 1}
    if a > 1:
        fs.append(lambda: table["k"])
    table["k"] = a
    return [g() for g in fs]


def object_set_later(a: Any) -> Any:
    fs, o = list[Callable[[], Any]](), Holder()
    if a > 1:
        fs.append(lambda: o.v)
    o.v = a
    return [g() for g in fs]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", [
    variable_of_a_loop, variable_bound_later, list_filled_later, list_that_comes_out_twice,
    dict_set_later, object_set_later], ids=lambda f: str(f.__name__))
def test_they_find_what_python_finds(function: Callable[..., Any], mode: str) -> None:
    traced = ag.function(function, **MODES[mode])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FallbackWarning)
        for x in map(np.float64, (0.0, 2.0, 3.0, 0.0)):
            assert repr(traced(x)) == repr(function(x))


def test_each_call_has_a_list_of_its_own() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FallbackWarning)
        traced = ag.function(list_that_comes_out_twice)
        (one,), _ = traced(np.float64(2.0))
        (other,), _ = traced(np.float64(2.0))
    assert one is not other
