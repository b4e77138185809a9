"""Generators in staged code: generator expressions, and generator functions, run by what loops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from autograph.operators.comprehensions import UNPACK
from autograph.operators.control_flow import cond, for_loop
from autograph.operators.logical import and_, not_
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.iterators import MAX_ITEMS, TracedState, read_by_cursor
from autograph.runtime.heap.objects import contents_of, is_object
from autograph.runtime.ir.closures import bound_cells
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor

Fn = Callable[..., Any]
State = tuple[Any, ...]
Step = Callable[[Any, Any], tuple[Any, Any, Any, Any]]


@dataclass(frozen=True)
class Items:
    """Something to loop over whose length may be symbolic: item i is `get(i)`.

    end  called where a loop asks for an item after the last one; what it raises, Python raises.
    """

    length: Any
    get: Callable[[Any], Any]
    end: Callable[[], Any] | None = None

    def __ag_references__(self) -> tuple[Any, ...]:
        return self.length, self.get

    def __ag_rest__(self) -> Any:
        return collected(self, MAX_ITEMS)

    def __iter__(self) -> Any:
        found = [self.get(i) for i in range(self.length)]
        if self.end is not None:
            self.end()
        return iter(found)


def collected(x: Any, most: float = math.inf) -> StagedList:
    """The list of what a staged loop over `x` goes through; `most`: rounds that Python may run."""
    out = StagedList([])

    def add(value: Any) -> tuple[()]:
        if list.__len__(out) >= most:
            raise TracingError(
                f"an iterator of more than {MAX_ITEMS} items, or without an end, leaves the "
                f"function{at(user_location())}\n"
                "  hint: return what is needed of it: list(itertools.islice(it, n))")
        out.append(value)
        return ()

    for_loop(x, add, ())
    return out


def is_symbolic(x: Any) -> bool:
    return isinstance(x, (Tensor, Items)) or (type(x) is StagedList and not x.known)


def all_of(*state: Any) -> State:
    """The state as it is."""
    return state


class Generated:
    """`(fn(item) for item in items if where(item))` that is looped over once, lazily.

    `fn` and `where` take the parts that an item is unpacked to; with `nested` what `fn` gives is
    gone through in turn. Without symbolic tests Python's own loops can go through it as well.
    """

    def __init__(self, items: Any, fn: Fn, where: Fn | None = None, nested: bool = False,
                 parts: int = 1) -> None:
        self.items = items
        self.fn = fn
        self.where = where
        self.nested = nested
        self.parts = parts
        self.started = False
        self.python = self._in_python()
        self.begun = False  # whether items were taken from that

    def __ag_references__(self) -> tuple[Any, ...]:
        return self.items, self.fn, self.where, self.python

    def loop(self, body: Fn, state: State, test: Fn | None = None) -> State:
        """`for value in self: state = body(value, *state)`, as long as `test(*state)`."""
        if self.begun:
            return for_loop(self.python, body, state, test=test)
        self.start()

        def step(item: Any, *now: Any) -> State:
            parts = UNPACK[self.parts](item) if self.parts > 1 else (item,)

            def use(*now: Any) -> State:
                value = self.fn(*parts)
                if self.nested:
                    return for_loop(value, body, now, test=test)
                return body(value, *now)  # type: ignore[no-any-return]

            if self.where is None:
                return use(*now)
            return cond(self.where(*parts), use, all_of, *now)  # type: ignore[no-any-return]

        step.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names
        return for_loop(self.items, step, state, test=test)

    def __ag_rest__(self) -> Any:
        return collected(self, MAX_ITEMS)

    def start(self) -> None:
        if self.started:
            raise TracingError(
                "a generator in which symbolic values decide is gone on with after a loop or "
                f"`next` read from it{at(user_location())}\n"
                "  hint: make a list of what it gives, and use that")
        self.started = True

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self.begun = True
        return next(self.python)

    def _in_python(self) -> Iterator[Any]:
        for item in self.items:
            parts = UNPACK[self.parts](item) if self.parts > 1 else (item,)
            if self.where is None or self.where(*parts):
                value = self.fn(*parts)
                if self.nested:
                    yield from value
                else:
                    yield value


class Pushed(Generated):
    """What a generator function gives, run inside the loop that goes through it.

    `push` calls a function with each value until that is true. Python's own loops, and whatever
    takes the values one by one, go through the generator itself. `given` is what it can read.
    """

    def __init__(self, make: Callable[[], Iterator[Any]], push: Fn, given: list[Any]) -> None:
        self.make = make
        self.given = given
        super().__init__(None, push)

    def loop(self, body: Fn, state: State, test: Fn | None = None) -> State:
        if self.begun:
            return for_loop(self.python, body, state, test=test)
        self.start()

        def run(*now: Any) -> State:
            held = TracedState(now)

            def consume(value: Any) -> Any:
                held.values = body(value, *held.values)
                return False if test is None else not_(test(*held.values))

            self.fn(consume)
            return held.values  # type: ignore[no-any-return]

        return run(*state) if test is None else cond(
            test(*state), run, all_of, *state)

    def _in_python(self) -> Iterator[Any]:
        return self.make()


class Stepped(Generated):
    """What a state machine makes of items, lazily.

    `step(inner, item)` gives the next inner state, whether the item leads to a value, a function
    that gives the value, and whether there is any reason to ask for another item.
    """

    def __init__(self, items: Any, step: Step, first: Any = (), begin: bool = True) -> None:
        self.step = step
        self.first = first
        self.begin = begin
        super().__init__(read_by_cursor(items), step)

    def __ag_references__(self) -> tuple[Any, ...]:
        return *super().__ag_references__(), self.first

    def loop(self, body: Fn, state: State, test: Fn | None = None) -> State:
        if self.begun:
            return for_loop(self.python, body, state, test=test)
        self.start()

        def run(item: Any, _: Any, inner: Any, *now: Any) -> State:
            inner, yields, value, goes_on = self.step(inner, item)
            now = cond(yields, lambda *now: body(value(), *now), all_of, *now)
            return goes_on, inner, *now

        run.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names
        _, _, *now = for_loop(
            self.items, run, (self.begin, self.first, *state), test=lambda goes_on, _, *now: and_(
                goes_on, lambda: True if test is None else test(*now)))
        return tuple(now)

    def _in_python(self) -> Iterator[Any]:
        inner, goes_on = self.first, self.begin
        items = iter(self.items)
        while goes_on:
            try:
                item = next(items)
            except StopIteration:
                return
            inner, yields, value, goes_on = self.step(inner, item)
            if yields:
                yield value()


def generated(function: Fn, push: Callable[[], Fn | None], args: tuple[Any, ...],
              kwargs: Mapping[str, Any]) -> Any:
    """A call of a generator function while a function is traced."""
    cells = [cell.cell_contents for _, cell in bound_cells(function)]
    make = partial(function, *args, **kwargs)
    seen = [args, dict(kwargs), cells, *(contents_of(x) for x in (*args, *cells) if is_object(x))]
    given = list(flatten(seen))
    if not any(is_symbolic(x) or isinstance(x, Generated) for x in given):
        return make()
    pushed = push()
    return make() if pushed is None else Pushed(
        make, lambda consume: pushed(consume, *args, **kwargs), given)
