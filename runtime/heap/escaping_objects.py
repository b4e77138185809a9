"""Objects that escape from a function with symbolic values in them, and iterators that it made:
every run makes new ones."""

from __future__ import annotations

import gc
import sys
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import groupby
from types import (
    BuiltinMethodType,
    FrameType,
    FunctionType,
    MappingProxyType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    TracebackType,
)
from typing import Any

import numpy as np

from autograph.libraries import package_of
from autograph.own_attributes import class_has, declared_attributes, held
from autograph.runtime.heap.growing_lists import unstage
from autograph.runtime.heap.hidden_state import CLOSES, has_hidden_state, refuse_shared
from autograph.runtime.heap.iterators import Cursor, cursor_of, is_iterator
from autograph.runtime.heap.iterators_made import maker_of
from autograph.runtime.heap.new_objects import how_to_copy, refuse_shared_class
from autograph.runtime.heap.objects import (
    build,
    can_be_built,
    contents_of,
    filled,
    is_instance,
    is_known,
)
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.heap.unchanged import read_ahead
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.frame_state import Selection
from autograph.runtime.ir.own_contents import content, own_values
from autograph.runtime.ir.pytree import LEAVES, children, flatten
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor

NO_OBJECTS = (FunctionType, MethodType, partial, ModuleType, type, np.ndarray, np.generic)


VIEWS = frozenset(type(getattr(d, name)()) for d in (dict[Any, Any](), OrderedDict[Any, Any]())
                  for name in ("keys", "values", "items"))
"""The classes of what `d.keys()`, `d.values()` and `d.items()` of a dict return."""


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
    """Returns True for a new object of a user's class, deque or Counter with a symbolic value.

    outside: the ids of the objects, or of their `__dict__`s, that were there before.
    """
    return _is_new_object(x, outside) and _is_symbolic(list(parts_of(x)), outside, set())


def is_new_iterator(x: Any) -> bool:
    """Returns True for an iterator that the function made: if it escapes, the run collects its
    items."""
    if isinstance(x, Cursor) and trace.from_outside(x.iterator):
        return False
    return class_has(type(x), "__ag_rest__") or (
        type(x).__module__ in ("builtins", "itertools") and is_iterator(x)
        and trace.tracing() and not trace.from_outside(x))


def rest(iterator: Any) -> Any:
    """Reads an iterator to its end; returns the items that were left: a list, or a symbolic one.

    Raises:
      TracingError: there is no end to it.
    """
    if type(iterator) is groupby:
        return [(key, iter(list(group))) for key, group in iterator]  # the next step ends a group
    known = iterator if class_has(type(iterator), "__ag_rest__") else cursor_of(iterator)
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
    """Returns, by identity, the new lists, dicts, tuples and objects of fields to which two ways
    lead.

    outside: the ids of the containers, and of the objects' attributes, that were there before.
    """
    seen, shared, pending = dict[int, Any](), dict[int, Any](), list(roots)
    again = set[int]()
    while pending:
        x = unstaged(pending.pop())
        inside: Any = parts_of(x) if _is_new_object(x, outside) else (
            None if is_known(x, outside) else (children(x) or ((), None))[1])
        if inside is not None and id(x) not in seen:
            pending += inside
        elif inside is not None and isinstance(x, Selection):
            pending += inside if id(x) not in again else ()  # two ways lead to what is in it, too
            again.add(id(x))
        elif inside is not None and not (type(x) is tuple and not x) and children(x) is not None:
            shared[id(x)] = x
        seen[id(x)] = x
    return shared


def _is_new_object(x: Any, outside: Collection[int]) -> bool:
    """Returns True for an object of a user's class, a deque or Counter, a mapping that cannot be
    changed, or a view or method of a container, that was not there before."""
    if type(x) in LEAVES:
        return False
    if type(x) in (deque, Counter, MappingProxyType):
        return id(x) not in outside
    if (owner := _owner(x)) is not None:
        return isinstance(owner, Tensor) or _is_new_object(owner, outside) or (
            is_plain_container(owner) and id(owner) not in outside)
    if issubclass(type(x), (*NO_OBJECTS, Tensor, SelectedObject)) or not (
            type(x).__dictoffset__ or declared_attributes(type(x))):
        return False
    return package_of(type(x).__module__) not in ("autograph", "numpy") and (
        children(x) is None and not is_known(x, outside))


def parts_of(x: Any) -> Any:
    """Returns what an object of a user's class, a container or a method of a builtin one holds."""
    if (owner := _owner(x)) is not None:
        return [owner]
    if type(x) is MappingProxyType:
        return gc.get_referents(x)
    held = own_values(x) if is_plain_container(x) and not isinstance(x, BUFFERS) else ()
    return [*held, *contents_of(x).values()]


def _is_symbolic(nest: Any, outside: Collection[int], seen: set[int]) -> bool:
    for x in flatten(nest):
        if isinstance(x, Tensor) or (isinstance(x, list) and _is_symbolic(
                list(list.__iter__(x)), outside, seen)):
            return True
        if is_new_iterator(x) or type(x) is SelectedObject:
            return True
        if _is_new_object(x, outside) and id(x) not in seen:
            seen.add(id(x))
            if _is_symbolic(list(parts_of(x)), outside, seen):
                return True
    return False


def how_to_make(x: Any) -> tuple[Callable[..., Any], list[Any]]:
    """Returns a function, and its arguments, that make another object or deque like this one."""
    if is_plain_container(x):
        found = contents_of(x)
        return filled, [type(x), content(x), tuple(found), *found.values()]
    if (owner := _owner(x)) is not None:
        return (_view, [owner, type(x).__name__.partition("_")[2]]) if type(x) in VIEWS else (
            getattr, [owner, _method_name(x)])
    if is_new_iterator(x):
        return maker_of(x), [unstage(read_ahead(x, partial(rest, x)))]
    if not can_be_built(x):
        if (copied := how_to_copy(x)) is not None:
            return copied
        raise TracingError(f"an object of the class {type(x).__name__} escapes from the function "
                           "with symbolic values in it, and its class has a `__new__` of its own, "
                           "so that the run cannot make a copy\n"
                           "  hint: return its values, and make the object outside")
    refuse_shared_class(type(x))
    found = contents_of(x)
    return build, [type(x), tuple(found), *found.values()]


def is_new_view(x: Any, outside: Collection[int]) -> bool:
    """Returns True for a view of a dict, or a method of a container, that was not there before."""
    return _owner(x) is not None and _is_new_object(x, outside)


def _owner(x: Any) -> Any:
    """Returns the container that a view shows, or that a method belongs to, or the symbolic value
    that it belongs to; None for something else."""
    if type(x) in VIEWS:
        return next(iter(gc.get_referents(x)))
    if isinstance(x, (BuiltinMethodType, MethodWrapperType)):
        return None if isinstance(x.__self__, (ModuleType, type)) else x.__self__
    return x.__self__ if isinstance(x, MethodType) and isinstance(x.__self__, Tensor) else None


def _method_name(method: Any) -> str:
    """Returns the name by which a program finds a method."""
    if not isinstance(method, MethodType):
        return str(method.__name__)
    return next(name for cls in type(method.__self__).__mro__ for name, x in vars(cls).items()
                if x is method.__func__)


def _view(owner: Any, name: str) -> Any:
    return getattr(owner, name)()


def keeping_class(array: np.ndarray) -> dict[str, bool]:
    """Returns the keywords with which `np.copy` makes an array of the same class.

    >>> keeping_class(np.zeros(2)), keeping_class(np.ma.zeros(2))
    ({}, {'subok': True})
    """
    return {} if type(array) is np.ndarray else {"subok": True}


def refuse_hidden_operand(x: Any) -> None:
    """Refuses a constant of the graph that holds a symbolic value; each is looked at once."""
    here = trace.current_region()
    if class_has(type(x), "__ag_leave__"):
        x.__ag_leave__()
    refuse_shared(x)
    if here is None or not gc.is_tracked(x) or id(x) in here.trace.passed or _was_there(
            x) or isinstance(x, (type, ModuleType, tuple)) or is_plain_container(x) or (
                is_instance(x) or package_of(type(x).__module__) == "autograph"):
        return
    here.trace.passed[id(x)] = x
    refuse_hidden(x)


def refuse_hidden(x: Any) -> None:
    """Refuses to let an object leave the function that holds a symbolic value where the run does
    not find it, such as a `property` or a class.

    Raises:
      TracingError: it holds one.
    """
    seen: dict[int, Any] = {}
    pending = [x]
    while pending:
        held = pending.pop()
        if isinstance(held, (Tensor, SelectedObject)):
            error = TracingError(
                f"an object of the class {type(x).__name__} leaves the function, a branch or a "
                "loop, and holds a value that is known only when the graph runs"
                f"{at(user_location())}\n"
                "  hint: return the value, and make the object outside")
            if has_hidden_state(x):
                vars(error)[CLOSES] = type(x)
            raise error
        if id(held) not in seen and not isinstance(
                held, (ModuleType, FrameType, TracebackType, *LEAVES)):
            seen[id(held)] = held
            pending += _referents(held)


def _referents(x: Any) -> list[Any]:
    if isinstance(x, FunctionType):
        return [x.__closure__, x.__defaults__, x.__kwdefaults__, x.__dict__]
    if isinstance(x, type):
        module = sys.modules.get(held(x, "__module__") or "")
        return [] if _was_there(x) or getattr(module, x.__name__, None) is x else [vars(x)]
    return gc.get_referents(x)


def _was_there(x: Any) -> bool:
    """Returns True if the traced function led to an object before: what it holds is written back.
    """
    here = trace.current_region()
    return here is not None and id(x) in here.trace.visited
