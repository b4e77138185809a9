"""`for` loops while a function is traced: one loop of the graph, or unrolled, or run by Python."""

from __future__ import annotations

import builtins
import gc
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.operators import dispatch
from autograph.operators.control_flow import cond
from autograph.operators.control_flow import for_loop as run_for
from autograph.runtime.control_flow import asked_tests, loops, region_limits
from autograph.runtime.control_flow import cond as control
from autograph.runtime.control_flow.loop_names import item_named, names_of
from autograph.runtime.heap import run_time_containers
from autograph.runtime.heap.hidden_state import is_stream, refuse_change
from autograph.runtime.heap.iterators import (
    Cursor,
    cursor_of,
    is_iterator,
    is_read_by_users_code,
    needs_cursor,
)
from autograph.runtime.heap.kept_functions import is_read_by_run
from autograph.runtime.heap.plain_containers import want_for_length
from autograph.runtime.heap.streams import STREAMS, refuse_stream
from autograph.runtime.ir.errors import TracingError, UnrollingWarning, at
from autograph.runtime.ir.graph import Graph, equations_in, regions_of
from autograph.runtime.ir.types import DYNAMIC, PyType
from autograph.runtime.ops.opaque import opaque
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.cursor_loops import loop_with_cursor
from autograph.staging.expected_equations import BUDGET, code_of, looks_long
from autograph.staging.generators import (
    Generated,
    Items,
    Position,
    all_of,
    counts_items,
    watched,
)
from autograph.staging.iteration import (
    UNROLL,
    Opened,
    in_steps,
    item_of_table,
    items_of,
    opened,
    range_of,
    read_by_loop,
)
from autograph.staging.plain_loops import FEWEST, MANY, run_plain
from autograph.staging.plain_types import ITERATORS, SIZED, VIEWS
from autograph.staging.streams_of_run import loop_of_run

Fn = Callable[..., Any]
ITER = opaque(builtins.iter)
State = tuple[Any, ...]

LOOP, UNROLLED, PYTHON = "one loop", "unrolled", "run while tracing"
"""Kinds of decisions about loops over Python ranges."""

LONG = 400
"""How many equations the iterations of a long loop may make, because of a container that cannot be
looked up by a symbolic key."""


def test_value(test: Fn, state: State) -> Any:
    """Returns what a `while` loop's test gives, recorded where the loop stands. If the answer is
    symbolic, `while_loop` is called next, which may take back what was recorded."""
    region = trace.current_region()
    if region is None:
        return test(*state)
    asked = asked_tests.Asked(region, lambda: test(*state))
    region_limits.note_iteration(test)
    if isinstance(asked.answer, Tensor):
        region.trace.asked = asked
    elif type(asked.answer) in dispatch.BACKENDS:
        asked.exchange()
        asked.forget()  # its backend asks again
    return asked.answer


def while_loop(test: Fn, body: Fn, state: State) -> State:
    """Stage the rest of a `while` loop whose test was just found to be symbolic."""
    region, asked = trace.current_region(), None
    if region is not None:
        asked, region.trace.asked = region.trace.asked, None
    return loops.while_loop(test, body, state, asked)


def _is_symbolic(test: Fn, state: State) -> bool:
    """Returns True if the test of a `for` loop is symbolic; nothing of it stays recorded."""
    with trace.region("test"):
        return isinstance(test(*state), Tensor)


def for_loop(iterable: Any, body: Fn, state: State, test: Fn | None, unroll: bool | None) -> Any:
    """Stage `for item in iterable: state = body(item, *state)`; returns the state at its end.

    Returns NotImplemented if Python can run the loop.
    """
    if unroll is None and type(iterable) in SIZED and getattr(iterable, "known", True) and (
            len(iterable) >= FEWEST or looks_long(len(iterable), body)):
        made = run_plain(iterable, body, state, test, len(iterable))
        if made is not NotImplemented:
            trace.decide(PYTHON, f"{len(iterable)} iterations")
            return made
    if type(iterable) is builtins.range:
        return _over_range(iterable, body, state, test, unroll)
    if isinstance(iterable, Tensor) and iterable.type == PyType(builtins.range):
        return loops.for_loop(iterable, body, state, test)
    if run_time_containers.is_iterated_by_run(iterable):
        made = loops.for_loop(iterable, body, state, test, DYNAMIC)
        return loop_of_run(apply(ITER, iterable), body, state, test) if made is None else (
            made)
    if (read := opened(iterable)) is not iterable:  # nobody opens it again
        return run_for(read, body, state, test=test, unroll=unroll)
    if isinstance(iterable, Generated):
        made = NotImplemented if not iterable.is_unread else (
            run_plain(iterable, body, state, test, MANY))
        return read_by_loop(iterable, body, state, test) if made is NotImplemented else made
    if isinstance(iterable, Iterator) and is_read_by_run(iterable, test is not None):
        return loop_of_run(iterable, body, state, test)
    if isinstance(iterable, Items):
        return _over_items(iterable, body, state, test, unroll) if iterable.position is None else (
            _read_on(iterable, iterable.position, body, state, test, unroll))
    items = items_of(iterable)
    if items is not None:
        return _over_items(items, body, state, test, unroll)
    return _one_by_one(iterable, body, state, test, unroll)


def _one_by_one(iterable: Any, body: Fn, state: State, test: Fn | None, unroll: bool | None) -> Any:
    """Stage a loop over what has no items by index: an iterator, or a container of Python's values.

    Returns NotImplemented if Python can run the loop.
    """
    by_cursor = needs_cursor(iterable)
    if (isinstance(iterable, Cursor) and iterable.is_plain) or (
            type(iterable) in ITERATORS and not by_cursor):
        made = run_plain(iterable, body, state, test, MANY)
        if made is not NotImplemented:
            return made
    if by_cursor:
        return loop_with_cursor(cursor_of(iterable), body, state, test)
    if test is None and trace.tracing():
        made = NotImplemented if unroll else _over_table(iterable, body, state)
        return made if type(made) is tuple else _unrolled(iterable, body, state, None)
    if test is None or not _is_symbolic(test, state):
        return NotImplemented
    if type(iterable) in STREAMS:
        refuse_stream(iterable, "is read by a loop that may end early")
    if is_stream(iterable):
        refuse_change("next", type(iterable))
    if is_iterator(iterable):
        return loop_with_cursor(cursor_of(iterable), body, state, test)
    if (steps := in_steps(iterable)) is not None:
        return steps.loop(body, state, test)
    if isinstance(iterable, Opened) or is_read_by_users_code(iterable):
        raise TracingError(
            "a loop over an iterator of a class that is not converted may end early, by a "
            f"symbolic test{at(user_location())}\n"
            "  hint: make a list of its items before the loop, or write a `while` loop")
    if type(iterable) in (list, tuple, str) and (item := item_of_table(iterable)) is not None:
        sources = (iterable,) if type(iterable) is list else ()
        return _over_items(Items(len(iterable), item, sources=sources), body, state, test, unroll)
    return _unrolled(iterable, body, state, test)


def _over_table(iterable: Any, body: Fn, state: State) -> Any:
    """Stage a loop over a container of very many numbers, texts or tuples of such as one equation.
    Returns no tuple if that has few, or others, or the body needs the items themselves."""
    cls = type(iterable)
    if cls not in SIZED or cls is builtins.range or len(iterable) <= UnrollingWarning.LIMIT or (
            item := item_of_table([*iter(iterable)])) is None:
        return NotImplemented
    name, read = names_of(body)[0], gc.get_referents(iterable) if cls in VIEWS else [iterable]
    body = watched(body, [x for x in read if is_plain_container(x)])

    def at_position(i: Any, *state: Any) -> Any:
        return body(item_named(name, lambda: item(i)), *state)

    at_position.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names
    return _as_equation(builtins.range(len(iterable)), at_position, state, None)


def _over_items(items: Items, body: Fn, state: State, test: Fn | None, unroll: bool | None
                ) -> Any:
    """Stage a loop over the positions of items."""
    name = names_of(body)[0]
    body = watched(body, items.sources)

    def indexed(i: Any, *state: Any) -> Any:
        return body(item_named(name, lambda: items.get(i)), *state)

    indexed.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names

    steps = range_of(items.length)
    made: Any = _over_range(steps, indexed, state, test, unroll) if (
        type(steps) is builtins.range) else loops.for_loop(steps, indexed, state, test)
    if items.end is not None:
        cond(True if test is None else test(*made), items.end, all_of)
    return made


def _read_on(items: Items, position: Position, body: Fn, state: State, test: Fn | None,
             unroll: bool | None) -> State:
    """Stage a loop over an iterator, which nothing else may read meanwhile. If the loop may stop
    before its end, and something reads on, it counts the items that it reads."""
    def counted(item: Any, *now: Any) -> State:
        return (*body(item, *now[:-1]), now[-1] + 1)

    counted.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names
    first = position.values
    rest, position.unknown = items.rest(), True
    if test is not None and not counts_items():
        return _over_items(rest, body, state, test, unroll)  # type: ignore[no-any-return]
    try:
        if test is None:
            return _over_items(rest, body, state, None, unroll)  # type: ignore[no-any-return]
        *made, read = _over_items(
            rest, counted, (*state, first), lambda *now: test(*now[:-1]), unroll)
        position.values = read
        return tuple(made)
    finally:
        position.unknown = False


def _over_range(steps: range, body: Fn, state: State, test: Fn | None, unroll: bool | None
                ) -> State:
    """Stage a loop over a Python range: one equation if it is long and its body can use a symbolic
    index, else unrolled.

    unroll: decides instead; True: unrolled; False: one equation, or an error.
    """
    is_short = unroll is None and len(steps) <= UNROLL and not _is_long(body)
    if is_short and not looks_long(len(steps), body):
        return _within_budget(steps, body, state, test)
    if unroll:
        return _unrolled(steps, body, state, test)
    refused: list[Any] = []
    fewest = BUDGET // len(steps) if is_short else 0
    made = _as_equation(steps, body, state, test, unroll is False, refused, fewest)
    if made is NotImplemented and is_short:
        return _within_budget(steps, body, state, test)
    return made if type(made) is tuple else _copied(steps, body, state, test, refused)


def _as_equation(steps: range, body: Fn, state: State, test: Fn | None, always: bool = False,
                 refused: list[Any] | None = None, fewest: int = 0) -> Any:
    """Stage a loop as one equation; returns its state. Returns None if the body needs the number
    itself; `refused` gets the containers that do. Returns NotImplemented if Python can run the
    loop, or an iteration does not make more than the `fewest` equations.

    Raises:
      TracingError: it does, and the loop is to be one equation `always`.
    """
    wanted = len(trace.wanted())
    try:
        made: State | None = loops.for_loop(steps, body, state, test, fewest=fewest)
    except TracingError as error:
        if always:
            raise
        trace.forget_refusal(error)
        forgotten = trace.forget_wanted(wanted)
        if refused is not None:
            refused += forgotten
        trace.decide(UNROLLED, str(error).partition("\n")[0])
        return None
    if made is not None or not fewest:
        trace.decide(LOOP if made is not None else PYTHON, f"{len(steps)} iterations")
    return NotImplemented if made is None else made


def _is_long(body: Fn) -> bool:
    """Returns True if the iterations of a loop made too many equations, in this attempt or an
    earlier one."""
    region, code = trace.current_region(), code_of(body)
    return region is not None and (
        code in region.trace.mode.long_loops or code in region.trace.request.loops)


def _within_budget(steps: range, body: Fn, state: State, test: Fn | None) -> State:
    """Record the iterations of a short loop one by one. If they make too many equations, the trace
    is made again with one equation for the loop."""
    trace.decide(UNROLLED, f"{len(steps)} iterations, of at most {UNROLL}")
    region = trace.current_region()
    if region is None:
        return _unrolled(steps, body, state, test)
    state, made = _first_iteration(steps, body, state, test)
    code = code_of(body)
    if made * len(steps) > BUDGET and len(steps) > 1 and code is not None:
        region.trace.request.loops.add(code)
        if type(rest := _as_equation(steps[1:], body, state, test)) is tuple:
            return rest  # what this attempt makes is not used
    return _unrolled(steps[1:], body, state, test)


def _copied(steps: range, body: Fn, state: State, test: Fn | None, refused: list[Any]) -> State:
    """Record the iterations of a long loop one by one. If they make very many equations, the trace
    is made again with the containers that refused one equation for the loop as objects."""
    if not refused or not steps:
        return _unrolled(steps, body, state, test)
    state, made = _first_iteration(steps, body, state, test)
    if made * len(steps) > LONG:
        want_for_length(refused)
    return _unrolled(steps[1:], body, state, test)


def _first_iteration(steps: range, body: Fn, state: State, test: Fn | None) -> tuple[State, int]:
    """Record the first iteration of a loop; returns its state, and how many equations it made."""
    region = trace.current_region()
    graph = Graph("") if region is None else region.graph
    before = len(graph.equations)
    state = _unrolled(steps[:1], body, state, test)
    return state, sum(1 + sum(len(equations_in(g)) for g in regions_of(e))
                      for e in graph.equations[before:])


def _unrolled(items: Iterable[Any], body: Fn, state: State, test: Fn | None) -> State:
    """Record each iteration on its own; from the first symbolic test on, under a `cond` each."""
    for item in _counted(items):
        go_on = True if test is None else test(*state)
        if isinstance(go_on, Tensor):
            state = control.cond(go_on, lambda *s, item=item: body(item, *s), all_of, *state)
        elif go_on:
            state = body(item, *state)
        else:
            break
    return state


def _counted(items: Iterable[Any]) -> Iterator[Any]:
    """Yields the items of a loop whose iterations are recorded one by one.

    Warns:
      UnrollingWarning: they were many, and each made the graph longer.
    """
    region, location = trace.current_region(), user_location()
    before, count = 0 if region is None else len(region.graph.equations), 0
    loop, ends_by_raising = object(), isinstance(items, Opened) or is_read_by_users_code(items)
    for count, item in enumerate(items, 1):  # noqa: B007
        yield item
        region_limits.note_iteration(loop, ends_by_raising)
    if region is None or location is None or count <= UnrollingWarning.LIMIT:
        return
    if (made := len(region.graph.equations) - before) >= count:
        warnings.warn_explicit(
            f"{count} iterations of a loop over Python values made {made} operations, one after "
            f"the other\n{location.caret()}\n  hint: loop over a range or an array: that is one "
            "operation however long it is", UnrollingWarning, location.filename, location.line)
