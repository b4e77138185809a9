"""Before and after plain code: the lists of the trace, what it stored, and what it made."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FunctionType
from typing import Any

from autograph.runtime.heap.growing_lists import PlainList, StagedList
from autograph.runtime.heap.objects import attributes_of, contents_of, is_instance
from autograph.runtime.heap.run_time_containers import note_made
from autograph.runtime.heap.store_targets import ALL, note_changed
from autograph.staging.plain_types import (
    ATOMS,
    CHANGEABLE,
    CONTAINERS,
    VIEWS,
    NotPlain,
    content,
    others,
)

State = tuple[Any, ...]
StandIns = dict[int, tuple[Any, Any]]
"""By the id of a value: it, and what stands for it."""


@contextmanager
def plain_lists(values: Iterable[Any]) -> Iterator[None]:
    """Makes Python's own lists of the lists of the trace."""
    lists = [x for x in values if type(x) is StagedList]
    for x in lists:
        x.__class__ = PlainList  # type: ignore[assignment]
    try:
        yield
    finally:
        for x in lists:
            x.__class__ = StagedList


def note_stores(values: Iterable[Any], stores: bool, stored: set[str]) -> None:
    """Notes what code may have stored into: a store may leave the value as it was.

    stores: it may change containers; stored: the names of the attributes that it may set.
    """
    for x in values:
        if stores and type(x) in CHANGEABLE:
            note_changed(x, ALL)
        elif stored and (isinstance(x, (type, FunctionType)) or is_instance(x)):
            for name in stored:
                note_changed(x, name)


def staged(state: State, before: Mapping[int, Any], written: Mapping[int, FunctionType],
           stores: bool, stored: set[str]) -> State:
    """Returns the results of code with lists of the trace for the lists that it made.

    before:  the containers and objects that were there before it ran, by their ids.
    written: by the ids of functions of converted code, these as they were written.
    stores:  True if it may have changed one of them.
    stored:  the names of the attributes that it may have set.
    """
    made: StandIns = {}
    own = {id(new): f for i, new in written.items() if (f := before.get(i))}
    made.update((i, (f, f)) for i, f in own.items())
    for x in [x for x in before.values() if type(x) in CHANGEABLE or type(x) is FunctionType or (
            is_instance(x))] if stores else ():
        _fill(x, made, before)
    for x in before.values() if stored else ():
        if isinstance(x, (type, FunctionType)):
            _fill_attributes(x, stored, made, before)
    after = tuple(_one(x, made, before) for x in state)
    note_made([new for i, (_, new) in made.items() if i not in own])
    return after


def _one(x: Any, made: StandIns, before: Mapping[int, Any]) -> Any:
    """Returns what stands for a value after the code ran."""
    cls = type(x)
    if id(x) in made:
        return made[id(x)][1]
    if cls in ATOMS or id(x) in before or (cls is tuple and not others(x)) or not (
            cls in CONTAINERS or cls is FunctionType or is_instance(x)):
        return x
    made[id(x)] = x, x  # a tuple cannot hold itself but by a list, which is entered first
    new = StagedList(x) if cls is list else x
    made[id(x)] = x, new
    if isinstance(x, tuple):
        parts = tuple(_one(v, made, before) for v in x)
        if not all(a is b for a, b in zip(parts, x, strict=True)):
            made[id(x)] = x, tuple.__new__(cls, parts)
    else:
        _fill(new, made, before)
    return made[id(x)][1]


def _fill_attributes(x: Any, names: set[str], made: StandIns, before: Mapping[int, Any]) -> None:
    """Replaces what a class or function holds in the attributes that code may have set."""
    for name in names & vars(x).keys():
        value = vars(x)[name]
        if (new := _one(value, made, before)) is not value:
            (type if isinstance(x, type) else object).__setattr__(x, name, new)


def _fill(x: Any, made: StandIns, before: Mapping[int, Any]) -> None:
    """Replaces what a container, object or function holds by what stands for it."""
    if type(x) in (list, StagedList):
        if others(list.__iter__(x)):
            for i, v in enumerate(list.copy(x)):
                if (new := _one(v, made, before)) is not v:
                    list.__setitem__(x, i, new)
    elif type(x) is collections.deque:
        for i, v in enumerate(tuple(x)):
            if (new := _one(v, made, before)) is not v:
                x[i] = new
    elif isinstance(x, dict):
        if others(x.values()):
            for k, v in x.items():
                if (new := _one(v, made, before)) is not v:
                    dict.__setitem__(x, k, new)
    elif type(x) is FunctionType:
        for cell in x.__closure__ or ():
            with suppress(NotPlain):  # it is unbound
                if (new := _one(v := content(cell), made, before)) is not v:
                    cell.cell_contents = new
    elif not isinstance(x, (set, frozenset, bytearray)) and type(x) not in VIEWS:
        contents = contents_of(x)
        if not others(contents.values()):
            return
        own = attributes_of(x)
        for k, v in contents.items():
            if (new := _one(v, made, before)) is not v:
                if k in own:
                    own[k] = new
                else:
                    object.__setattr__(x, k, new)
