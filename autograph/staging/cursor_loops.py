"""Loops over Python's iterators, which have no index: each is read through a `Cursor`, whose
position is state."""

from __future__ import annotations

import builtins
import gc
import operator
import sys
from collections.abc import Callable, Iterable
from functools import partial
from types import GeneratorType
from typing import Any, NoReturn

from autograph.operators.checks import getitem, raise_
from autograph.operators.control_flow import cond, for_loop, while_loop
from autograph.operators.logical import and_, is_, not_, or_
from autograph.own_attributes import defines
from autograph.runtime.control_flow import cond as control
from autograph.runtime.heap.growing_lists import live_items
from autograph.runtime.heap.iterators import (
    Cursor,
    TracedState,
    cursor_of,
    held_inside,
    is_iterator,
    is_read_by_users_code,
)
from autograph.runtime.heap.locations import Contents, HeapLocation, locations_of
from autograph.runtime.heap.reachability import reachable_locations
from autograph.runtime.heap.unchanged import changes_in
from autograph.runtime.ir.errors import TracingError, UnrollingWarning, at
from autograph.runtime.ir.types import DYNAMIC, PyType
from autograph.runtime.ops import pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.generator_functions import Pushed
from autograph.staging.generators import Generated, Items, Iter, collected, watched
from autograph.staging.iteration import State, is_of_table, item_of_table, items_of
from autograph.staging.streams_of_run import cases_of, reads_of_run


def loop_with_cursor(cursor: Cursor, body: Callable[..., Any], state: State,
         test: Callable[..., Any] | None) -> State:
    """Stage `for item in iterator: state = body(item, *state)`, as long as `test(*state)`."""
    known = isinstance(cursor.position, int)
    if known and test is None and (made := _over_table(cursor, body, state)) is not None:
        return made
    while isinstance(cursor.position, int):  # until an iteration reads on where the run decides
        go_on = True if test is None else test(*state)
        if isinstance(go_on, Tensor):
            endless = cursor.endless
            decided = _loop_from_anywhere if endless else _loop_as_it_decides
            return decided(cursor, body, state, test)
        if not go_on or not _has(cursor, cursor.position):
            return state
        state = _step(cursor, body, cursor.position, state)
    return _loop_from_anywhere(cursor, body, state, test)


def _has(cursor: Cursor, position: int) -> bool:
    """Returns True if there is an item. If only the run knows whether it is read here, it may be
    read later: what the iterator reads must not have changed then."""
    region = trace.current_region()
    if region is not None and region.parent is not None:
        _note_read_ahead(cursor)
    return cursor.has(position)


def _note_read_ahead(cursor: Cursor) -> None:
    cursor.note_read_ahead([x for x in _locations_read(cursor)
                            if not isinstance(getattr(x, "owner", None), (Cursor, TracedState))])


def _locations_read(cursor: Cursor) -> list[HeapLocation]:
    """Returns the locations that an iterator may read to find its items: not those of the items
    themselves, if it is one of Python's over containers."""
    containers = _containers_read(cursor.iterator)
    return reachable_locations(cursor) if containers is None else [
        location for x in containers for location in locations_of(x)]


def _containers_read(iterator: Any) -> list[Any] | None:
    """Returns the containers that one of Python's own iterators over its containers reads, or a
    `zip` or `enumerate` of such; None for another one, which may run code of the user's."""
    if issubclass(type(iterator), Cursor):
        return _containers_read(iterator.iterator)
    if type(iterator) is GeneratorType:
        items = live_items(iterator)
        return [items] if items is not None else None if iterator.gi_frame else []  # it has ended
    if type(iterator) is builtins.reversed:
        return None if any(map(is_read_by_users_code, gc.get_referents(iterator))) else []
    if type(iterator) in OVER_CONTAINERS:
        return [x for x in gc.get_referents(iterator) if is_plain_container(x)]
    if type(iterator) not in (builtins.enumerate, builtins.zip):
        return None
    found = [_containers_read(x) for x in held_inside(iterator) if is_iterator(x)]
    return None if None in found else [x for row in found for x in row or ()]


def _step(cursor: Cursor, body: Callable[..., Any], position: int, state: State) -> State:
    cursor.position = position + 1
    return body(cursor.item(position), *state)  # type: ignore[no-any-return]


def _over_table(cursor: Cursor, body: Callable[..., Any], state: State) -> State | None:
    """Records one loop over a table where Python's own iterator has very many numbers, texts or
    tuples of such left. Returns None if it has not, or the body needs the items themselves."""
    start = cursor.position
    if not cursor.in_step or _left(cursor.iterator) <= UnrollingWarning.LIMIT or not (
            cursor.has(start) and is_of_table(cursor.items[start])):
        return None
    wanted = len(trace.wanted())
    items = read_ahead(cursor)
    if (item := item_of_table(items[start:])) is None:
        return None
    try:
        state = _over_positions(cursor, len(items), watched(body, _read_by(cursor)), item, state,
                                None, start, unroll=False)
    except TracingError as error:
        trace.forget_refusal(error)
        trace.forget_wanted(wanted)
        cursor.position = start
        return None
    return state


def _left(iterator: Any) -> int:
    """Returns how many items one of Python's own iterators over its containers has left; 0 for
    another one, which may run code of the user's, or have no end."""
    if type(iterator) in (builtins.enumerate, builtins.zip):
        return min((_left(x) for x in held_inside(iterator) if is_iterator(x)), default=0)
    return operator.length_hint(iterator, 0) if type(iterator) in OVER_CONTAINERS else 0


_READ: tuple[Iterable[Any], ...] = (
    [], (), "", {}, {}.values(), {}.items(), range(0), reversed([]))
OVER_CONTAINERS = frozenset(type(iter(x)) for x in _READ)
"""Python's iterators over its own containers."""


def _loop_as_it_decides(cursor: Cursor, body: Callable[..., Any], state: State,
                        test: Any) -> State:
    """Record one loop over a table of the items, or each iteration on its own, under its test. What
    reading ahead raises is raised if the loop gets there."""
    body = watched(body, _read_by(cursor))
    raised = _raised_ahead(cursor)
    if (item := item_of_table(cursor.items[cursor.position:])) is not None:
        state = _over_positions(
            cursor, len(cursor.items), body, item, state, test, cursor.position)
    else:
        for position in range(cursor.position, len(cursor.items)):
            state = control.cond(
                test(*state), lambda *now, at=position: _step_alone(cursor, body, at, now),
                lambda *now: now, *state)
    if raised is not None:
        state = control.cond(test(*state), lambda *now: raise_(raised), lambda *now: now, *state)
    return state


def _over_positions(cursor: Cursor, end: int, body: Callable[..., Any],
                    item: Callable[[Any], Any], state: State, test: Any,
                    first: int = 0, unroll: bool | None = None) -> State:
    """Record a loop over the positions of an iterator up to an end; if its body reads that, too, a
    loop that asks each time how far it was read. `item` gives what is so far behind the `first`."""
    start = cursor.position

    def step(position: Any, *now: Any) -> State:
        cursor.position = following = position + 1
        made: State = body(item(position - first), *now)
        _refuse_read_inside(cursor, following)
        return made

    def goes_on(*now: Any) -> Any:
        left = cursor.position < end
        return left if test is None else and_(left, lambda: test(*now))

    def step_from_there(*now: Any) -> State:
        position = cursor.position
        cursor.position = position + 1
        return body(item(position - first), *now)  # type: ignore[no-any-return]

    step.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names
    try:
        known = isinstance(start, int) and not cursor.endless
        steps = builtins.range(start, end) if known else apply("range_", start, end)
        return for_loop(steps, step, state, test=test, unroll=unroll)
    except ReadInside as error:
        trace.forget_refusal(error)
    return while_loop(goes_on, step_from_there, state)


class ReadInside(TracingError):
    """The body of a loop over an iterator reads it, too."""


def _step_alone(cursor: Cursor, body: Callable[..., Any], position: int, state: State) -> State:
    made = _step(cursor, body, position, state)
    _refuse_read_inside(cursor, position + 1)
    return made


def _refuse_read_inside(cursor: Cursor, position: Any) -> None:
    """Refuses a body that leaves an iterator at another position than the next.

    Raises:
      ReadInside: it read or changed that.
    """
    if cursor.position is not position and not (
            type(position) is int and cursor.position == position):
        raise ReadInside(
            "the body of a loop reads the iterator that the loop reads, and only the run knows how "
            f"often{at(user_location())}\n"
            "  hint: make a list of the items before the loop, and count positions")


def _raised_ahead(cursor: Cursor) -> RuntimeError | None:
    """Reads all items; returns the exception of a container that has changed meanwhile."""
    try:
        read_ahead(cursor)
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
    return _over_positions(cursor, end, body, item, state, test)


def _read_by(cursor: Cursor) -> list[Any]:
    """Returns the containers that an iterator may read."""
    return [x.container for x in _locations_read(cursor)
            if isinstance(x, Contents) and is_plain_container(x.container)
            and not x.has_attributes]


def _readable(cursor: Cursor) -> tuple[Callable[[Any], Any], int]:
    """Returns a function of a position that only the run knows, which returns the item there; and
    the number of items."""
    if cursor.endless:
        return cursor.item, sys.maxsize
    items = read_ahead(cursor)
    return partial(getitem, items), len(items)


def read_ahead(cursor: Cursor) -> list[Any]:
    """Returns all items, though a symbolic test may end the loop before the last one.

    Raises:
      TracingError: reading them has effects, which would happen too often.
    """
    cursor.refuse_outside()
    _note_read_ahead(cursor)
    unchanged = changes_in(reachable_locations(cursor))
    items = cursor.all()
    if not unchanged():
        cursor.request_generators()
        raise TracingError(
            "a loop that may end early, by a symbolic test, reads a generator that changes "
            f"variables or objects for each of its items{at(user_location())}\n"
            "  hint: make the change in the loop, or make a list of the items before the loop")
    return items


def items_ahead(x: Any, at_once: bool = False) -> Items:
    """Returns an iterable that is read by several readers, or one of several, as `Items`; those of
    a generator are read here.

    at_once: Python reads all of them here, too.

    Raises:
      TracingError: reading them has effects, and Python would read them one by one.
    """
    if at_once and type(x) is Pushed:
        x = collected(x)
    elif not at_once:
        x = read_ahead_of_readers(x)
    found = items_of(x)
    known = x if found is not None or isinstance(x, builtins.list) else tuple(x)
    return found or Items(builtins.len(known), lambda i: getitem(known, i))


def read_ahead_of_readers(x: Any) -> Any:
    """Returns an iterable whose items others read when they need them: of an iterator a list.

    Raises:
      TracingError: it would show that the items are read here, all of them.
    """
    if isinstance(x, Cursor) or type(x) is Pushed or reads_of_run(x):
        return handed_on(x)[0]
    if any(map(_is_iterator_of_run, cases_of(x))):
        _refuse_iterator()
    here = trace.current_region()
    if here is None or not isinstance(x, Tensor) or x.type != DYNAMIC:
        return x
    here.trace.handled = True  # if the run refuses it, the call is plain Python's
    return apply(NO_ITERATOR, x)


def _is_iterator_of_run(x: Any) -> bool:
    """Returns True for an iterator of the run, and for one of several from which the run takes one.
    """
    if isinstance(x, Tensor):
        return isinstance(x.type, PyType) and defines(x.type.cls, "__next__")
    return defines(type(x), "__next__") and not isinstance(x, (Generated, Items))


def _refuse_iterator() -> NoReturn:
    raise TracingError(
        "an iterator of the run is read item by item as others need them"
        f"{at(user_location())}\n  hint: make a list of its items before")


def _no_iterator(x: Any) -> Any:
    if defines(type(x), "__next__"):
        _refuse_iterator()
    return x


NO_ITERATOR = pure(_no_iterator)


def handed_on(x: Any) -> tuple[Any, list[Any]]:
    """Returns the items that are left of an iterator as a list, and the containers that it reads.
    From here on another reader has it, and only the run knows how many of them that takes.

    Raises:
      TracingError: reading them has effects, which would happen too often.
    """
    if isinstance(x, Cursor):
        position, sources = x.position, _read_by(x)  # at its end it does not tell any more
        items = read_ahead(x)
        x.handed_on = True
        return (items[position:] if isinstance(position, int) else
                apply("getitem", items, slice(position, None))), sources
    if reads_of_run(x):
        raise TracingError(
            "an iterator that only the run reads is read by several readers, or together with what "
            f"only the run knows{at(user_location())}\n  hint: make a list of its items before")
    unchanged = changes_in(reachable_locations(x))
    if isinstance(x, Iter) and not x.read_by_loop and not x.start():
        x.reads_on = False
        return x.items, []  # which sees what the loop changes
    items = collected(x)
    if isinstance(x, Generated):
        x.ended = x.reads_on = False  # who reads it again is refused
    if isinstance(x, Items) and x.position is not None:
        x.position.unknown = True
    if not unchanged():
        raise TracingError(
            "a generator is read together with what only the run knows, or by several readers, and "
            f"changes variables or objects for each of its items{at(user_location())}\n"
            "  hint: make the change in the loop, or make a list of the items before")
    return items, []


def found_in(item: Any, items: Any) -> Any:
    """Stage `item in items`, which reads an iterator up to the item."""
    def compared(value: Any, _: Any) -> tuple[Any]:
        return (or_(is_(value, item), lambda: not_(not_(value == item))),)

    return for_loop(items, compared, (False,), test=not_)[0]


def next_item(iterator: Any, *default: Any) -> Any:
    """Stage `next(iterator, *default)`."""
    cursor = cursor_of(iterator)
    position = cursor.position
    if cursor.endless:
        return _take(cursor, cursor.item, position)
    if isinstance(position, Tensor):
        item = partial(getitem, read_ahead(cursor))
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
