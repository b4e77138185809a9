"""Staged loops: a loop's state, and the types in it, are found by tracing to a fixed point.

A loop becomes one equation whose regions take the state of an iteration and return that of the
next. What belongs to the state is not known before: the body may change arrays, heap locations and
objects that the syntax does not show, and a variable may change its type. So a `Loop` traces test
and body again and again. Each attempt adds what the body was found to change, and joins the types
of what it returned with those that it was given; since both only grow, the attempts end. The last
attempt is recorded, and its results are bound to the variables and written to the locations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.control_flow.asked_tests import Asked
from autograph.runtime.control_flow.loop_names import names_of
from autograph.runtime.control_flow.loop_state import beyond_numbers
from autograph.runtime.control_flow.traced_loop import Loop, State
from autograph.runtime.heap.reachability import changeable_locations
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.types import DYNAMIC, PyType, Type
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import lower

Fn = Callable[..., Any]


def while_loop(test: Fn, body: Fn, init: State, asked: Asked | None = None) -> State:
    """Record `while test(*state): state = body(*state)` as one equation; returns the state at its
    end.

    The state's types need not stay the same from iteration to iteration: they are joined.

    asked: what `test(*init)` gave; None if it was not asked yet.

    Raises:
      TracingError: the body does not return a tuple of as many variables.
    """
    if asked is not None:
        asked.exchange()  # first: a view that the loop reads is not made of one of the test's
    loop = Loop(body, init, changeable_locations(test, body, init), names_of(body))
    while True:
        tested = loop.trace("test", lambda state, _: test(*state))
        if test is not _answered and loop.changed_by(tested):
            if asked is not None:
                asked.exchange()
            return _while_answer(test, body, init, asked)
        ran = loop.trace("body", lambda state, _: body(*state))
        if not loop.grow(tested, ran):
            break
    if asked is not None:
        asked.forget()
    tested.graph.outputs = (tested.pack(tested.result),)
    return loop.record("while", (), ran, [tested.graph, ran.graph])


def _while_answer(test: Fn, body: Fn, init: State, asked: Asked | None) -> State:
    """Record a loop whose test changes state: each iteration ends with the test for the next one,
    whose answer is a part of the loop's state."""
    def step(_: Any, *state: Any) -> State:
        after = body(*state)
        return (test(*after), *after)

    if asked is None:
        here = trace.current_region()
        assert here is not None
        asked = Asked(here, lambda: test(*init))
    asked.hush()
    return while_loop(_answered, step, (asked.answer, *init))[1:]


def _answered(answer: Any, *_: Any) -> Any:
    """The test of a loop whose state begins with the answer: it changes nothing."""
    return answer


def _may_end_by_error(steps: Any, loop: Loop, body: Graph) -> bool:
    """Returns True if the body may change a container that is iterated over and refuses that, while
    the loop carries what the caller would see after the exception."""
    t = steps.type
    return not (isinstance(t, PyType) and issubclass(t.cls, (list, tuple, range))) and bool(
        loop.locations or loop.handles) and any(
            e.op.effect in ("call", "store") for e in body.walk())


def for_loop(steps: Any, body: Fn, init: State, test: Fn | None = None,
             item: Type = PyType(int),  # noqa: B008
             fewest: int = 0) -> State | None:
    """Record `for i in steps: state = body(i, *state)` as one equation; returns the state at its
    end.

    `steps` is a Python range or a tensor that stands for one, and `i` is a symbolic Python int; or
    it is another tensor that Python can iterate over, with items of the type `item`. The loop stops
    before the next item when `test(*state)` is false.

    Returns None and records nothing if `steps` is concrete and the loop computes with Python
    numbers alone, so that Python can run it; if an iteration that knows its item would make no
    more than the `fewest` equations; or if the next step may raise, as the body changes what is
    iterated over, and the loop changes what others see: each step has to be an equation.
    """
    loop = Loop(body, init, changeable_locations(body, test, init), names_of(body)[1:], item=item,
                item_name="i" if hasattr(body, "__wrapped__") else names_of(body)[0])
    while True:
        tested = None
        if test is not None:
            tested = loop.trace("test", lambda state, _: test(*state), with_item=False)
        ran = loop.trace("body", lambda state, item: body(item, *state))
        if not loop.grow(tested, ran):
            break
    if item == DYNAMIC and _may_end_by_error(steps, loop, ran.graph):
        return None
    if (isinstance(steps, range) and not loop.is_symbolic(ran, tested)) or (
            fewest and beyond_numbers(ran.graph) <= fewest):
        return None
    if isinstance(steps, range) and tested is None and (turns := loop.turns(ran)) > 1:
        return _in_turns(steps, body, init, turns)
    graphs = [ran.graph]
    if tested is not None:
        tested.graph.outputs = (tested.pack(tested.result),)
        graphs.append(tested.graph)
    return loop.record("for", (lower(steps),), ran, graphs)


def _in_turns(steps: range, body: Fn, init: State, turns: int) -> State:
    """Record a loop whose variables stand for the same arrays again after so many iterations, so
    many at once: then none of them is bound to another array. What is left over comes behind."""
    def several(item: Any, *state: Any) -> State:
        for k in range(turns):
            state = body(item + k * steps.step, *state)
        return state

    several.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names
    end = len(steps) // turns * turns
    made: State | None = for_loop(steps[:end:turns], several, init) if end else init
    if made is None:  # Python can run it
        end, made = 0, init
    for item in steps[end:]:
        made = body(item, *made)
    return made
