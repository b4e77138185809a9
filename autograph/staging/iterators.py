"""What loops and builtins do with a Python iterator that a staged branch or loop reads."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from autograph.operators.checks import getitem
from autograph.operators.control_flow import cond, for_loop
from autograph.runtime.control_flow import cond as control
from autograph.runtime.heap.iterators import Cursor, EndlessCursor, cursor_of
from autograph.runtime.heap.reachability import reachable_locations
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply

State = tuple[Any, ...]


def loop(cursor: Cursor, body: Callable[..., Any], state: State,
         test: Callable[..., Any] | None) -> State:
    """`for item in iterator: state = body(item, *state)`, as long as `test(*state)`."""
    if isinstance(cursor.position, Tensor):
        return _loop_from_anywhere(cursor, body, state, test)
    while True:
        go_on = True if test is None else test(*state)
        if isinstance(go_on, Tensor):
            endless = isinstance(cursor, EndlessCursor)
            decided = _loop_from_anywhere if endless else _loop_as_it_decides
            return decided(cursor, body, state, test)
        if not go_on or not cursor.has(cursor.position):
            return state
        state = _step(cursor, body, cursor.position, state)


def _step(cursor: Cursor, body: Callable[..., Any], position: int, state: State) -> State:
    cursor.position = position + 1
    return body(cursor.item(position), *state)  # type: ignore[no-any-return]


def _loop_as_it_decides(cursor: Cursor, body: Callable[..., Any], state: State,
                        test: Any) -> State:
    """Every round on its own, as far as the tests let it come."""
    for position in range(cursor.position, len(_read_ahead(cursor))):
        state = control.cond(
            test(*state), lambda *now, at=position: _step(cursor, body, at, now),
            lambda *now: now, *state)
    return state


def _loop_from_anywhere(cursor: Cursor, body: Callable[..., Any], state: State,
                        test: Callable[..., Any] | None) -> State:
    """From a position that only the run knows, or to one."""
    item, end = _readable(cursor)

    def step(position: Any, *now: Any) -> State:
        cursor.position = position + 1
        return body(item(position), *now)  # type: ignore[no-any-return]

    step.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names
    return for_loop(apply("range_", cursor.position, end), step, state, test=test)


def _readable(cursor: Cursor) -> tuple[Callable[[Any], Any], int]:
    """Gives the item at a position that only the run knows; and how many items there are."""
    if isinstance(cursor, EndlessCursor):
        return cursor.item, sys.maxsize
    items = _read_ahead(cursor)
    return partial(getitem, items), len(items)


def _read_ahead(cursor: Cursor) -> list[Any]:
    """All items, though a symbolic test may end the loop before the last one.

    Raises:
      TracingError: reading them has effects, which would happen too often.
    """
    watched = [(place, place.read()) for place in reachable_locations(cursor)]
    items = cursor.all()
    if any(not place.same(before, place.read()) for place, before in watched):
        raise TracingError(
            "a loop that a symbolic test may end goes through a generator that changes something "
            f"for each of its items{at(user_location())}\n"
            "  hint: make the change in the loop, or make a list of the items before it")
    return items


def next_item(iterator: Any, *default: Any) -> Any:
    """`next(iterator, *default)`."""
    cursor = cursor_of(iterator)
    position = cursor.position
    if isinstance(cursor, EndlessCursor):
        return _take(cursor, cursor.item, position)
    if isinstance(position, Tensor):
        item = partial(getitem, cursor.all())
        return cond(apply("less", position, len(cursor.items)),
                    lambda: _take(cursor, item, position),
                    lambda: default[0] if default else _stop())
    if cursor.has(position):
        return _take(cursor, cursor.item, position)
    return default[0] if default else _stop()


def _take(cursor: Cursor, item: Callable[[Any], Any], position: Any) -> Any:
    cursor.position = position + 1
    return item(position)


def _stop() -> NoReturn:
    raise StopIteration
