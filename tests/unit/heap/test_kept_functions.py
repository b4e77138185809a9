"""Functions, classes and objects with effects that the run chooses, or finds in the arguments."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from heapq import heappush as push_on
from typing import Any

import numpy as np
import pytest

import autograph as ag

SEEN: list[Any] = []
push = SEEN.append


def keep(v):
    SEEN.append(v)
    return v


def negate(v):
    return -v


@dataclass
class Pair:
    run: Any
    number: int


class Counting:
    """Its methods set attributes of the class, and change a list of the class."""

    total = 0
    items: list[float] = []

    def __init__(self, value):
        self.value = value

    def add(self, v):
        type(self).total += v
        return v

    def note(self, v):
        self.items.append(v)
        return len(self.items)

    @classmethod
    def clear(cls):
        cls.total = 0
        cls.items.clear()


class Negative(Counting):
    def add(self, v):
        self.__class__.total -= v
        return v


class Numbered:
    made = 0

    def __init__(self, value):
        Numbered.made += 1
        self.value, self.number = value, Numbered.made


def ways_to_choose(x):
    SEEN.clear()
    i = int(x[0]) % 2
    found = [{0: keep}.get(i, negate)(x[1]), deque([keep, negate])[i](x[1]),
             [[keep, negate], [negate, keep]][i][0](x[1]),
             [Pair(keep, 1), Pair(negate, 2)][i].run(2)]
    pair = [(keep, 1), (negate, 2)][i]
    return found, pair[0](x[1]), pair[1], len(SEEN)


def attributes_of_classes(x):
    Counting.clear()
    Negative.clear()
    made = [Counting(1), Negative(2)]
    for v in x:
        made[int(v) % 2].add(v)
        made[int(v) % 2].note(v)
    return Counting.total, Negative.total, list(Counting.items)


def numbered_objects(x):
    Numbered.made = 0
    made = [Numbered(v) for v in x if v > 1]
    return [m.number for m in made], Numbered.made


class Doubling(list):
    def append(self, v):
        super().append(v * 2)


def unbound_methods(x):
    made, found, log = {}, Doubling(), []
    for v in x:
        if v > 1:
            dict.setdefault(made, int(v), []).append(v)
            list.append(log, v)
        [list.append, list.insert][int(v < 0)](log, *((0, v) if v < 0 else (v,)))
    found.append(x[0])
    list.append(found, x[1])
    return made, found, log, str.join("-", list(map(str.upper, [f"{v}e" for v in x])))


@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}],
                         ids=["default", "runtime"])
@pytest.mark.parametrize("program", [ways_to_choose, attributes_of_classes, numbered_objects,
                                     unbound_methods], ids=lambda f: f.__name__)
def test_is_followed(program: Callable[..., Any], options: dict[str, Any]) -> None:
    f = ag.function(program, **options)
    for x in (np.array([3.0, 1.0, 2.0, 5.0]), np.array([-1.0, 0.0, 2.0, 2.0]), np.array([4, 1, 3])):
        assert repr(f(x)) == repr(program(x))


def partial_of_a_method(x):
    out, found = [], []
    for v in x:
        if v > 1:
            found += [partial(list.append, out)]
    found[-1](x[0])
    return out


def partial_of_a_heap_function(x):
    out, found = [], []
    for v in x:
        if v > 1:
            found += [partial(push_on, out)]
    found[-1](x[0])
    return out


def method_by_another_name(x):
    SEEN.clear()
    found = [negate]
    if x[0] > 0:
        found.append(lambda v: push(v))
    found[-1](x[1])
    return len(SEEN)


def class_that_counts(x):
    found = [Counting]
    if x[0] > 0:
        found.append(Numbered)
    return found[-1](x[1]).value


@pytest.mark.parametrize("program", [
    partial_of_a_method, partial_of_a_heap_function, method_by_another_name, class_that_counts],
    ids=lambda f: f.__name__)
def test_is_refused_if_the_run_alone_knows_it(program: Callable[..., Any]) -> None:
    with pytest.raises(ag.errors.TracingError, match="becomes a value that only the run knows"):
        ag.function(program)(np.array([3.0, 1.0, 2.0]))


def called_from_an_argument(handlers, x):
    SEEN.clear()
    handlers[int(x[0])] = negate
    handlers["first"](x[1])
    return len(SEEN)


def test_functions_in_arguments_may_not_change_what_the_trace_uses() -> None:
    f, x = ag.function(called_from_an_argument), np.array([3.0, 1.0])
    for _ in range(2):
        with pytest.raises(ag.errors.TracingError, match="is in an argument that only the run"):
            f({"first": keep}, x)
    assert f({"first": negate}, x) == 0
    for _ in range(2):
        with pytest.raises(ag.errors.TracingError, match="is in an argument that only the run"):
            f({"first": keep}, x)
