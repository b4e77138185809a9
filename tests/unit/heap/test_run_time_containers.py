"""Containers of every class, put into branches, loops and other containers, hold real values."""

import copy
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as ag

Point = namedtuple("Point", "x y")


@dataclass
class Box:
    v: Any


@dataclass(frozen=True)
class Frozen:
    v: Any


VALUE = np.float64(1.5)
CONTAINERS = [OrderedDict(v=VALUE), defaultdict(float, v=VALUE), Point(VALUE, 2.0), Box(VALUE),
              Frozen(VALUE), {"v": VALUE}, (VALUE, 1), [VALUE]]


def or_none(o, x):
    if x[0] > 1:
        o = None
    return o


def put_into_another(o, x):
    return [o, 1] if x[0] > 1 else (o,)


def wrapped_in_a_loop(o, x):
    i = 0
    while x[i] < 2:
        o = {"k": o}
        i += 1
    return o


@pytest.mark.parametrize("executor", ["python", "interpreter"])
@pytest.mark.parametrize("container", CONTAINERS, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("function", [or_none, put_into_another, wrapped_in_a_loop])
def test_same_as_plain(function, container, executor):
    traced = ag.function(function, executor=executor)
    for x in (np.array([1.0, 3.0]), np.array([2.0, 3.0])):
        expected = function(copy.deepcopy(container), x)
        assert repr(traced(copy.deepcopy(container), x)) == repr(expected)


@pytest.mark.parametrize("executor", ["python", "interpreter"])
def test_an_exception_that_is_returned_has_its_arguments(executor):
    def f(x):
        error = ValueError("too large", x + 1)
        error.limit = x * 2
        return error

    traced = ag.function(f, executor=executor)
    for x in (np.float64(1), np.float64(5)):
        made, expected = traced(x), f(x)
        assert (made.args, vars(made)) == (expected.args, vars(expected))
