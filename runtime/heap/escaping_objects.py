"""Objects that escape from a function with symbolic values in them, and iterators that it made:
every run makes new ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import groupby
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph.runtime.heap.growing_lists import unstage
from autograph.runtime.heap.iterators import Cursor, cursor_of, is_iterator
from autograph.runtime.heap.objects import (
    build,
    can_be_built,
    contents_of,
    declared_attributes,
    is_known,
)
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.errors import TracingError
from autograph.runtime.ir.frame_state import Selection
from autograph.runtime.ir.pytree import children, flatten
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor

NO_OBJECTS = (FunctionType, MethodType, partial, ModuleType, type, np.ndarray, np.generic)


class Unstaged:
    """Makes plain lists of escaping staged lists, and selections of selected objects, each once.

    keep: returns True for a container that stays the same object, whatever is in it.
    """

    def __init__(self, keep: Callable[[Any], bool]) -> None:
        self._made: dict[int, Any] = {}
        self._keep = keep

    def __call__(self, nest: Any) -> Any:
        return unstage(nest, self._made, self._selected, self._keep)

    def _selected(self, x: SelectedObject) -> Selection:
        if id(x) not in self._made:
            self._made[id(x)] = x, Selection(list(map(self, x.parts())))
        return self._made[id(x)][1]  # type: ignore[no-any-return]


def is_symbolic_object(x: Any, outside: Collection[int] = ()) -> bool:
    """Returns True for a new object of a user's class, or a new deque, that holds a symbolic value.

    outside: the ids of the objects, or of their `__dict__`s, that were there before.
    """
    return _is_new_object(x, outside) and _is_symbolic(list(_parts(x)), outside, set())


def is_new_iterator(x: Any) -> bool:
    """Returns True for an iterator that the function made: if it escapes, the run collects its
    items."""
    if isinstance(x, Cursor) and trace.from_outside(x.iterator):
        return False
    return hasattr(type(x), "__ag_rest__") or (
        type(x).__module__ in ("builtins", "itertools") and is_iterator(x)
        and trace.tracing() and not trace.from_outside(x))


def rest(iterator: Any) -> Any:
    """Reads an iterator to its end; returns the items that were left: a list, or a symbolic one.

    Raises:
      TracingError: there is no end to it.
    """
    if type(iterator) is groupby:
        return [(key, iter(list(group))) for key, group in iterator]  # the next step ends a group
    known = iterator if hasattr(type(iterator), "__ag_rest__") else cursor_of(iterator)
    return known.__ag_rest__()


def unstage_attributes(x: Any, outside: Collection[int], unstaged: Unstaged) -> None:
    """Replace the staged lists in a new object, and in those that it refers to, by Python's own.
    """
    pending, done = [x], set[int]()
    while pending:
        owner = pending.pop()
        if id(owner) in done or not _is_new_object(owner, outside):
            continue
        done.add(id(owner))
        for name, value in contents_of(owner).items():
            new = unstaged(value)
            if new is not value:
                object.__setattr__(owner, name, new)
            pending += flatten(new)


def shared_containers(roots: Iterable[Any], outside: Collection[int], unstaged: Unstaged
                      ) -> dict[int, Any]:
    """Returns, by identity, the new lists, dicts and objects of fields to which two ways lead.

    outside: the ids of the containers, and of the objects' attributes, that were there before.
    """
    seen, shared, pending = dict[int, Any](), dict[int, Any](), list(roots)
    again = set[int]()
    while pending:
        x = unstaged(pending.pop())
        inside: Any = _parts(x) if _is_new_object(x, outside) else (
            None if is_known(x, outside) else (children(x) or ((), None))[1])
        if inside is not None and id(x) not in seen:
            pending += inside
        elif inside is not None and isinstance(x, (tuple, Selection)):
            pending += inside if id(x) not in again else ()  # two ways lead to what is in it, too
            again.add(id(x))
        elif inside is not None and children(x) is not None:
            shared[id(x)] = x
        seen[id(x)] = x
    return shared


def _is_new_object(x: Any, outside: Collection[int]) -> bool:
    """Returns True for an object of a user's class, or a deque, that was not there before."""
    if type(x) is deque:
        return id(x) not in outside
    if isinstance(x, (*NO_OBJECTS, Tensor, SelectedObject)) or not (
            hasattr(x, "__dict__") or declared_attributes(type(x))):
        return False
    module = (type(x).__module__ or "").partition(".")[0]
    return module not in ("autograph", "numpy") and children(x) is None and not is_known(
        x, outside)


def _parts(x: Any) -> Any:
    return x if type(x) is deque else contents_of(x).values()


def _is_symbolic(nest: Any, outside: Collection[int], seen: set[int]) -> bool:
    for x in flatten(nest):
        if isinstance(x, Tensor) or (isinstance(x, list) and _is_symbolic(
                list(list.__iter__(x)), outside, seen)):
            return True
        if is_new_iterator(x) or type(x) is SelectedObject:
            return True
        if _is_new_object(x, outside) and id(x) not in seen:
            seen.add(id(x))
            if _is_symbolic(list(_parts(x)), outside, seen):
                return True
    return False


def how_to_make(x: Any) -> tuple[Callable[..., Any], list[Any]]:
    """Returns a function, and its arguments, that make another object or deque like this one."""
    if type(x) is deque:
        return deque, [list(x), x.maxlen]
    if is_new_iterator(x):
        return iter, [unstage(rest(x))]
    if not can_be_built(x):
        raise TracingError(f"an object of the class {type(x).__name__} escapes from the function "
                           "with symbolic values in it, and its class has a `__new__` of its own, "
                           "so that the run cannot make a copy\n"
                           "  hint: return its values, and make the object outside")
    found = contents_of(x)
    return build, [type(x), tuple(found), *found.values()]
