"""Captured values that are not read again: what changes them, in whatever way, is seen."""

import gc
import logging
import sys
import types
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.work_done import calls_made

W = np.arange(3.0)
SETTINGS: dict[str, Any] = {"scale": 2.0, "deep": [1.0, [2.0, {"x": 3.0}]]}
NAMES = {1, 2}
QUEUE = deque([1.0, 2.0])
NONE_YET: list[float] = []
NO_NAMES: dict[str, float] = {}
OTHER: Any = types.ModuleType("other")
OTHER.factor = 3.0


class Base:
    shift = 1.0
    known: dict[str, float] = {}
    seen: list[float] = []

    def shifted(self, x: Any) -> Any:
        return x + self.shift


class Model(Base):
    def __init__(self) -> None:
        self.w = np.ones(3)
        self.layers = [{"v": 1.0}, {"v": 2.0}]

    @property
    def twice(self) -> float:
        return self.layers[0]["v"] * 2


class Slots:
    __slots__ = ("a",)

    def __init__(self) -> None:
        self.a = 1.0


class Other(Model):
    shift = 7.0


MODEL, SLOTS = Model(), Slots()


def with_cell() -> Any:
    cell = 1.0

    def read() -> float:
        return cell

    def write(x: float) -> None:
        nonlocal cell
        cell = x

    return read, write


READ, WRITE = with_cell()


def added(x: Any, more: float = 1.0, *, most: float = 2.0) -> Any:
    return x + more * most


def scaled(x: Any, by: float) -> Any:
    return x * by


PART = partial(scaled, by=3.0)


def bare(x: Any) -> Any:
    return x + len(vars(bare))


def everything(x: Any) -> Any:
    y = MODEL.shifted(x * W) * SETTINGS["scale"] + SETTINGS["deep"][1][1]["x"]
    y = added(y) + READ() + SLOTS.a + OTHER.factor + MODEL.twice
    for layer in MODEL.layers:
        y = y + layer["v"] * MODEL.w
    y = bare(y) + sum(NONE_YET) + sum(NO_NAMES.values()) + sum(Base.known.values())
    return PART(y) + len(NAMES) + sum(QUEUE) + len(MODEL.seen)


def replaced_code(x: Any, more: float = 1.0, *, most: float = 2.0) -> Any:
    return x - more * most


def _set(where: Any, name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(where, name, value)


HERE = sys.modules[__name__]
CHANGES: dict[str, Callable[[], Any]] = {
    "a global": lambda: setattr(HERE, "W", np.arange(3.0) * 2),
    "an array": lambda: W.__setitem__(1, 5.0),
    "a dict": lambda: SETTINGS.update(scale=3.0),
    "a deep dict": lambda: SETTINGS["deep"][1][1].update(x=4.0),
    "a deep list": lambda: SETTINGS["deep"].__setitem__(1, [0.0, {"x": 9.0}]),
    "an equal number": lambda: SETTINGS.update(scale=np.float32(2.0)),
    "a set": lambda: NAMES.add(len(NAMES) + 1),
    "a deque": lambda: QUEUE.append(1.5),
    "a module": _set(OTHER, "factor", 4.0),
    "an attribute": lambda: setattr(MODEL, "w", np.ones(3) * 2),
    "an attribute that hides one of the class": lambda: setattr(MODEL, "shift", 2.0),
    "no attribute": lambda: vars(MODEL).pop("shift", None),
    "a base class": lambda: setattr(Base, "shift", Base.shift + 1),
    "a method": lambda: setattr(Base, "shifted", lambda self, x: x - self.shift),
    "a property": lambda: setattr(Model, "twice", property(lambda self: 9.0)),
    "a class": lambda: setattr(MODEL, "__class__", Other),
    "a list of dicts": lambda: MODEL.layers.append({"v": 5.0}),
    "a dict in a list": lambda: MODEL.layers[0].update(v=8.0),
    "a slot": lambda: setattr(SLOTS, "a", 2.0),
    "a cell": lambda: WRITE(READ() + 1),
    "a default": lambda: setattr(added, "__defaults__", (3.0,)),
    "a default by name": lambda: added.__kwdefaults__.update(most=5.0),
    "the code": lambda: setattr(added, "__code__", replaced_code.__code__),
    "a function": lambda: setattr(HERE, "added", lambda x: x * 2),
    "a partial": lambda: setattr(HERE, "PART", partial(scaled, by=4.0)),
    "an empty list": lambda: NONE_YET.append(2.0),
    "an empty dict": lambda: NO_NAMES.update(a=2.0),
    "an empty dict of a class": lambda: Base.known.update(a=4.0),
    "an empty list of a class": lambda: Base.seen.append(4.0),
    "an attribute of a function": lambda: setattr(bare, "count", 1),
    "a default where there was none": lambda: setattr(bare, "__defaults__", (7.0,)),
    "the code of a function without more": lambda: setattr(
        bare, "__code__", (lambda x: x - 1).__code__),
    "a keyword of a partial": lambda: PART.keywords.update(by=5.0),
}


def test_every_change_is_seen() -> None:
    """One after the other, as each changes what the later ones find."""
    ours, x = ag.function(everything, captures="guard"), np.array([0.5, -1.0, 2.0])
    for name, change in CHANGES.items():
        for _ in range(14):  # by then guards recognise the call
            assert repr(ours(x)) == repr(everything(x)), name
        change()
        assert repr(ours(x)) == repr(everything(x)), name


def test_an_object_that_took_the_place_of_another_is_seen() -> None:
    class Held:
        def __init__(self, number: float) -> None:
            self.number = number

    held = [Held(1.0)]

    def read(x: Any) -> Any:
        return x * held[0].number

    ours = ag.function(read, captures="guard")
    for number in range(40):
        for _ in range(12 if number % 8 == 0 else 3):
            assert ours(np.ones(2))[0] == held[0].number
        held.clear()  # the next one may lie where this one did
        held.append(Held(float(number)))


def test_nothing_is_kept_alive() -> None:
    class Held:
        number = 2.0

    held = [Held()]

    def read(x: Any) -> Any:
        return x * held[0].number

    ours = ag.function(read, captures="guard")
    for _ in range(20):
        ours(np.ones(2))
    gone = weakref.ref(held.pop())
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("mode", ["guard", "error"])
def test_calls_do_little(mode: str) -> None:
    ours, x = ag.function(everything, captures=mode), np.ones(3)  # type: ignore[arg-type]
    for _ in range(20):
        ours(x)
    assert calls_made(lambda: ours(x)) < 350


def test_what_an_object_of_a_library_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    f = ag.function(lambda x: x + len(logging.root.handlers), captures="guard")
    monkeypatch.setattr(logging.root, "handlers", [])
    for _ in range(20):
        assert f(np.float64(1.0)) == 1
    monkeypatch.setattr(logging.root, "handlers", [1, 2])
    assert f(np.float64(1.0)) == 3
    logging.root.handlers.append(3)  # type: ignore[arg-type]
    assert f(np.float64(1.0)) == 4
