"""Tuples that joins and lists of the graph made of others, and whether it shows which they are.

A trace joins two tuples by their parts, and gives those of a list to an operation by their parts:
so what comes out is another tuple. If it is asked which one it is, or if it leaves the function
beside one that it may be, the trace is made again, in a mode in which tuples that cross a join are
values of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from autograph.runtime.heap.tuples_of_run import is_given, is_tuple
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.pytree import children, is_immutable_nest
from autograph.runtime.ir.trace_signals import RetraceWithObjects
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.trace import Trace
from autograph.runtime.symbolic.trace_mode import Decision

Way = tuple[object, int]
"""A join, and the number of a side."""


class Joined(NamedTuple):
    """A tuple, or a value of the graph, that may be one of some tuples.

    ways   for each of these, the way by which it comes into the join.
    values the values that may be, or hold, one of the tuples.
    """

    originals: tuple[Any, ...]
    ways: tuple[Way, ...]
    made: Any
    values: tuple[Value, ...] = ()


def note_joined_tuple(originals: list[tuple[Any, Way]], made: Any) -> None:
    """Notes that a tuple, or a value, stands for one of several tuples, which have ways."""
    here = trace.current_region()
    if here is not None and not (here.trace.mode.tuples and (
            isinstance(made, Tensor) or id(made) in here.trace.tuples)):
        here.trace.joined_tuples.append(Joined(
            tuple(x for x, _ in originals), tuple(way for _, way in originals), made,
            (made.read(),) if isinstance(made, Tensor) else ()))
        if not isinstance(made, Tensor):
            here.trace.ambiguous[id(made)] = made


def note_held_tuples(tuples: Iterable[Any], values: Sequence[Value]) -> None:
    """Notes that an operation puts tuples, which it is given by their parts, into its results."""
    here, found = trace.current_region(), tuple(tuples)
    if found and here is not None and not here.trace.mode.tuples:
        here.trace.joined_tuples.append(Joined(
            found, tuple((object(), 0) for _ in found), None, tuple(values)))


def note_entered(pattern: Any, init: Any, made: Any) -> None:
    """Notes the tuples that an iteration is given in place of those from before the loop."""
    if is_tuple(made) and made is not init:
        note_joined_tuple([(init, (object(), 0))] if is_tuple(init) else [], made)
    left, right, found = map(children, (pattern, init, made))
    if found is not None and left is not None and right is not None and (
            len(left[1]) == len(right[1]) == len(found[1])):
        for parts in zip(left[1], right[1], found[1], strict=True):
            note_entered(*parts)


def note_returned(given: Any, made: Any) -> None:
    """Notes the tuples that a call gives, each of which may be one that the call is given."""
    originals = [(x, (object(), 0)) for x in _tuples_in(given)]
    for x in _tuples_in(made):
        note_joined_tuple(originals, x)


def _tuples_in(nest: Any) -> Iterator[Any]:
    """Yields the tuples in a nest that may contain itself, each once."""
    pending, seen = [nest], dict[int, Any]()
    while pending:
        x = pending.pop()
        if id(x) not in seen and (found := children(x)) is not None:
            seen[id(x)] = x
            pending += found[1]
            if is_immutable_nest(x):
                yield x


def ask_which(*tuples: Any, given: bool = False) -> None:
    """Makes the trace again if only the run knows which one a tuple is.

    given: it is asked if one is what an operation was given, or what a join made.

    Raises:
      RetraceWithObjects: that is so.
      TracingError: it is, and no other trace would know.
    """
    here = trace.current_region()
    if here is not None and (any(id(x) in here.trace.ambiguous for x in tuples) or (
            given and tuples and here.trace.joined_tuples and not here.trace.mode.tuples)):
        _request(here.trace, "it is asked which one it is")
        raise RetraceWithObjects


def ask_any() -> None:
    """Makes the trace again if a value, whose id is asked for, may be a tuple that an operation was
    given by its parts.

    Raises:
      RetraceWithObjects: that is so.
    """
    here = trace.current_region()
    if here is not None and here.trace.joined_tuples and not here.trace.mode.tuples:
        for x in (x for joined in here.trace.joined_tuples for x in joined.originals):
            if is_given(here.trace, x):
                here.trace.want(x, "may be a value whose id is asked for")
        _request(here.trace, "it is asked which one it is")
        raise RetraceWithObjects


def _request(run: Trace, why: str) -> None:
    if run.mode.tuples:
        raise TracingError(f"only the run knows which of several tuples one is, and {why}"
                           f"{at(user_location())}\n  hint: compare what is in them, or lists")
    if run.request.tuples is None:
        run.request.tuples = Decision(
            user_location(), "values of the run", f"a tuple crosses a join, and {why}")


def want_visible_tuples(run: Trace, found: dict[int, Any], given_again: Iterable[Any],
                        lead: Callable[[Iterable[Value]], Collection[Value]]) -> None:
    """Requests that tuples be values of the run, if one of those that leave the function may be
    another one that leaves it, too.

    found: by id, what leaves; given_again: the arguments that are in several places of it.
    lead: returns the values that some values may be or hold.
    """
    if run.differentiates:
        return
    for x in given_again:
        run.want(x, "leaves the function in several places")
    if not run.joined_tuples:
        return
    escaping = [x._handle.value for x in found.values() if isinstance(x, Tensor)]
    values = lead(escaping) if any(x.values for x in run.joined_tuples) else ()
    copied: dict[int, list[Way]] = {}
    for joined in reversed(run.joined_tuples):
        if not (id(joined.made) in found or id(joined.made) in copied
                or any(v in values for v in joined.values)):
            continue
        for x, way in zip(joined.originals, joined.ways, strict=True):
            ways = copied.setdefault(id(x), [])
            if id(x) in found or any(way == w or way[0] is not w[0] for w in ways):
                _request(run, "leaves the function beside one that it may be")
                if is_given(run, x):
                    run.want(x, "leaves the function beside one that it may be")
            ways.append(way)

