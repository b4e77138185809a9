"""Objects whose classes raise whatever they are asked go through a traced function as they go
through a plain one: nobody compares, hashes, counts or tests them, or looks up what they lack."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES

ASKED = [f"__{name}__" for name in (
    "eq", "ne", "hash", "bool", "len", "iter", "repr", "str", "contains", "getitem", "index", "int",
    "float", "array", "array_ufunc", "array_function", "call", "copy", "deepcopy", "reduce",
    "reduce_ex", "lt", "format", "sizeof", "dir", "reversed", "length_hint", "add")]


def asked(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any) -> Any:
        raise AssertionError(f"{name} is asked for")

    return method


def lacking(self: Any, name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AssertionError(f"{name!r} is asked for")


def class_of(slots: tuple[str, ...] | None) -> Any:
    def start(self: Any, v: Any = 1) -> None:
        self.v = v

    body = {**{name: asked(name) for name in ASKED}, "__init__": start, "__getattr__": lacking}
    return type("Silent", (), body if slots is None else {**body, "__slots__": slots})


def chosen(x: Any, o: Any, other: Any) -> Any:
    return (o if x > 0 else None), (o if x > 1 else other)


def exchanged(x: Any, o: Any, other: Any) -> Any:
    a, b, n = o, other, x
    while n < 3:
        n += 1
        a, b = b, a
    return a, b, n


def rebound(x: Any, o: Any, other: Any) -> Any:
    a, n = o, x
    while n < 3:
        n += 1
        a, o = o, a
    return a, n


def collected(x: Any, o: Any, other: Any) -> Any:
    items, table = [], {"first": o}
    for k in range(3):
        if x > k:
            items.append(other)
            table["last"] = o
    return items, table, (o, items)


def compared(x: Any, o: Any, other: Any) -> Any:
    return o is other, o is None, id(o) == id(o), isinstance(o, int), callable(o)


def raised(x: Any, o: Any, other: Any) -> Any:
    try:
        if x > 0:
            raise ValueError(o)
    except ValueError as error:
        return error.args[0] is o
    return other


def written(x: Any, o: Any, other: Any) -> Any:
    if x > 0:
        o.v = x * 2
    other.v = x
    return o.v + other.v, o


def new(x: Any, o: Any, other: Any) -> Any:
    made = type(o)(x)
    if x > 0:
        made.v = x + 1
    return made.v, made


def seen(x: Any, known: list[Any]) -> Any:
    """A nest, with the numbers of the objects in it, and what they hold."""
    if type(x) in (list, tuple):
        return [type(x).__name__, *[seen(part, known) for part in x]]
    if type(x) is dict:
        return {k: seen(part, known) for k, part in x.items()}
    if type(x).__name__ != "Silent":
        return type(x).__name__, str(x)
    number = next((k for k, o in enumerate(known) if o is x), len(known))
    known += [x] if number == len(known) else []
    return number, seen(x.v, known)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("slots", (None, ("v",)), ids=("dict", "slots"))
@pytest.mark.parametrize("program", (
    chosen, exchanged, rebound, collected, compared, raised, written, new))
def test_goes_through(program: Callable[..., Any], slots: Any, mode: str) -> None:
    silent = class_of(slots)
    found = []
    for f in (program, ag.function(program, **MODES[mode])):
        for x in (2.0, -1.0, 1.5):
            known = [silent(3), silent(4)]
            made = f(np.float64(x), *known)
            found.append(seen([made, known[0], known[1]], known))
    assert found[:3] == found[3:]


class ByValue:
    def __init__(self, v: Any) -> None:
        self.v = v

    def __eq__(self, other: Any) -> bool:
        return bool(self.v == other.v)  # of a tuple, an AttributeError


def test_an_object_in_two_places_is_not_compared() -> None:
    def twice(x: Any) -> Any:
        p = ByValue(x)
        return [p, p]

    first, second = ag.function(twice)(np.float64(2))
    assert first is second
    assert first.v == 2


def test_a_ufunc_whose_signature_was_asked_for_holds_no_state() -> None:
    """NumPy keeps the signature in the attributes of the ufunc, in a read-only dict."""
    inspect.signature(np.cbrt)
    root = np.cbrt

    def each(x: Any) -> Any:
        out = np.zeros(len(x))
        for i in range(len(x)):
            out[i] = root(x[i])
        return out

    assert ag.function(each)(np.full(300, 8.0)).tolist() == [2.0] * 300
