"""An argument is the object that others hold, wherever the function finds it."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Holder:
    def __init__(self, c: Any) -> None:
        self.c = c
        self.d = {"k": c}


KEPT: list[Any] = [0]


def of_an_attribute(x, o, n):
    return o.c is x


def of_an_item(x, o, n):
    return x is o.d["k"], x is not o.c


def chosen(x, o, n):
    if o.c is x:
        return n + 1
    return n * 2


def of_a_global(x, o, n):
    return x is KEPT[0]


def searched(x, o, n):
    found = [y for y in [o.c, o.d["k"], [1]] if y is x]
    return len(found)


def after_a_change(x, o, n):
    x.clear()
    o.c = x
    return o.c is x, o.d["k"] is x


@pytest.mark.parametrize("mode", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
@pytest.mark.parametrize("function", [
    of_an_attribute, of_an_item, chosen, of_a_global, searched, after_a_change])
@pytest.mark.parametrize("make", [lambda: [1, 2], lambda: {"a": 1}, lambda: {3}],
                         ids=["list", "dict", "set"])
def test_identity(make: Any, function: Any, mode: dict[str, Any]) -> None:
    f, n = ag.function(function, **mode), np.float64(3.0)
    for shared in (True, False, True, False, False):
        x = make()
        KEPT[0] = x if shared else make()
        o = Holder(x if shared else make())
        wanted = function(x, o, n)
        again = make()
        KEPT[0] = again if shared else make()
        assert f(again, Holder(again if shared else make()), n) == wanted


def test_an_object_that_changes_what_it_holds() -> None:
    f, o = ag.function(chosen), Holder([1])
    first, other = o.c, [1]
    assert [f(x, o, 1.0) for x in (other, first, other)] == [2.0, 2.0, 2.0]
    assert [f(x, o, 3.0) for x in (other, first, other)] == [6.0, 4.0, 6.0]
    o.c = other
    assert [f(x, o, 3.0) for x in (other, first)] == [4.0, 6.0]


def test_a_container_that_a_later_trace_puts_into_an_argument() -> None:
    @ag.function
    def f(n, o, d):
        made = [1]
        if n > 0:
            d["z"] = made
        return made

    for shared in (True, False, False):
        x = [1]
        d = {"k": x if shared else [1]}
        assert f(np.float64(1.0), Holder(x), d) is d["z"]


def ids_of_places(x, o, n):
    return id(x) == id(o.c), id(o.d["k"]) != id(x), id(x) == id(x), len({id(x), id(o.c)})


def ids_after_a_branch(x, o, n):
    y = x if n > 2 else o.c
    return id(y) == id(x), {id(x): 1}.get(id(y), 2)


def ids_after_a_loop(x, o, n):
    y = [x, o.c]
    for i in range(int(n)):
        x = y[i % 2]
    return [k for k, z in enumerate(y) if id(z) == id(x)]


def ids_in_a_table(x, o, n):
    numbers = {id(y): k for k, y in enumerate([x, o.c, o.d["k"]])}
    return numbers[id(x)], numbers.get(id([n])), len(numbers)


def visited(x, o, n):
    seen = set()
    for y in [x, o.c, x, o.d["k"]]:
        if id(y) not in seen:
            seen.add(id(y))
    return len(seen)


class Plain:
    def __init__(self) -> None:
        self.n = 1


@dataclass(eq=False)
class Fields:
    n: int = 1


@pytest.mark.parametrize("mode", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
@pytest.mark.parametrize("function", [
    ids_of_places, ids_after_a_branch, ids_after_a_loop, ids_in_a_table, visited])
@pytest.mark.parametrize("make", [lambda: [1, 2], lambda: {"a": 1}, lambda: {3},
                                  lambda: bytearray(b"a"), Plain, Fields],
                         ids=["list", "dict", "set", "bytearray", "Plain", "Fields"])
def test_ids_agree_with_identity(make: Any, function: Any, mode: dict[str, Any]) -> None:
    f = ag.function(function, **mode)
    for n in (1.0, 2.0, 3.0):
        for shared in (True, False):
            x = make()
            o = Holder(x if shared else make())
            assert f(x, o, np.float64(n)) == function(x, o, np.float64(n))


@pytest.mark.parametrize("make", [lambda: [1], lambda: {2}, Fields, lambda: np.ones(2)],
                         ids=["list", "set", "Fields", "array"])
def test_an_id_that_leaves_is_that_of_the_callers_object(make: Any) -> None:
    @ag.function
    def f(x, n):
        return id(x), n + 1

    for n in (1.0, 2.0):
        x = make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ag.FallbackWarning)
            assert f(x, n) == (id(x), n + 1)
