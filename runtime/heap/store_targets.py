"""Targets of stores: what a line stores into where the graph decides if it runs.

A store that changes nothing while the function is traced leaves no trace of its own: the flag that
`o.done = False` sets may be False already. So converted code names what it stores into.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MappingProxyType
from typing import Any

import numpy as np

from autograph.libraries import is_own_module
from autograph.own_attributes import held, own_dict
from autograph.runtime.heap.attributes_in_c import is_in_c, is_item_in_c, refuse_in_c
from autograph.runtime.heap.objects import refuse_order
from autograph.runtime.heap.run_time_containers import has_tensor
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.types import IMMUTABLE, is_maybe_undefined
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor

ALL = object()
"""Stands for all keys of a container."""

ITERATORS: set[type] = set()
"""The classes that stand for Python's iterators in a trace."""

READING = frozenset(
    name for cls in (tuple, frozenset, MappingProxyType, bytes) for name in dir(cls))
"""The methods of containers that cannot be changed: those change nothing."""


def note_target(x: Any, key: Any = ALL) -> None:
    """Notes that the item or attribute `key` of an object from outside is stored.

    Raises:
      TracingError: as `note_changed`; or the run decides where the attribute is among those that
        were set since, or if one is set that code in C keeps.
    """
    if type(key) is str:
        _check_order(x, key)
    here, around = _deciding(), trace.current_region()
    if here is not None and (here.parent is not None or id(x) in here.trace.visited):
        if type(key) is str and is_in_c(x, key):
            refuse_in_c(x, key)
        if is_item_in_c(x):
            refuse_in_c(x, "an item")
    if around is not None and id(x) in around.trace.visited and (
            is_item_in_c(x) or (here is not None and isinstance(x, np.flatiter))):
        refuse_in_c(x, "an item")
    note_changed(x, key)


def note_changed(x: Any, key: Any) -> None:
    """Notes that the item or attribute `key` of an object from outside is stored or deleted.

    Raises:
      TracingError: the object gets another class or `__dict__`, which no trace can follow; or it
        is a class, and objects that may lack the attribute have it from there; or a memoryview.
    """
    if type(key) is str:
        _refuse_class(x, key)
    here = _deciding()
    stands_for_another = type(x) in ITERATORS or (
        isinstance(x, FunctionType) and is_own_module(x.__globals__.get("__name__")))
    if stands_for_another and trace.tracing():
        refuse_in_c(x, str(key))  # an iterator of the user's, or a special method
    if here is not None and isinstance(x, memoryview) and _has_other_names(x, here):
        raise TracingError(
            "a memoryview is stored into where only the run knows if or when, and its memory has "
            f"other names{at(user_location())}\n  hint: store into the object itself")
    if here is None or not (isinstance(x, np.ndarray) or id(x) in here.trace.visited):
        return
    if key is not ALL and type(key) not in IMMUTABLE and has_tensor(key):
        return
    here.trace.targets.setdefault(id(x), (x, []))[1].append(key)


def _has_other_names(view: memoryview, here: Region) -> bool:
    """Returns True if what the function reaches leads to the memory of a view otherwise."""
    return id(view.obj) in here.trace.visited or any(
        isinstance(x, memoryview) and x is not view and x.obj is view.obj
        for x in here.trace.visited.values())


def _refuse_class(x: Any, name: str) -> None:
    """Refuses to set `__class__` or `__dict__` of an object from outside, or in a region, and an
    attribute of a class that only the run knows who has."""
    here = trace.current_region()
    if here is not None and ((id(x), name) in here.trace.read_of_classes or (
            name in ("__class__", "__dict__")
            and (here.parent is not None or id(x) in here.trace.visited))):
        what = f"the class {x.__name__}" if isinstance(x, type) else f"a {type(x).__name__} object"
        raise TracingError(
            f"{name} of {what} is set where the run decides who has it"
            f"{at(user_location())}\n  hint: make a new object, or set its attributes one by one")


def _check_order(x: Any, name: str) -> None:
    """Refuses to set an attribute again that an object may lack, and got others after: if it does
    lack it, Python sets it last, and else leaves it where it is."""
    own = own_dict(x)
    value: Any = None if own is None else own.get(name)
    if own and isinstance(value, Tensor) and is_maybe_undefined(value._handle.value.type) and (
            [*own][-1] != name):
        refuse_order(x)


def note_rebound(names: tuple[str, ...]) -> None:
    """Notes that variables from outside the function are bound."""
    here = _deciding()
    if here is not None:
        here.trace.rebound.update(names)


def note_method(method: Callable[..., Any]) -> None:
    """Notes that a method of a container is called, if it may change the container."""
    if held(method, "__name__", "") not in READING:
        note_target(held(method, "__self__"))


def _deciding() -> Region | None:
    """Returns the region that is traced, if what happens in it happens when the graph runs."""
    here = trace.current_region()
    if here is None or (here.parent is None and not here.trace.mode.effects_at_run_time):
        return None
    return here
