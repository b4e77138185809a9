"""Iteration: what staged loops can iterate over, by index or item by item.

Arrays, lists and whatever else has a symbolic length are `Items`, which a loop reads by index. One
of Python's iterators has no index: it is read through a `Cursor`, whose position is state.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType, GeneratorType
from typing import Any, NoReturn

import numpy as np

from autograph.conversion.code_cache import stop_form
from autograph.libraries import is_library, package_of
from autograph.operators.checks import getitem, raise_
from autograph.operators.control_flow import cond, for_loop, while_loop
from autograph.operators.logical import is_, not_, or_
from autograph.runtime.control_flow import cond as control
from autograph.runtime.heap.growing_lists import Splice, StagedList
from autograph.runtime.heap.iterators import (
    Cursor,
    EndlessCursor,
    TracedState,
    cursor_of,
    is_of_users_class,
    needs_cursor,
    read_by_cursor,
)
from autograph.runtime.heap.locations import Contents
from autograph.runtime.heap.objects import contents_of
from autograph.runtime.heap.reachability import Reachable, reachable_locations
from autograph.runtime.heap.run_time_containers import has_tensor, new_object
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, is_container
from autograph.runtime.ops import pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.captures import identical
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.generators import (
    Generated,
    Items,
    Iter,
    Pushed,
    collected,
    is_symbolic,
    watched,
)

Fn = Callable[..., Any]
State = tuple[Any, ...]

UNROLL = 8
"""Loops of at most this many iterations are unrolled; longer ones become one equation."""


class Opened:
    """An iterator of a user's class whose `__iter__` was called: nothing calls it again."""

    __slots__ = ("iterator",)

    def __init__(self, iterator: Any) -> None:
        self.iterator = iterator

    def __iter__(self) -> Opened:
        return self

    def __next__(self) -> Any:
        return builtins.next(self.iterator)


def opened(x: Any) -> Any:
    """Returns the result of `__iter__` for an object of a user's class; anything else as it is. If
    only the run may know its end, that is a generator for staged loops."""
    by = iterates_by(x)
    if by == "__iter__":
        x = builtins.iter(x)
        if is_of_users_class(x):
            x = Opened(x)
    return x if by is None or not holds_symbols(x) else in_steps(x) or x


def is_opened(x: Any) -> bool:
    """Returns True for an object of a user's class in which Python looks by iterating over it."""
    own = getattr(type(x), "__contains__", Sequence.__contains__)
    return own is Sequence.__contains__ and iterates_by(x) is not None


def iterates_by(x: Any) -> str | None:
    """Returns the name of the method of a user's class by which Python iterates over an object.

    The `__iter__` that `collections.abc.Sequence` gives its classes reads by `__getitem__`.
    """
    cls = type(x)
    if not trace.tracing() or package_of(cls.__module__) == "autograph":
        return None
    own = getattr(cls, "__iter__", Sequence.__iter__)
    name = "__getitem__" if own is Sequence.__iter__ else "__iter__"
    return name if type(getattr(cls, name, None)) is FunctionType else None


def in_steps(x: Any) -> Pushed | None:
    """Returns an object that Python iterates over by a method of a user's class as a generator for
    staged loops, which asks for an item only where the run gets there; None for another one."""
    owner = x.iterator if isinstance(x, Opened) else x
    step = stop_form_of(owner)
    if step is None:
        return None

    def push(consume: Fn) -> None:
        def turn(_: Any, i: Any) -> tuple[Any, Any]:
            found, value = step(owner) if isinstance(x, Opened) else step(owner, i)
            return cond(found, lambda: not_(consume(value)), lambda: False), i + 1

        while_loop(lambda goes_on, _: goes_on, turn, (True, 0))

    return Pushed(lambda: builtins.iter(x), push, list(contents_of(owner).values()))


def holds_symbols(x: Any) -> bool:
    """Returns True if an object, or the opened iterator, has an attribute that is symbolic."""
    owner = x.iterator if isinstance(x, Opened) else x
    return any(map(is_symbolic, all_leaves(list(contents_of(owner).values()))))


def stop_form_of(x: Any) -> Fn | None:
    """Returns what makes the next item of an object of a user's class: if there is one, and it."""
    if not trace.tracing() or is_library(type(x).__module__):
        return None
    method = getattr(type(x), "__next__", None) or getattr(type(x), "__getitem__", None)
    return stop_form(method) if type(method) is FunctionType else None


def comprehension(kind: type | None, fn: Fn, items: Any, where: Fn | None, nested: bool) -> Any:
    """Make a comprehension of this kind while a function is traced; None: a generator."""
    made = Generated(read_by_cursor(opened(items)), fn, where, nested, fn.__code__.co_argcount)
    if kind is None:
        made.kind = GeneratorType
        return made
    items = StagedList(made) if can_unroll(made) else collected(made)
    if kind is builtins.list:
        return items
    if items.known and not has_tensor([x if kind is builtins.set else x[0] for x in items]):
        return kind(items)
    return new_object(kind, items)


def can_unroll(x: Any) -> bool:
    """Returns True if Python can iterate over it: its length and its tests are not symbolic."""
    if isinstance(x, Generated) and x.read_by_python:
        return not needs_cursor(x.python)
    if isinstance(x, Generated):
        return type(x) is Generated and x.where is None and not x.nested and can_unroll(x.items)
    if isinstance(x, Tensor):
        t = x.type
        if isinstance(t, ArrayType) and t.shape == ():
            iter(x)  # raises, in Python's words
        return isinstance(t, ArrayType) and t.shape is not None and isinstance(t.shape[0], int)
    if isinstance(x, Cursor):
        return isinstance(x.position, int)
    return type(x.length) is int if isinstance(x, Items) else not is_symbolic(x)


def container_of(kind: Any, x: Any) -> Any:
    """Make `list(x)`, `tuple(x)`, `set(x)`, `dict(x)` …"""
    if can_unroll(x):
        return kind(iter(x))
    if isinstance(x, Tensor):
        made = apply(pure(kind), x)
        return StagedList([Splice(made)]) if kind is builtins.list else made
    items = x if type(x) is StagedList else collected(x)
    if kind is builtins.list:
        return items
    return kind(items) if items.known and kind is builtins.tuple else apply(pure(kind), items)


NUMBERS_AND_TEXTS = frozenset({bool, int, float, complex, str, np.bool_, *(
    np.dtype(code).type for code in np.typecodes["AllInteger"] + np.typecodes["AllFloat"])})


def item_of_table(items: Sequence[Any]) -> Callable[[Any], Any] | None:
    """Returns what gives the item at a position that only the run knows; None if the items are few,
    or not all numbers or texts of one class, or tuples of such."""
    classes = {type(x) for x in items}
    if len(items) <= UNROLL or len(classes) != 1:
        return None
    cls = classes.pop()
    if cls in NUMBERS_AND_TEXTS:
        return partial(getitem, builtins.tuple(items))
    if cls is not builtins.tuple or len(set(map(len, items))) != 1:
        return None
    columns = [item for column in zip(*items, strict=True) if (item := item_of_table(column))]
    if len(columns) < len(items[0]):
        return None
    return lambda i: builtins.tuple(item(i) for item in columns)


def range_of(length: Any) -> Any:
    """Make `range(length)`, symbolic if the length is."""
    return apply("range_", length) if isinstance(length, Tensor) else builtins.range(length)


def items_of(x: Any) -> Items | None:
    """Returns an iterable as `Items`, if a staged loop can read it by index; else None."""
    if isinstance(x, Items):
        if x.position is not None:
            rest, x.position.unknown = x.rest(), True
            return rest
        return x
    if isinstance(x, Generated) and type(x) is not Pushed and not can_unroll(x):
        x = collected(x)
    sources = (x,) if type(x) is StagedList else ()
    if type(x) is StagedList and not x.known:
        x = x.tensor()
    if not isinstance(x, Tensor):
        return None
    if is_container(x.type) or x.type == DYNAMIC:
        x = new_object(list, x)  # what is not a sequence has no positions
    elif (isinstance(x.type, PyType) and x.type.cls not in (builtins.range, str, bytes)) or (
            isinstance(x.type, ArrayType) and x.type.shape == ()):
        iter(x)  # raises, in Python's words
    return Items(length_of(x), lambda i: x[i], sources=sources)


def items_ahead(x: Any, at_once: bool = False) -> Items:
    """Returns an iterable that is read by several readers, or one of several, as `Items`; those of
    a generator are read here.

    at_once: Python reads all of them here, too.

    Raises:
      TracingError: reading them has effects, and Python would read them one by one.
    """
    if type(x) is Pushed:
        x = collected(x) if at_once else handed_on(x)[0]
    found = items_of(x)
    known = x if found is not None or isinstance(x, builtins.list) else tuple(x)
    return found or Items(builtins.len(known), lambda i: getitem(known, i))


def length_of(x: Any) -> Any:
    """Make `len(x)`, symbolic if only the run knows it."""
    if isinstance(x, Items):
        return x.length
    if type(x) is StagedList and not x.known:
        x = x.tensor()
    if not isinstance(x, Tensor):
        return builtins.len(x)
    t = x.type
    if isinstance(t, ArrayType) and t.shape and isinstance(t.shape[0], int):
        return t.shape[0]
    if isinstance(t, ArrayType) and t.shape == ():
        return builtins.len(x)  # raises, in Python's words
    return apply("len_", x)


# -- Python's iterators ---------------------------------------------------------------------------


def loop_with_cursor(cursor: Cursor, body: Callable[..., Any], state: State,
         test: Callable[..., Any] | None) -> State:
    """Stage `for item in iterator: state = body(item, *state)`, as long as `test(*state)`."""
    if isinstance(cursor.position, Tensor):
        return _loop_from_anywhere(cursor, body, state, test)
    while True:
        go_on = True if test is None else test(*state)
        if isinstance(go_on, Tensor):
            endless = isinstance(cursor, EndlessCursor)
            decided = _loop_from_anywhere if endless else _loop_as_it_decides
            return decided(cursor, body, state, test)
        if not go_on or not _has(cursor, cursor.position):
            return state
        state = _step(cursor, body, cursor.position, state)


def _has(cursor: Cursor, position: int) -> bool:
    """Returns True if there is an item. If only the run knows whether it is read here, it may be
    read later: what the iterator reads must not have changed then."""
    region = trace.current_region()
    if region is not None and region.parent is not None:
        _note_read_ahead(cursor)
    return cursor.has(position)


def _note_read_ahead(cursor: Cursor) -> None:
    cursor.note_read_ahead([x for x in reachable_locations(cursor)
                            if not isinstance(getattr(x, "owner", None), (Cursor, TracedState))])


def _step(cursor: Cursor, body: Callable[..., Any], position: int, state: State) -> State:
    cursor.position = position + 1
    return body(cursor.item(position), *state)  # type: ignore[no-any-return]


def _loop_as_it_decides(cursor: Cursor, body: Callable[..., Any], state: State,
                        test: Any) -> State:
    """Record one loop over a table of the items, or each iteration on its own, under its test. What
    reading ahead raises is raised if the loop gets there."""
    body = watched(body, _read_by(cursor))
    raised = _raised_ahead(cursor)
    positions = range(cursor.position, len(cursor.items))
    if (item := item_of_table(cursor.items[cursor.position:])) is not None:
        state = for_loop(positions, _steps(cursor, body, item, cursor.position), state, test=test)
    else:
        for position in positions:
            state = control.cond(
                test(*state), lambda *now, at=position: _step(cursor, body, at, now),
                lambda *now: now, *state)
    if raised is not None:
        state = control.cond(test(*state), lambda *now: raise_(raised), lambda *now: now, *state)
    return state


def _raised_ahead(cursor: Cursor) -> RuntimeError | None:
    """Reads all items; returns the exception of a container that has changed meanwhile."""
    try:
        _read_ahead(cursor)
    except RuntimeError as error:
        if type(error) is not RuntimeError:
            raise
        return error
    return None


def _loop_from_anywhere(cursor: Cursor, body: Callable[..., Any], state: State,
                        test: Callable[..., Any] | None) -> State:
    """Record a loop from a position, or to a position, that only the run knows."""
    body = watched(body, _read_by(cursor))
    item, end = _readable(cursor)
    return for_loop(apply("range_", cursor.position, end), _steps(cursor, body, item), state,
                    test=test)


def _steps(cursor: Cursor, body: Callable[..., Any], item: Callable[[Any], Any], first: int = 0
           ) -> Callable[..., Any]:
    """Returns the body of a loop over positions. `item` is called with a position, less the first
    one."""
    def step(position: Any, *now: Any) -> State:
        cursor.position = position + 1
        return body(item(position - first), *now)  # type: ignore[no-any-return]

    step.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names
    return step


def _read_by(cursor: Cursor) -> list[Any]:
    """Returns the containers that an iterator may read."""
    return [x.container for x in reachable_locations(cursor)
            if isinstance(x, Contents) and is_plain_container(x.container)
            and not x.has_attributes]


def _readable(cursor: Cursor) -> tuple[Callable[[Any], Any], int]:
    """Returns a function of a position that only the run knows, which returns the item there; and
    the number of items."""
    if isinstance(cursor, EndlessCursor):
        return cursor.item, sys.maxsize
    items = _read_ahead(cursor)
    return partial(getitem, items), len(items)


def _read_ahead(cursor: Cursor) -> list[Any]:
    """Returns all items, though a symbolic test may end the loop before the last one.

    Raises:
      TracingError: reading them has effects, which would happen too often.
    """
    cursor.refuse_outside()
    _note_read_ahead(cursor)
    unchanged = _watch(reachable_locations(cursor))
    items = cursor.all()
    if not unchanged():
        cursor.request_generators()
        raise TracingError(
            "a loop that may end early, by a symbolic test, reads a generator that changes "
            f"variables or objects for each of its items{at(user_location())}\n"
            "  hint: make the change in the loop, or make a list of the items before the loop")
    return items


def handed_on(x: Any) -> tuple[Any, list[Any]]:
    """Returns the items that are left of an iterator as a list, and the containers that it reads.
    From here on another reader has it, and only the run knows how many of them that takes.

    Raises:
      TracingError: reading them has effects, which would happen too often.
    """
    if isinstance(x, Cursor):
        position, sources = x.position, _read_by(x)  # at its end it does not tell any more
        items = _read_ahead(x)
        x.handed_on = True
        return (items[position:] if isinstance(position, int) else
                apply("getitem", items, slice(position, None))), sources
    unchanged = _watch(reachable_locations(x))
    if isinstance(x, Iter) and not x.start():
        x.ended = False
        return x.items, []  # which sees what the loop changes
    items = collected(x)
    if isinstance(x, Generated):
        x.ended = False  # who reads it again is refused
    if isinstance(x, Items) and x.position is not None:
        x.position.unknown = True
    if not unchanged():
        raise TracingError(
            "a generator is read together with what only the run knows, or by several readers, and "
            f"changes variables or objects for each of its items{at(user_location())}\n"
            "  hint: make the change in the loop, or make a list of the items before")
    return items, []


def _watch(reached: Reachable) -> Callable[[], bool]:
    """Returns a function that tells if locations, their arrays, and the graph's memory are still as
    they are now."""
    region = trace.current_region()
    held = [(x, x.read()) for x in reached]
    arrays = [(a, a.copy()) for a in reached.arrays]
    handles = [(x._handle, x._handle.value) for x in reached.tensors]
    equations = [] if region is None else region.graph.equations
    recorded = len(equations)

    def unchanged() -> bool:
        return (all(x.same(old, x.read()) for x, old in held)
                and all(identical(a, old) for a, old in arrays)
                and all(handle.value is value for handle, value in handles)
                and not any(e.op.effect == "store" for e in equations[recorded:]))

    return unchanged


def found_in(item: Any, items: Any) -> Any:
    """Stage `item in items`, which reads an iterator up to the item."""
    def compared(value: Any, _: Any) -> tuple[Any]:
        return (or_(is_(value, item), lambda: not_(not_(value == item))),)

    return for_loop(items, compared, (False,), test=not_)[0]


def next_item(iterator: Any, *default: Any) -> Any:
    """Stage `next(iterator, *default)`."""
    cursor = cursor_of(iterator)
    position = cursor.position
    if isinstance(cursor, EndlessCursor):
        return _take(cursor, cursor.item, position)
    if isinstance(position, Tensor):
        item = partial(getitem, _read_ahead(cursor))
        return cond(apply("less", position, len(cursor.items)),
                    lambda: _take(cursor, item, position),
                    lambda: default[0] if default else stop(cursor.returned))
    if _has(cursor, position):
        return _take(cursor, cursor.item, position)
    return default[0] if default else stop(cursor.returned)


def _take(cursor: Cursor, item: Callable[[Any], Any], position: Any) -> Any:
    cursor.position = position + 1
    return item(position)


def stop(returned: Any = None) -> NoReturn:
    """Raise StopIteration, with what a generator function returned."""
    raise StopIteration if returned is None else StopIteration(returned)
