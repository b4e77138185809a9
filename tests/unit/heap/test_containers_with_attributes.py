"""Containers of the user's classes that the run makes: they have the attributes that they had."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.verdict import fallbacks


class Items(list):
    hits = 0

    def append(self, item):
        self.hits += 1
        super().append(item)


class Table(dict):
    hits = 0

    def __setitem__(self, key, value):
        self.hits += 1
        super().__setitem__(key, value)


class Silent(list):
    """Tells of each attribute that is set by its name."""

    set_by_name = 0

    def __setattr__(self, name, value):
        super().__setattr__("set_by_name", self.set_by_name + 1)
        super().__setattr__(name, value)


def appended():
    made = Items()
    made.append(3)
    return made


def stored():
    made = Table()
    made["a"] = 3
    return made


def named():
    made = Silent([1])
    made.name = "n"
    made.held = [1, 2]
    return made


def itself():
    made = Items([1])
    made.own = made
    return made


def joined(x, p, make):
    v = p
    if x > 1:
        v = make()
    return v, getattr(v, "hits", 0)


def ternary(x, p, make):
    v = make() if x > 1 else p
    return v


def loop(x, p, make):
    v = p
    for _ in range(int(x)):
        v = make()
    return v


def put(x, p, make):
    held = [p]
    if x > 1:
        held.append(make())
    return held


MAKES = {appended: Items, stored: Table, named: Silent, itself: Items}


@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize(("form", "make"), list(
    itertools.product((joined, ternary, loop, put), MAKES)))
def test_as_plain_python(form: Callable[..., Any], make: Callable[[], Any], effects: str) -> None:
    f = ag.function(form, effects=effects)
    with fallbacks():
        for x in (0.0, 2.0, 3.0):
            one, other = MAKES[make](), MAKES[make]()
            expected = form(np.float64(x), one, make)
            assert Picture().of((f(np.float64(x), other, make), other)) == Picture().of(
                (expected, one))
