"""Frame state: the pending writes in a graph, and the functions that make them if it raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Nest, PendingWrites, Value
from autograph.runtime.ir.own_contents import fill
from autograph.runtime.ir.pytree import attribute_names, children, field_names, map_nest


class Given:
    """In a result: a list or dict of the caller's own, by its number among the arguments."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Captured:
    """In a result: a container or object from outside the function; the caller gets it itself."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Spliced:
    """In a list of a pending write: stands for the items of another list."""

    __slots__ = ("items",)

    def __init__(self, items: Any) -> None:
        self.items = items

    def __ag_flatten__(self) -> tuple[tuple[()], list[Any]]:
        return (), [self.items]

    @classmethod
    def __ag_unflatten__(cls, metadata: tuple[()], parts: list[Any]) -> Spliced:
        return cls(parts[0])


class Shared:
    """In a pending write: a new container that is in several places, with a number of its own."""

    __slots__ = ("contents", "number")

    def __init__(self, number: int, contents: Any) -> None:
        self.number = number
        self.contents = contents

    def __ag_flatten__(self) -> tuple[int, list[Any]]:
        return self.number, [self.contents]

    @classmethod
    def __ag_unflatten__(cls, metadata: int, parts: list[Any]) -> Shared:
        return cls(metadata, parts[0])


class Selection:
    """In a result: one of two objects, as a condition says; the caller gets the object itself."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def __ag_flatten__(self) -> tuple[tuple[()], list[Any]]:
        return (), self.parts

    @classmethod
    def __ag_unflatten__(cls, metadata: tuple[()], parts: list[Any]) -> Selection:
        return cls(parts)


def has_choice(nest: Nest) -> bool:
    """Returns True if there is a `Selection` in a nest."""
    return isinstance(nest, Selection) or any(map(has_choice, (children(nest) or ((), ()))[1]))


def filled_in(leaf: Callable[[Atom], Any], nest: Nest) -> Any:
    """Returns a nest of a result with its leaves replaced, and what is chosen in it.

    >>> filled_in(lambda x: x, {"a": [Selection([True, 1, 2]), 3]})
    {'a': [1, 3]}
    """
    found = children(nest)
    if found is None:
        return nest.value if isinstance(nest, Captured) else leaf(nest)
    parts = [filled_in(leaf, x) for x in found[1]]
    if isinstance(nest, Selection):
        return parts[1] if parts[0] else parts[2]
    return found[2](parts)


def contents_of_write(nest: Nest, leaf: Callable[[Any], Any], shared: dict[int, Any]) -> Any:
    """Returns what a nest of a pending write stands for; what a leaf stands for stays the object
    that it is.

    shared: the shared containers that were made so far, by number.

    >>> contents_of_write({"a": [Spliced(1), [3, Spliced(0)]]}, lambda x: [x] * x, {})
    {'a': [1, [[3, 3, 3]]]}
    """
    found = children(nest)
    if found is None:
        return leaf(nest)
    if isinstance(nest, Shared):
        if nest.number not in shared:
            shared[nest.number] = contents_of_write(nest.contents, leaf, shared)
        return shared[nest.number]
    made = [contents_of_write(x, leaf, shared) for x in found[1]]
    if type(nest) is not list:
        return made[0] if isinstance(nest, Spliced) else found[2](made)
    parts = [new if isinstance(x, Spliced) else [new] for x, new in zip(nest, made, strict=True)]
    return [item for part in parts for item in part]


def instead(nest: Nest, left: object, target: object) -> Nest:
    """Returns an escaping nest with the caller's array `target` wherever `left`, which was written
    to it, occurs."""
    if nest is left:
        return target
    found = children(nest)
    if found is None:
        return nest
    parts = [instead(x, left, target) for x in found[1]]
    same = all(x is y for x, y in zip(parts, found[1], strict=True))
    return nest if same else found[2](parts)


def refill(container: Any, contents: Any) -> None:
    """Gives a container of the caller's (a list, dict, set or object) its new contents. The class's
    own `__setattr__` has run already: it made the values."""
    if contents is container:
        return
    if field_names(type(container)) is not None:
        there = attribute_names(contents)
        for name in attribute_names(container):
            if name not in there:
                object.__delattr__(container, name)
        for name in there:
            object.__setattr__(container, name, getattr(contents, name))
        return
    fill(container, contents)


class OutsideLocation:
    """A location outside the function that has a pending write; `put` makes it."""

    __slots__ = ("put",)

    def __init__(self, put: Callable[[Any], None]) -> None:
        self.put = put


class Local:
    """Stands for the value that a variable of the generated code has when it raises."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


def in_locals(writes: PendingWrites, name_of: Callable[[Value], str],
              containers: Mapping[int, str]) -> PendingWrites:
    """Returns pending writes in terms of the generated code's variables."""
    def leaf(x: Atom) -> Any:
        if isinstance(x, Given):
            return Local(containers[x.number])
        return Local(name_of(x)) if isinstance(x, Value) else x

    return tuple((Local(containers[t]) if isinstance(t, int) else leaf(t), map_nest(leaf, nest))
                 for t, nest in writes)


def write_pending(writes: PendingWrites, find: Callable[[Atom], Any]) -> None:
    """Makes pending writes; `find` gives the object that a leaf stands for."""
    def real(x: Any) -> Any:
        if isinstance(x, Captured):
            return x.value
        return x.copy() if isinstance(x, np.ndarray) else find(x)  # the caller gets a copy

    shared: dict[int, Any] = {}
    ready = [(target, contents_of_write(nest, real, shared)) for target, nest in writes]
    for target, contents in ready:
        if isinstance(target, np.ndarray):
            if contents is not target:  # which may be read-only
                target[...] = contents
        elif isinstance(target, OutsideLocation):
            target.put(contents)
        else:
            refill(target, contents)
