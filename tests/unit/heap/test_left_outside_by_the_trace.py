"""Containers that a trace itself leaves outside: Python's own, and those that the call returns."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

KEPT: list[Any] = []


class Owner:
    held: Any = None


OWNER, VARIABLE = Owner(), None


def literal(x):
    n: list[int] = []
    KEPT.append(n)
    return n


def appended(x):
    n = []
    n.append(1)
    KEPT.append(n)
    return n


def comprehension(x):
    n = [k for k in range(3)]  # noqa: C416
    KEPT.append(n)
    return n


def nested(x):
    n = [[k for k in range(2)]]  # noqa: C416
    KEPT.append(n)
    return n[0]


def in_an_object(x):
    owner = Owner()
    owner.held = [k for k in range(2)]  # noqa: C416
    KEPT.append(owner)
    return owner.held


def dictionary(x):
    n = {"a": [k for k in range(2)]}  # noqa: C416
    KEPT.append(n)
    return n


def attribute(x):
    OWNER.held = [k for k in range(2)]  # noqa: C416
    return OWNER.held


def of_a_class(x):
    Owner.held = n = [k for k in range(2)]  # noqa: C416
    return n


def variable(x):
    global VARIABLE
    VARIABLE = n = [k for k in range(2)]  # noqa: C416
    return n


def sets(x):
    n = {1}
    KEPT.append(n)
    return n


ALL: list[Callable[[Any], Any]] = [
    literal, appended, comprehension, nested, in_an_object, dictionary, attribute, of_a_class,
    variable, sets]


def left() -> list[Any]:
    found = [*KEPT, vars(OWNER).get("held"), Owner.held, VARIABLE]
    found += [x.held for x in found if isinstance(x, Owner)]
    return found + [x[0] for x in found if isinstance(x, list) and x]


@pytest.mark.parametrize("captures", ["freeze", "guard"])
@pytest.mark.parametrize("f", ALL)
def test_what_is_returned_is_what_was_stored(f: Callable[[Any], Any], captures: str) -> None:
    global VARIABLE
    KEPT.clear()
    Owner.held, VARIABLE = None, None
    vars(OWNER).clear()
    traced = ag.function(f, captures=captures)
    for _ in range(2):
        result = traced(np.float64(1))
        assert any(x is result for x in left())
        assert all(type(x) in (list, dict, set, int, Owner, type(None)) for x in left())


class Once:
    one: Any = None


def plain_code(make):
    """Nothing symbolic: it runs as it was written."""
    if Once.one is None:
        Once.one = make()
    return Once.one


def made_list() -> list[int]:
    return [1]


@pytest.mark.parametrize("captures", ["freeze", "guard"])
@pytest.mark.parametrize("make", [list, dict, set, made_list])
def test_what_plain_code_stores_in_a_class(make: Callable[[], Any], captures: str) -> None:
    @ag.function(captures=captures)
    def f(x):
        if x > 0:
            return plain_code(make)

    Once.one = None
    assert f(np.float64(1)) is Once.one
    assert f(np.float64(1)) is Once.one


def view(d):
    d["v"] = memoryview(bytearray(2))


def iterator(d):
    d["v"] = iter([1, 2])


@pytest.mark.parametrize("store", [view, iterator])
def test_what_is_stored_before_an_error(store: Callable[[Any], None]) -> None:
    @ag.function
    def f(x, d):
        store(d)
        return d["none"] * x

    for _ in range(2):
        d: dict[str, Any] = {}
        plain: dict[str, Any] = {}
        with pytest.raises(KeyError, match="none"):
            f(np.float64(1), d)
        store(plain)
        assert type(d["v"]) is type(plain["v"])
        assert list(d["v"]) == list(plain["v"])


class Added:
    def __radd__(self, other):
        return len(other), type(other)


def fresh():
    return [0, [0]]


ERRORS: list[Callable[[Any], Any]] = [
    lambda x: {fresh(): x}, lambda x: hash(fresh()), lambda x: "a" + fresh(),
    lambda x: fresh() < 3, lambda x: fresh().foo, lambda x: int(fresh()), lambda x: fresh()(),
    lambda x: -fresh(), lambda x: next(fresh())]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors_name_lists(number: int) -> None:
    texts = []
    for f in (ERRORS[number], ag.function(ERRORS[number])):
        with pytest.raises((TypeError, AttributeError)) as caught:
            f(np.float64(1))
        texts.append(str(caught.value).splitlines()[0])
    assert texts[0] == texts[1]


def test_what_adds_itself_to_a_list() -> None:
    @ag.function
    def f(x):
        return fresh() + Added(), x

    assert f(np.float64(1))[0] == (2, list)
