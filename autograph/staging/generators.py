"""Generators in staged code: generator expressions and functions, run inside the loop that reads
them."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from operator import is_not
from types import GeneratorType
from typing import Any

from autograph.conversion.code_cache import generator_form, list_form
from autograph.operators.comprehensions import UNPACK
from autograph.operators.control_flow import cond, for_loop
from autograph.operators.logical import and_, not_
from autograph.runtime.control_flow.recursion import called
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.iterators import (
    MAX_ITEMS,
    OF_GENERATORS,
    Cursor,
    TracedState,
    cursor_of,
    needs_cursor,
    read_by_cursor,
    refuse_attribute,
)
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import contents_of, is_object
from autograph.runtime.heap.suspended_generators import note_generator
from autograph.runtime.ir.call_frames import is_structural
from autograph.runtime.ir.closures import bound_cells
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.replacements.outside_world import may_change
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import parts_of
from autograph.runtime.symbolic.record import check_time
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor

Fn = Callable[..., Any]
State = tuple[Any, ...]
Step = Callable[[Any, Any], tuple[Any, Any, Any, Any]]


class Position(TracedState):
    """How many items of an iterator were read.

    unknown  True once something has read it that may have stopped anywhere.
    lists    the lists that it reads, and what they held when it was made.
    """

    __slots__ = ("lists", "unknown")

    def __init__(self, lists: Sequence[list[Any]] = ()) -> None:
        super().__init__(0)
        self.unknown = False
        self.lists = [(x, list.copy(x)) for x in lists]

    def moved(self, to: Any) -> Any:
        """Moves to another position, and returns the one before.

        Raises:
          TracingError: it is not known.
        """
        if self.unknown:
            raise TracingError(
                "an iterator over what only the run knows is read again after something that "
                f"may have stopped before its end{at(user_location())}\n"
                "  hint: make a list of its items, and use the list")
        if any(len(held) != list.__len__(x) or any(map(is_not, list.__iter__(x), held))
               for x, held in self.lists):
            raise TracingError(
                "a list whose length only the run knows is changed after an iterator over it was "
                f"made{at(user_location())}\n  hint: make the iterator where it is read")
        before, self.values = self.values, to
        return before


@dataclass(frozen=True)
class Items:
    """An iterable whose length may be symbolic: item i is `get(i)`.

    end       called where a loop asks for an item after the last one; it may raise, as Python does.
    sources   the lists that it reads, which the loop over it must not change.
    position  how many items were read, if it is an iterator.
    kind      its class in plain Python, if that is one of Python's.
    """

    length: Any
    get: Callable[[Any], Any]
    end: Callable[[], Any] | None = None
    sources: tuple[list[Any], ...] = ()
    position: Position | None = None
    kind: Any = None

    def __ag_references__(self) -> tuple[Any, ...]:
        return self.length, self.get, self.position

    def rest(self) -> Items:
        """Returns the items that are left; if it is an iterator, it is at its end then."""
        if self.position is None:
            return self
        read = self.position.moved(self.length)
        if type(read) is int and read == 0:
            return replace(self, position=None)
        return Items(self.length - read, lambda i: self.get(i + read), self.end, self.sources)

    def __ag_rest__(self) -> Any:
        return collected(self, MAX_ITEMS)

    def __iter__(self) -> Any:
        if isinstance(self.length, Tensor) and is_structural(sys._getframe(1)):
            trace.want_one("is unpacked with a star, and known only when the graph runs")
        rest = self.rest()
        found = [rest.get(i) for i in range(rest.length)]
        if self.end is not None:
            self.end()
        return iter(found)


def of_kind(kind: type, make: Fn) -> Fn:
    """Returns what makes the staged form of an iterator of a class of Python's own."""
    @wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        x = make(*args, **kwargs)
        if type(x) is Items:
            return replace(x, kind=kind)
        if isinstance(x, Generated):
            x.kind, x.written = kind, (kind, args, kwargs)
        return x

    return made


def watched(step: Fn, sources: Sequence[Any]) -> Fn:
    """Returns a function that does a step of a loop, and asks for a trace with objects of the graph
    if the step changes a container that the loop reads: Python's loop would see that."""
    def watching(*args: Any) -> Any:
        before = list(map(parts_of, sources))
        made = step(*args)
        for x, old in zip(sources, before, strict=True):
            now = parts_of(x) or []
            if len(now) != len(old or ()) or any(map(is_not, now, old or ())):
                need_object(x, "is changed while it is iterated over")
        return made

    watching.__wrapped__ = step  # type: ignore[attr-defined]  # for the variables' names
    return watching if sources else step


def collected(x: Any, most: float = math.inf) -> StagedList:
    """Returns the items of an iterable as a list; `most` limits the iterations that Python runs."""
    out = StagedList([])
    each_of(x, out.append, most)
    return out


def each_of(x: Any, use: Callable[[Any], Any], most: float = MAX_ITEMS) -> None:
    """Calls a function with each item of an iterable."""
    count = itertools.count()

    def step(value: Any) -> tuple[()]:
        if next(count) >= most:
            raise TracingError(
                f"an iterator with more than {MAX_ITEMS} items, or without an end, escapes from "
                f"the function{at(user_location())}\n"
                "  hint: return the items that you need: list(itertools.islice(it, n))")
        use(value)
        return ()

    for_loop(x, step, ())


def is_symbolic(x: Any) -> bool:
    """Returns True if only the run may know the value, or how many items there are."""
    return isinstance(x, (Tensor, Items)) or (type(x) is StagedList and not x.known)


def all_of(*state: Any) -> State:
    """Returns its arguments as a tuple: a loop body, or side of a branch, that changes nothing."""
    return state


class Generated:
    """`(fn(item) for item in items if where(item))`, lazy, for one loop.

    fn              takes the parts that an item is unpacked to, as does `where`.
    nested          `fn` returns an iterable, and its items are the generator's.
    python          a generator of Python's own, for loops of Python; its tests cannot be symbolic.
    read_by_loop    True once a staged loop has read it.
    ended           True once such a loop has read it to its end: not while that goes on.
    region          the region in which it was made.
    read_by_python  True once `python` was read.
    kind            its class in plain Python, if that is one of Python's.
    sources         the containers that it reads, which the loop over it must not change.
    written         what makes it in plain Python: a callable, and its arguments; None if not known.
    """

    kind: Any = None
    written: tuple[Any, tuple[Any, ...], dict[str, Any]] | None = None
    runs_code = True

    def __init__(self, items: Any, fn: Fn, where: Fn | None = None, nested: bool = False,
                 parts: int = 1, sources: Sequence[Any] = ()) -> None:
        self.sources = sources
        self.items = items
        self.fn = fn
        self.where = where
        self.nested = nested
        self.parts = parts
        self.read_by_loop = False
        self.ended = False
        self.region = trace.current_region()
        self.python = self._in_python()
        self.read_by_python = False

    def __ag_references__(self) -> tuple[Any, ...]:
        return self.items, self.fn, self.where, self.python

    def loop(self, body: Fn, state: State, test: Fn | None = None) -> State:
        """Stage `for value in self: state = body(value, *state)`, as long as `test(*state)`."""
        if self.read_by_python:
            return for_loop(self.python, body, state, test=test)
        if self.start():
            return state
        state = self._staged(body, state, test)
        self.ended = test is None and trace.current_region() is self.region
        return state

    def _staged(self, body: Fn, state: State, test: Fn | None) -> State:
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
        return for_loop(self.items, watched(step, self.sources), state, test=test)

    def __ag_rest__(self) -> Any:
        return collected(self, MAX_ITEMS)

    def __ag_each__(self, use: Callable[[Any], Any]) -> None:
        each_of(self, use)

    @property
    def is_unread(self) -> bool:
        """True if nothing has read it, and what reads it here does so once."""
        return not (self.read_by_loop or self.read_by_python or self.ended) and (
            self.region is trace.current_region())

    def start(self) -> bool:
        """Returns True if nothing is left of it. From here on, a loop has read it."""
        if self.ended:
            return True
        if self.read_by_loop:
            raise TracingError(
                "a generator that yields under symbolic conditions is read again after a loop or "
                f"`next` has read from it{at(user_location())}\n"
                "  hint: make a list of its items, and use the list")
        self.read_by_loop = True
        return False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        python = self.by_python()
        return next(cursor_of(python) if needs_cursor(python) else python)

    def __getattr__(self, name: str) -> Any:
        if name in OF_GENERATORS:
            refuse_attribute(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def send(self, value: Any) -> Any:
        """Sends a value into Python's own generator, as `throw` throws an error into it."""
        return self.by_python().send(value)

    def throw(self, *error: Any) -> Any:
        return self.by_python().throw(*error)

    def close(self) -> None:
        self.by_python().close()

    def by_python(self) -> Any:
        """Returns Python's own generator, which alone reads the items from here on; one without
        items if a loop has read them all."""
        if self.read_by_loop and self.start():
            return (None for _ in ())
        self.read_by_python = True
        return self.python

    def _in_python(self) -> Iterator[Any]:
        """Returns a generator that does not refer to this object: nobody holds both at the end."""
        return _mapped(self.items, self.fn, self.where, self.nested, self.parts)


def _mapped(items: Any, fn: Fn, where: Fn | None, nested: bool, count: int) -> Iterator[Any]:
    for item in items:
        check_time()
        parts = UNPACK[count](item) if count > 1 else (item,)
        kept = where is None or where(*parts)
        if isinstance(kept, Tensor):
            trace.want_one("is gone through by Python, and has items that only the run knows")
        if kept:
            value = fn(*parts)
            if nested:
                yield from value
            else:
                yield value


class Iter(Generated):
    """`iter(x)` of a container of the run."""

    def __init__(self, items: Any) -> None:
        super().__init__(items, lambda item: item)


class Pushed(Generated):
    """A generator function's call, run inside the staged loop that reads it.

    make   makes Python's own generator, for loops of Python and for `next`.
    push   calls a function with each value, until the function returns True.
    given  the values that the generator function can read.
    """

    kind = GeneratorType

    def __init__(self, make: Callable[[], Iterator[Any]], push: Fn, given: list[Any]) -> None:
        self.make = make
        self.given = given
        super().__init__(None, push)

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


class Stepped(Generated):
    """The values that a state machine makes of items, lazy.

    `step(inner, item)` returns the next inner state, True if the item leads to a value, a function
    that returns the value, and True if another item may be needed.
    """

    def __init__(self, items: Any, step: Step, first: Any = (), begin: bool = True) -> None:
        self.step = step
        self.first = first
        self.begin = begin
        super().__init__(read_by_cursor(items), step)

    def __ag_references__(self) -> tuple[Any, ...]:
        return *super().__ag_references__(), self.first

    def _staged(self, body: Fn, state: State, test: Fn | None) -> State:
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
        return _stepped(self.items, self.step, self.first, self.begin)


def _stepped(items: Iterable[Any], step: Step, inner: Any, goes_on: bool) -> Iterator[Any]:
    read = iter(items)
    while goes_on:
        try:
            item = next(read)
        except StopIteration:
            return
        inner, yields, value, goes_on = step(inner, item)
        if yields:
            yield value()


def noted(generator: Any) -> Any:
    """Returns what a generator function gave, and tells the trace of it."""
    note_generator(generator)
    return generator


def generated(function: Any, push: Callable[[], Fn | None], args: tuple[Any, ...],
              kwargs: Mapping[str, Any]) -> Any:
    """Call a generator function while a function is traced."""
    cells = [cell.cell_contents for _, cell in bound_cells(function)]
    make = partial(function, *args, **kwargs)
    seen = [args, dict(kwargs), cells, *(contents_of(x) for x in (*args, *cells) if is_object(x))]
    given = list(all_leaves(seen))
    region = trace.current_region()
    if not any(is_symbolic(x) or isinstance(x, Generated) for x in given) and (
            region is None or function.__code__ not in region.trace.mode.generators) and (
            not may_change(function)):
        return read_by_cursor(noted(make()))
    make = partial(generator_form(function) or function, *args, **kwargs)
    pushed = push()
    if pushed is None:
        return read_by_cursor(noted(make()))
    level = 0 if region is None else region.trace.mode.recursive.get(pushed.__code__, 0)
    listed = list_form(function) if level else None
    if listed is None:
        return Pushed(make, lambda consume: pushed(consume, *args, **kwargs), given)

    def push_all(consume: Fn) -> None:
        for_loop(called(listed, level, args, kwargs), lambda item, _: (consume(item),), (False,),
                 test=not_)

    return Pushed(make, push_all, given)
