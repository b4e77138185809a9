"""Objects that a function makes, with nothing symbolic in them, are new ones in every call."""

import numpy as np
import pytest

import autograph as ag


class Node:
    def __init__(self, n):
        self.n, self.items = n, []


class Slots:
    __slots__ = ("items", "n")

    def __init__(self, n):
        self.n, self.items = n, []


LATEST = {}


def made(cls, x):
    w = cls(2)
    return w, w.items, {"a": [w]}


def chosen(cls, x):
    w = cls(2)
    if x > 1:
        return w.items, w
    return w.items, w, x


def remembered(cls, x):
    if x > 1:
        LATEST["w"] = cls(2)
    return LATEST["w"] if x > 1 else cls(3)


@pytest.mark.parametrize("cls", [Node, Slots])
@pytest.mark.parametrize("function", [made, chosen])
@pytest.mark.parametrize("value", [0.0, 2.0])
def test_each_call_makes_its_own(cls, function, value):
    decorated = ag.function(function)
    x = np.float64(value)
    first, second, expected = decorated(cls, x), decorated(cls, x), function(cls, x)
    for one, other, plain in zip(first, second, expected, strict=True):
        assert (one is not other) == (plain is not x)
    w, items = first[:2] if type(first[0]) is cls else first[1::-1]
    assert w.items is items
    items.append(1)
    assert second[1 if function is chosen else 0].items == []


def test_one_that_also_stays_outside_is_one():
    decorated = ag.function(remembered)
    found = decorated(Node, np.float64(2))
    assert found is LATEST["w"]
    assert decorated(Node, np.float64(0)) is not found
    assert decorated(Node, np.float64(2)) is LATEST["w"]
