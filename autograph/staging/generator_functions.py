"""Calls of generator functions in staged code: their bodies run inside the loop that reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import CodeType, GeneratorType
from typing import Any

from autograph.conversion.code_cache import generator_form, list_form, resumed_form
from autograph.operators.control_flow import cond, for_loop
from autograph.operators.logical import not_
from autograph.runtime.control_flow.recursion import called
from autograph.runtime.heap.iterators import (
    Cursor,
    TracedState,
    read_by_cursor,
)
from autograph.runtime.heap.objects import contents_of, is_object
from autograph.runtime.heap.suspended_generators import note_generator
from autograph.runtime.ir.closures import bound_cells
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.replacements.outside_world import may_change
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.trace_mode import key_of
from autograph.staging.generators import Generated, all_of, as_written, is_symbolic
from autograph.staging.resumed_generators import Resumed

Fn = Callable[..., Any]
State = tuple[Any, ...]


class Pushed(Generated):
    """A generator function's call, run inside the staged loop that reads it.

    make   makes Python's own generator, for loops of Python and for `next`.
    push   calls a function with each value, until the function returns True.
    given  the values that the generator function can read.
    """

    kind = GeneratorType
    by_items = is_stateless = False

    def __init__(self, make: Callable[[], Iterator[Any]], push: Fn, given: list[Any],
                 code: CodeType | None = None) -> None:
        self.make = make
        self.resumes = frozenset([] if code is None else [key_of(code)])
        self.given = given
        super().__init__((), push)

    def _staged(self, body: Fn, state: State, test: Fn | None) -> State:
        def run(*now: Any) -> State:
            held = TracedState(now)

            def consume(value: Any) -> Any:
                held.values = body(value, *held.values)
                return False if test is None else not_(test(*held.values))

            self.fn(Consumer(consume))
            return held.values  # type: ignore[no-any-return]

        return run(*state) if test is None else cond(
            test(*state), run, all_of, *state)

    def _in_python(self) -> Iterator[Any]:
        return noted(self.make())  # type: ignore[no-any-return]


Pushed.__name__ = "generator"  # Python's errors tell it


class Consumer:
    """Takes the values of a push form; the result of each call says whether to stop."""

    def __init__(self, consume: Fn) -> None:
        self.consume = consume

    def __ag_references__(self) -> tuple[Any, ...]:
        return (self.consume,)

    def __call__(self, value: Any) -> Any:
        return self.consume(value)

    def rest_of(self, items: Any) -> tuple[Any, Any]:
        """Takes what `yield from items` yields; returns whether to stop, and what it returns."""
        stopped = TracedState(False)

        def consume(value: Any) -> Any:
            stopped.values = self.consume(value)
            return stopped.values

        if isinstance(items, Pushed) and not items.read_by_python:
            returned = None if items.start() else items.fn(Consumer(consume))
            return stopped.values, returned
        rest = read_by_cursor(items.by_python() if isinstance(items, Generated) else items)
        for_loop(rest, lambda item, _: (consume(item),), (False,), test=not_)
        return stopped.values, rest.returned if isinstance(rest, Cursor) else None


def noted(generator: Any) -> Any:
    """Returns what a generator function gave, and tells the trace of it."""
    note_generator(generator)
    return generator


def generated(function: Any, push: Callable[[], Fn | None], args: tuple[Any, ...],
              kwargs: Mapping[str, Any]) -> Any:
    """Call a generator function while a function is traced."""
    cells = [cell.cell_contents for _, cell in bound_cells(function)]
    seen = [args, dict(kwargs), cells, *(contents_of(x) for x in (*args, *cells) if is_object(x))]
    given = list(all_leaves(seen))
    region = trace.current_region()
    if region is not None and key_of(function.__code__) in region.trace.mode.resumed and (
            form := resumed_form(function)) is not None:
        return Resumed(*form(*args, **kwargs))
    if any(is_symbolic(x) or isinstance(x, Generated) for x in given):
        return _lazy(function, push, args, kwargs, given)
    inside = may_change(function) or (
        region is not None and function.__code__ in region.trace.mode.generators)
    made = _lazy(function, push, args, kwargs, given) if inside else read_by_cursor(
        noted(function(*args, **kwargs)))
    return as_written(made, function, args, kwargs)


def _lazy(function: Any, push: Callable[[], Fn | None], args: tuple[Any, ...],
          kwargs: Mapping[str, Any], given: list[Any]) -> Any:
    """Returns what runs a generator function inside the staged loop that reads it, if it can."""
    make = partial(generator_form(function) or function, *args, **kwargs)
    pushed = push()
    if pushed is None:
        return read_by_cursor(noted(make()))
    region = trace.current_region()
    level = 0 if region is None else region.trace.mode.level_of(pushed.__code__)
    listed = list_form(function) if level else None
    if listed is None:
        return Pushed(make, lambda consume: pushed(consume, *args, **kwargs), given,
                      function.__code__)

    def push_all(consume: Fn) -> None:
        for_loop(called(listed, level, args, kwargs), lambda item, _: (consume(item),), (False,),
                 test=not_)

    return Pushed(make, push_all, given, function.__code__)
