"""With guarded captures, what a function holds that is an argument is seen as that of any other."""

import functools
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

Made = tuple[Callable[[Any], Any], Callable[[], None]]
FACTOR = 2.0


class Scale:
    def __init__(self, k: float) -> None:
        self.k = k
        self.held = lambda n: n * self.k

    def method(self, n: Any) -> Any:
        return n * self.k

    def through(self, n: Any) -> Any:
        return self.held(n)

    def __call__(self, n: Any) -> Any:
        return n * self.k


def of_object(get: Callable[[Scale], Callable[[Any], Any]]) -> Callable[[], Made]:
    def made() -> Made:
        scale = Scale(2.0)
        return get(scale), lambda: setattr(scale, "k", 5.0)
    return made


def of_a_global() -> Made:
    globals()["FACTOR"] = 2.0
    return lambda n: n * FACTOR, lambda: globals().update(FACTOR=5.0)


def of_a_list() -> Made:
    factors = [2.0]
    return lambda n: n * factors[0], lambda: factors.__setitem__(0, 5.0)


def of_an_array() -> Made:
    factors = np.array([2.0])
    return lambda n: n * factors[0], lambda: factors.__setitem__(0, 5.0)


def of_a_default() -> Made:
    factors = [2.0]

    def f(n: Any, factors: list[float] = factors) -> Any:
        return n * factors[0]
    return f, lambda: factors.__setitem__(0, 5.0)


HOLDERS: dict[str, Callable[[], Made]] = {
    "method": of_object(lambda s: s.method), "through": of_object(lambda s: s.through),
    "lambda of an object": of_object(lambda s: s.held), "object": of_object(lambda s: s),
    "partial": of_object(lambda s: functools.partial(s.method)),
    "closure": of_object(lambda s: lambda n: (lambda q: s.method(q))(n)),
    "decorated": of_object(lambda s: ag.function(lambda n: n * s.k)),
    "global": of_a_global, "list": of_a_list, "array": of_an_array, "default": of_a_default,
}
WRAPS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "itself": (lambda g: g, lambda x: x), "list": (lambda g: [g], lambda x: x[0]),
    "dict of tuples": (lambda g: {"a": (g,)}, lambda x: x["a"][0])}


@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("holder", HOLDERS)
def test_a_change_is_seen(holder: str, wrap: str, effects: str) -> None:
    (g, change), (put, take) = HOLDERS[holder](), WRAPS[wrap]
    f = ag.function(lambda g, x: take(g)(x) if x > 0 else x, captures="guard", effects=effects)
    first = f(put(g), np.float64(3.0))
    change()
    assert (first, f(put(g), np.float64(3.0))) == (6.0, 15.0)


class Node:
    def __init__(self, value: float, rest: Any) -> None:
        self.value, self.rest = value, rest


def chain(length: int) -> Node:
    node = Node(0.0, None)
    for i in range(length):
        node = Node(float(i), node)
    return node


def test_long_chains_of_objects_are_guarded() -> None:
    first = chain(3000)
    f = ag.function(lambda x: x + first.value if x > 0 else x, captures="guard")
    g = ag.function(lambda o, x: x + o.value if x > 0 else x, captures="guard")
    assert (f(np.float64(1.0)), g(first, np.float64(1.0))) == (3000.0, 3000.0)
    first.value = 1.0
    assert (f(np.float64(1.0)), g(first, np.float64(1.0))) == (2.0, 2.0)


def test_of_a_logger_what_it_has_itself_is_guarded() -> None:
    class Holding(logging.NullHandler):
        held = None
    log = logging.Logger("of a guarded function")
    handler = Holding()
    handler.held = chain(3000)
    log.addHandler(handler)

    def f(x: Any) -> Any:
        if x > 0:
            log.info("%s", x)
        return x + log.level + len(log.handlers)

    guarded = ag.function(f, captures="guard")
    for level, more in ((logging.INFO, []), (logging.ERROR, []), (5, [logging.NullHandler()])):
        log.setLevel(level)
        log.handlers += more
        assert guarded(np.float64(1.0)) == f(np.float64(1.0))
