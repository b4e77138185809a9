"""Python's own containers that meet symbolic values: what is recorded, and what has to be refused.

Python cannot look up a symbolic key in a plain container, or change one there. If the trace knows
the contents, a look-up is recorded on a constant copy of them; otherwise the trace is made again
with the container as an object of the graph (see `run_time_containers`).
"""

from __future__ import annotations

import bisect
import heapq
import operator
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from types import FunctionType, MappingProxyType, MethodType
from typing import Any

import numpy as np

from autograph.extension_points import POINTS
from autograph.libraries import package_of
from autograph.own_attributes import defines, held
from autograph.runtime.heap.callbacks import with_callbacks
from autograph.runtime.heap.growing_lists import StagedList, holds_symbols
from autograph.runtime.heap.hidden_state import check_shared, note_chosen
from autograph.runtime.heap.kept_functions import keeps_effects, made_by_function
from autograph.runtime.heap.made_arrays import check_copied
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import contents_of, is_instance
from autograph.runtime.heap.run_time_containers import (
    TAKING_CONTAINERS,
    called_with,
    has_tensor,
)
from autograph.runtime.heap.selected_objects import MANY, SelectedObject, is_callee
from autograph.runtime.heap.sorting import in_order
from autograph.runtime.heap.store_targets import note_method, note_target
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ir.trace_signals import RetraceInFull, RetraceWithObjects
from autograph.runtime.ir.types import CONTAINERS, IMMUTABLE
from autograph.runtime.ops import opaque, pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import containers_in, is_plain_container, parts_of
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.runtime.symbolic.trace_mode import Decision

KEYED = frozenset({
    "get", "pop", "setdefault", "__getitem__", "__setitem__", "__delitem__", "add", "discard",
    "remove", "move_to_end", "index", "count", "insert", "rotate", "__contains__",
})
"""Methods whose first argument is a key or a position, or is compared with the items."""

ASKED = ("__len__", "__iter__", "__bool__", "keys", "values", "items")
COMPARING = frozenset({"sort", "index", "count", "remove", "most_common"})
"""Methods that compare the items with each other or with an argument."""


def plain_method(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of a method of a plain container, for symbolic arguments."""
    container, name = held(method, "__self__"), held(method, "__name__", "")
    if type(container) is StagedList or not is_plain_container(container):
        return method

    @wraps(method)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        note_method(method)
        if trace.tracing() and _meets_symbolic(container, name, args):
            if name == "get" and isinstance(container, dict) and len(container) < MANY and (
                    keeps_effects([container, *args[1:]])):
                return _selected_value(container, *args)
            need_object(container, f"has its method {name} called with a value that is known only "
                                   "when the graph runs")
        if name == "sort" and type(container) is list and trace.tracing():
            return _sort(container, *args, **kwargs)
        return method(*args, **kwargs)

    return replacement


def _sort(items: list[Any], /, *args: Any, **options: Any) -> None:
    """`items.sort(…)`: the key function is called once for each item, while tracing.

    Raises:
      SymbolicValueError: only the run knows the keys.
    """
    key, reverse = options.get("key"), options.get("reverse", False)
    if args or options.keys() - {"key", "reverse"} or (key is None and not holds_symbols(reverse)):
        return items.sort(*args, **options)
    asked = POINTS.convert_callback(key) if key is not None else None
    keys = [asked(x) for x in list(items)] if asked is not None else items
    if holds_symbols((keys, reverse)):
        need_object(items, "is sorted by keys that are known only when the graph runs")
    items[:] = in_order(items, keys, reverse)


def _meets_symbolic(container: Any, name: str, args: tuple[Any, ...]) -> bool:
    if isinstance(container, BUFFERS):
        return has_tensor(args) or any(type(x) is StagedList and not x.known for x in args)
    if name in KEYED and args and has_tensor(args[0]):
        return True
    if name == "__init__" and isinstance(container, deque):
        return True  # its greatest length is nothing that a trace can restore
    if name in COMPARING and has_tensor(parts_of(container)):
        return True
    if name not in TAKING_CONTAINERS:
        return False
    hashes = not isinstance(container, (list, deque, dict))
    return any(isinstance(x, Tensor) or (type(x) is StagedList and not x.known)
               or (hashes and has_tensor(parts_of(x))) for x in args)


def check_key(container: Any, index: Any) -> None:
    """Refuse to store or delete `container[index]`, if a plain container cannot do that."""
    if type(index) is slice:
        trace.note_store(container if is_plain_container(container) else None)
    if issubclass(type(container), BUFFERS):
        need_object(container, "is changed, and may be given a value that is known only when the "
                               "graph runs")
    if is_plain_container(container) and type(container) is not StagedList and has_tensor(
            (index.start, index.stop, index.step) if type(index) is slice else index):
        need_object(container, "is changed at a key that is known only when the graph runs")


def check_update(owner: Any, value: Any, *key: Any) -> Any:
    """Returns the operand of `|=` and its like, which a container changes itself by. `key`: that
    of the item, or the name of the attribute, which is the container.

    Raises:
      SymbolicValueError: only the run knows the operand, and a dict would look into it.
    """
    changed = _held_at(owner, key[0]) if key else owner
    if is_plain_container(changed):
        note_target(changed)
        if isinstance(changed, dict) and _meets_symbolic(changed, "update", (value,)):
            need_object(changed, "is updated by what is known only when the graph runs")
    return value


def _held_at(owner: Any, key: Any) -> Any:
    """Returns an item of one of Python's containers, or an attribute that an object has itself."""
    if isinstance(owner, dict):
        return dict.get(owner, key)
    if isinstance(owner, list):
        return list.__getitem__(owner, key) if type(key) is int and (
            -list.__len__(owner) <= key < list.__len__(owner)) else None
    return contents_of(owner).get(key) if type(key) is str and is_instance(owner) else None


def item_of_plain(container: Any, index: Any) -> Any:
    """Record `container[index]`, where the index is symbolic and the container is Python's."""
    if type(container) is StagedList and not container.known:
        return container[index]
    if _has_own(type(container), ("__getitem__",)):
        return apply(opaque(operator.getitem), container, index)
    if isinstance(container, tuple):  # the user's `__iter__` and `__len__` are not asked
        container = tuple(tuple.__iter__(container))
    keeps = keeps_effects(container)
    if isinstance(container, CONTAINERS) and (
            _has_own_methods(type(container)) or not container
            or (not keeps and any(map(holds_mutable, parts_of(container) or ())))
            or (type(index) is slice and (
                type(container) is not StagedList or any(map(holds_mutable, container))))):
        need_object(container, "is looked up by a key that is known only when the graph runs")
    if isinstance(container, (list, tuple, dict)) or (keeps and isinstance(container, deque)):
        selected = _selected_item(container, index, keeps)
        if selected is not None:
            return selected
    for x in all_leaves(container):
        _check_item(x)
    if type(container) is StagedList:
        return container[index]
    if isinstance(container, dict) and not has_tensor(container):
        for x in container.values():
            note_chosen(x)
        container = MappingProxyType(dict(container))
    if isinstance(container, deque):
        container = list(container)
    return apply("getitem", container, index)


def _check_item(x: Any) -> None:
    """Asks that the run make what the function made, and that one of several operands is."""
    check_copied(x)
    if not is_instance(x):
        check_shared(x)


def _has_own_methods(cls: type) -> bool:
    """Returns True for a container's class whose `__missing__`, or what Python asks for the length
    or the items, is the user's: a look into it would call that."""
    return defines(cls, "__missing__") or _has_own(cls, ASKED)


def _has_own(cls: type, names: Iterable[str]) -> bool:
    """Returns True if a class of the user's has one of these methods in Python."""
    return package_of(cls.__module__) != "autograph" and any(
        type(vars(base).get(name)) is FunctionType for base in cls.__mro__ for name in names)


def holds_mutable(x: Any) -> bool:
    """Returns True for a container, or object that the function made, and for tuples of such."""
    return any(map(holds_mutable, x)) if isinstance(x, tuple) else (
        is_plain_container(x) or made_by_function(x))


def _selected_item(container: Any, index: Any, keeps: bool) -> Any:
    """Returns an item of a container of objects or functions as a selected object: the trace goes
    on with all of them, so that others see a change of one. None if they are neither, or too many.

    keeps: True if the container, or one in it, holds functions whose effects the trace follows.

    Raises:
      TracingError: they are too many Python functions: what one of them does would be lost.
    """
    items = list(container.values()) if isinstance(container, dict) else list(container)
    if type(index) is slice or not (keeps or any(map(_is_selectable, items))):
        return None
    if not 1 < len(items) <= MANY:
        if any(isinstance(x, FunctionType | MethodType) for x in items[1:]):
            raise TracingError(
                f"one of {len(items)} functions is chosen by an index that is known only when the "
                f"graph runs{at(user_location())}\n  hint: up to {MANY} functions are told apart; "
                "write if statements for more")
        here = trace.current_region()
        if here is not None:
            here.trace.allocations.searched |= {id(x): x for x in items}
        return None
    if isinstance(container, dict):
        numbers: Any = dict(zip(container, range(len(items)), strict=True))
    else:
        numbers = (tuple if isinstance(container, tuple) else list)(range(len(items)))
    if isinstance(container, deque):
        return _selection(apply(pure(_number_in_deque), len(items), index), items)
    return _selection(apply("getitem", numbers, index), items)  # raises, in Python's words


def _selection(number: Any, items: Sequence[Any]) -> Any:
    """Returns the item with this number as a selected object; of tuples, a tuple of such."""
    first = items[0]
    if all(type(x) is tuple and len(x) == len(first) for x in items):
        return tuple(_selection(number, column) for column in zip(*items, strict=True))
    if not any(map(_is_selectable, items)):
        return apply("getitem", tuple(items), number)
    made = items[-1]
    for k in reversed(range(len(items) - 1)):
        made = SelectedObject(number == k, items[k], made)
    return made


def _is_selectable(x: Any) -> bool:
    return is_instance(x) or is_callee(x) or is_plain_container(x)


def _number_in_deque(count: int, index: Any) -> int:
    return deque(range(count))[index]


def _number_of_key(keys: tuple[Any, ...], key: Any) -> int:
    return {k: number for number, k in enumerate(keys)}.get(key, len(keys))


def _selected_value(container: dict[Any, Any], key: Any, default: Any = None) -> Any:
    """Returns `container.get(key, default)` as a selected object."""
    return _selection(apply(pure(_number_of_key), tuple(container), key),
                      [*container.values(), default])


def want_for_length(wanted: list[tuple[Any, Decision]]) -> None:
    """Gives this trace up, since copies of a loop's body make its graph too long: the next one is
    to hold these containers as objects. Returns if that makes no difference, or if something else
    than numbers and texts is in them, which would lose its type.

    Raises:
      RetraceWithObjects: the next trace holds more objects, or knows which container it is.
      RetraceInFull: this one does already, and it is a container that would lose types.
    """
    here = trace.current_region()
    assert here is not None
    sites = here.trace.mode.sites
    if all(holds_plain_values(x) or (x is None and not sites.instrumented) for x, _ in wanted):
        if here.trace.allocations.may_shorten([x for x, _ in wanted]):
            here.trace.request.containers += wanted
            here.trace.request.shorter = True
            raise RetraceWithObjects
    elif sites.shorter:
        raise RetraceInFull


def holds_plain_values(container: Any) -> bool:
    """Returns True for a container of numbers, texts, and containers of these alone."""
    return is_plain_container(container) and all(
        is_plain_container(x) or _is_plain_value(x)
        for held in containers_in(container) for x in parts_of(held) or ())


def _is_plain_value(x: Any) -> bool:
    if isinstance(x, Tensor):
        return getattr(x.type, "shape", None) == () or getattr(x.type, "cls", None) in IMMUTABLE
    return isinstance(x, (*IMMUTABLE, np.generic)) or (
        type(x) is tuple and all(map(_is_plain_value, x)))


def member(item: Any, container: Any) -> Any:
    """Record `item in container`, where one of the two is symbolic or holds symbolic values."""
    if _has_own(type(container), ("__contains__",)):
        return apply(opaque(operator.contains), container, item)
    if isinstance(container, (set, frozenset, dict)):  # the user's `__iter__` is not asked
        own: Any = next(c for c in (set, frozenset, dict) if isinstance(container, c))
        container = frozenset(own.__iter__(container))  # which hashes the item, too
    elif isinstance(container, deque):
        container = tuple(container)
    return apply("in_", item, container)


COMPARING_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    heapq.heapify, heapq.heappush, heapq.heappop, heapq.heappushpop, heapq.heapreplace,
    heapq.nlargest, heapq.nsmallest, bisect.bisect_left, bisect.bisect_right, bisect.insort_left,
    bisect.insort_right,
)
"""Functions of Python's library that compare the items of a list."""

ONLY_COMPARING = (heapq.nlargest, heapq.nsmallest, bisect.bisect_left, bisect.bisect_right)
"""Those that do not change it."""


def on_containers(function: Callable[..., Any], ported: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of a function of `heapq` or `bisect`, which compares list items;
    `ported` is the same in Python, of which a derivative can be taken."""
    @wraps(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if args and function not in ONLY_COMPARING and trace.tracing():
            note_target(args[0])
        if not trace.tracing() or not (has_tensor((args, kwargs)) or any(
                type(x) is StagedList and (not x.known or has_tensor(list(x))) for x in args)):
            return function(*args, **kwargs)
        if trace.takes_derivatives():
            return POINTS.convert_callback(ported)(*args, **kwargs)
        for x in (*args, *kwargs.values()):
            if is_plain_container(x):
                need_object(x, f"is given to {function.__name__} with values that are known only "
                               "when the graph runs")
        calls = function in ONLY_COMPARING or kwargs  # a key; the rest keeps what it is given
        made = with_callbacks(function, args, kwargs) if calls else NotImplemented
        return called_with(function, args, kwargs) if made is NotImplemented else made

    return replacement


