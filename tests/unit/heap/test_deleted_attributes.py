"""Attributes that are deleted where only the run knows if an object still has them."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Thing:
    def __init__(self) -> None:
        self.n = 1


class Declared:
    __slots__ = ("n",)

    def __init__(self) -> None:
        self.n = 1


def chosen_twice(x, a, b):
    v = a if x > 1 else b
    del v.n
    if x > 3:
        del v.n


def chosen_then_known(x, a, b):
    v = a if x > 1 else b
    del v.n
    del b.n


def in_a_loop(x, a, b):
    v = a if x > 1 else b
    for _ in range(int(x)):
        del v.n


def by_name(x, a, b):
    if x > 1:
        delattr(a, "n")
    if x > 3:
        delattr(a, "n")


def in_a_handler(x, a, b):
    v = a if x > 1 else b
    del v.n
    try:
        del a.n
    except AttributeError:
        b.n = 7


def outcome(f: Callable[..., Any], cls: type, x: float) -> Any:
    a, b = cls(), cls()
    try:
        f(np.float64(x), a, b)
    except AttributeError as error:
        found = str(error)
    else:
        found = ""
    return found, getattr(a, "n", None), getattr(b, "n", None)


@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize(("form", "cls"), list(itertools.product(
    (chosen_twice, chosen_then_known, in_a_loop, by_name, in_a_handler), (Thing, Declared))))
def test_as_plain_python(form: Callable[..., Any], cls: type, effects: str) -> None:
    f = ag.function(form, effects=effects)
    for x in (0.0, 2.0, 5.0, 1.0):
        assert outcome(f, cls, x) == outcome(form, cls, x)
