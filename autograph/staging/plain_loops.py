"""Loops, calls and comprehensions that a trace runs as they were written, since nothing symbolic is
reachable from them.

They then run at Python's own speed. Lists of the trace are Python's meanwhile; lists that the code
made are lists of the trace afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from types import FunctionType, MappingProxyType, MethodType
from typing import Any

import numpy as np

from autograph.conversion.plain_loops import plain_loop
from autograph.conversion.special_methods import decides, own_methods
from autograph.conversion.written_blocks import written_comprehension
from autograph.libraries import is_library
from autograph.operators.dispatch import BACKENDS, NOT_PLAIN
from autograph.operators.variables import Undefined
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.iterators import Cursor
from autograph.runtime.heap.objects import is_instance
from autograph.runtime.heap.run_time_containers import are_objects_asked, are_sites_noted
from autograph.runtime.heap.store_targets import note_rebound
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.staging.expected_equations import operations_in
from autograph.staging.generators import Generated
from autograph.staging.plain_reachability import Reachable
from autograph.staging.plain_results import note_stores, plain_lists, staged
from autograph.staging.plain_types import NotPlain, makes_iterators
from autograph.weak_id_dict import IdentityDict

State = tuple[Any, ...]

WORTH = 1000
"""How many values are looked at for each iteration of a loop, at most, per so many `OPERATIONS`."""

OPERATIONS = 10

MANY = 64
"""How long a loop over an iterator is thought to run."""

IN_VAIN = 100_000
"""A trace looks at so many values for code that turns out not to be plain; then no more."""

_misses: IdentityDict[dict[Any, int]] = IdentityDict()
"""A trace -> what `_misses_of_trace` returns."""

FEWEST = 5
"""A loop of fewer iterations is not worth a form of its own."""


def run_plain(items: Any, body: Any, state: State, test: Any, turns: int) -> Any:
    """Runs a loop as it was written, if nothing symbolic is reachable from it; returns the loop
    variables. Otherwise returns NotImplemented.

    items: what a `for` loop goes through; None for a `while` loop.
    turns: how long the loop is thought to run; that many iterations pay for the look.
    """
    if type(body) is not FunctionType or not (test is None or type(test) is FunctionType):
        return NotImplemented
    if any(map(_is_other, (items, *state))) or any(map(_is_other, _captured(body))):
        return NotImplemented
    loop = plain_loop(body, test, state)
    if loop is None:
        return NotImplemented
    values = (items, *(x for i, x in enumerate(state) if i != loop.result and not (
        type(x) is Undefined and i in loop.unread)))
    most = WORTH * turns * max(1, operations_in(body.__code__) // OPERATIONS)
    made = _as_written(loop.function, values, most,
                       lambda function, value: function(value(items), *state))
    if made is not NotImplemented and test is None:
        _end((items,))
    return made


def call_plain(function: Any, args: State, kwargs: dict[str, Any]) -> Any:
    """Calls a function as it was written, if nothing symbolic is reachable from it and its
    arguments; otherwise returns NOT_PLAIN: NotImplemented may be what the function returns."""
    values = *args, *kwargs.values()
    if not any(map(_is_other, values)) and (
            type(function) in (FunctionType, MethodType) or any(map(_runs_code, values)) or (
                _is_users_class(function) and not are_sites_noted())):
        owner = (function.__self__,) if type(function) is MethodType else ()
        inner = function.__func__ if owner else function
        return _called(inner, (*owner, *args), kwargs, NOT_PLAIN)
    return NOT_PLAIN


def make_plain(kind: type, element: Any, items: Any, test: Any) -> Any:
    """Makes a comprehension as it was written, if nothing symbolic is reachable from it; otherwise
    returns NotImplemented."""
    if _is_other(items) or any(map(_is_other, _captured(element))):
        return NotImplemented
    written = written_comprehension(kind, element, test)
    if written is None:
        return NotImplemented
    made = _called(written, (items,))
    if made is not NotImplemented:
        _end((items,))
    return made


def use_plain(function: Any, args: State, kwargs: Mapping[str, Any]) -> Any:
    """Calls a builtin that uses up what it goes through, or calls a function, as it was written, if
    nothing symbolic is reachable from it; otherwise returns NotImplemented."""
    values = *args, *kwargs.values()
    if not any(map(_runs_code, values)) or any(map(_is_other, values)):
        return NotImplemented
    made = _called(function, args, kwargs)
    if made is not NotImplemented and function not in (all, any):
        _end(args)
    return made


def next_plain(iterator: Any) -> Any:
    """Returns the next item of an iterator of plain Python, which code as it was written has read
    from, and now converted code does.

    Raises:
      StopIteration: there is none.
      TracingError: something symbolic is reachable from it by now.
    """
    made = _called(next, (iterator,))
    if made is NotImplemented:
        raise TracingError(
            "an iterator that plain code has read from meets what only the run knows"
            f"{at(user_location())}\n  hint: make a list of its items, and use the list")
    return made


def _called(function: Any, args: State, kwargs: Mapping[str, Any] = MappingProxyType({}),
            otherwise: Any = NotImplemented) -> Any:
    """Calls a function as it was written, if nothing symbolic is reachable from it and its
    arguments; otherwise returns NotImplemented, or what it is given."""
    made = _as_written(function, (*args, *kwargs.values()), WORTH * MANY, lambda function, value: (
        function(*map(value, args), **{k: value(x) for k, x in kwargs.items()}),))
    return otherwise if made is NotImplemented else made[0]


def _as_written(function: Any, values: Iterable[Any], most: int,
                run: Callable[[Any, Callable[[Any], Any]], State]) -> Any:
    """Runs a function as it was written, if nothing symbolic is reachable from it and some values;
    returns its results. Otherwise returns NotImplemented.

    run: takes what to call, and what replaces functions that it is given.
    """
    code = getattr(function, "__code__", type(function))  # a method would keep its object
    misses = _misses_of_trace()
    if misses.get(code, 0) > IN_VAIN or are_objects_asked() or makes_iterators(function):
        return NotImplemented
    found = Reachable(most, next_plain)
    try:
        given: list[Any] = []
        for x in (function, *values):
            found.give(x, given)
        found.walk(given)
        called = found.called(function)
    except NotPlain:
        misses[code] = misses.get(code, 0) + most - found.most
        return NotImplemented
    with plain_lists(found.before.values()), own_methods():
        made = run(called, found.value_of)
    if not trace.tracing():
        return made
    note_stores(found.before.values(), found.stores, found.stored)
    note_rebound(tuple(found.rebound))
    return staged(made, found.before, found.written,
                  bool(found.stores or found.stored or found.rebound), found.stored)


def _misses_of_trace() -> dict[Any, int]:
    """Returns how many values the trace that is being made has looked at in vain, by code."""
    here = trace.current_region()
    if here is None:
        return {}
    if here.trace not in _misses:
        _misses.put(here.trace, {})
    return _misses.values[id(here.trace)]


def _is_other(x: Any) -> bool:
    """Returns True for what is certainly not plain; the test is cheap."""
    if isinstance(x, (Generated, Cursor)):
        return not x.is_plain
    return isinstance(x, (np.ndarray, np.generic)) or (
        type(x) in BACKENDS and type(x) is not StagedList and not decides(type(x)))


def _end(read: Iterable[Any]) -> None:
    """Notes of iterators that plain code has read them to their ends."""
    for x in read:
        if isinstance(x, (Generated, Cursor)):
            x.end()


def _is_users_class(x: Any) -> bool:
    return type(x) is type and not is_library(x.__module__)


def _runs_code(x: Any) -> bool:
    """Returns True for what a call may make run: a function, an iterator, or the methods of an
    object."""
    return isinstance(x, (Generated, Cursor, FunctionType)) or is_instance(x)


def _captured(body: FunctionType) -> Iterator[Any]:
    for cell in body.__closure__ or ():
        with suppress(ValueError):
            yield cell.cell_contents
