"""What generated code owes the caller's objects where it raises, line by line, and paying it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograph.runtime.ir.buffers_of_numbers import BUFFERS, put
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.pytree import attribute_names, children, field_names, map_nest

Owed = tuple[tuple[Any, Any], ...]
"""Pairs of an object of the caller's and the nest that it has to hold."""


class Given:
    """In a result: a list or dict of the caller's own, by its number among the arguments."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Spliced:
    """In a list that is owed: stands for the items of another list."""

    __slots__ = ("items",)

    def __init__(self, items: Any) -> None:
        self.items = items

    def __ag_flatten__(self) -> tuple[tuple[()], list[Any]]:
        return (), [self.items]

    @classmethod
    def __ag_unflatten__(cls, metadata: tuple[()], parts: list[Any]) -> Spliced:
        return cls(parts[0])


def unspliced(nest: Any) -> Any:
    """A nest whose lists have the items of other lists in them.

    >>> unspliced({"a": [Spliced([1, 2]), [3, Spliced([])]]})
    {'a': [1, 2, [3]]}
    """
    found = children(nest)
    if found is None or isinstance(nest, Spliced):
        return nest
    if type(nest) is not list:
        return found[2](list(map(unspliced, found[1])))
    parts = [x.items if isinstance(x, Spliced) else [unspliced(x)] for x in nest]
    return [item for part in parts for item in part]


def instead(nest: Any, left: Any, target: Any) -> Any:
    """What leaves a function, with an array of the caller's in place of the one that was left in
    it."""
    if nest is left:
        return target
    found = children(nest)
    if found is None:
        return nest
    parts = [instead(x, left, target) for x in found[1]]
    same = all(x is y for x, y in zip(parts, found[1], strict=True))
    return nest if same else found[2](parts)


def refill(container: Any, contents: Any) -> None:
    """Give a container of the caller's (a list, dict, set or object) what the function left in
    it."""
    if field_names(type(container)) is not None:
        there = attribute_names(contents)
        for name in attribute_names(container):
            if name not in there:
                delattr(container, name)
        for name in there:
            setattr(container, name, getattr(contents, name))
        return
    if isinstance(container, BUFFERS):
        put(container, contents)
        return
    container.clear()
    if isinstance(container, (list, deque)):
        container.extend(contents)
    else:
        container.update(contents)


class Outside:
    """Something outside the function that is owed a value; `put` gives it that."""

    __slots__ = ("put",)

    def __init__(self, put: Callable[[Any], None]) -> None:
        self.put = put


class Local:
    """Stands for what a variable of the generated code holds when it raises."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


def in_locals(owed: Owed, name_of: Callable[[Value], str], containers: Mapping[int, str]) -> Owed:
    """What is owed, in terms of the generated code's variables."""
    def leaf(x: Any) -> Any:
        if isinstance(x, Given):
            return Local(containers[x.number])
        return Local(name_of(x)) if isinstance(x, Value) else x

    return tuple((Local(containers[t]) if isinstance(t, int) else leaf(t), map_nest(leaf, nest))
                 for t, nest in owed)


def pay(owed: Owed, find: Callable[[Any], Any]) -> None:
    """Give objects of the caller's what they are owed; `find` gives what stands for a leaf."""
    def real(x: Any) -> Any:
        return x.copy() if isinstance(x, np.ndarray) else find(x)  # a constant is nobody's

    ready = [(target, unspliced(map_nest(real, nest))) for target, nest in owed]
    for target, contents in ready:
        if isinstance(target, np.ndarray):
            target[...] = contents
        elif isinstance(target, Outside):
            target.put(contents)
        else:
            refill(target, contents)
