"""Generators in staged code: generator expressions and functions, run inside the loop that reads
them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from operator import is_not
from typing import Any

import numpy as np

from autograph.libraries import package_of
from autograph.operators.comprehensions import UNPACK
from autograph.operators.control_flow import cond, for_loop
from autograph.operators.logical import and_
from autograph.runtime.heap.generator_attributes import OF_GENERATORS, refuse_attribute
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.iterators import (
    MAX_ITEMS,
    Cursor,
    TracedState,
    cursor_of,
    needs_cursor,
    read_by_cursor,
)
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.ir.call_frames import is_structural
from autograph.runtime.ir.errors import InvalidArgumentError, TracingError, at
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import parts_of
from autograph.runtime.symbolic.record import check_time
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.runtime.symbolic.trace_mode import RESUMES
from autograph.staging.class_names import of_class

Fn = Callable[..., Any]
State = tuple[Any, ...]
Step = Callable[[Any, Any], tuple[Any, Any, Any, Any]]


def counts_items() -> bool:
    """Returns True if loops that may stop early count what they read of an iterator."""
    here = trace.current_region()
    return here is not None and here.trace.mode.counts_items


def request_counts() -> None:
    """Asks for a trace whose loops count the items that they read, if this is no such trace."""
    here = trace.current_region()
    if here is not None and not here.trace.mode.counts_items:
        here.trace.request.counts_items = True


class Position(TracedState):
    """How many items of an iterator were read.

    unknown  True once something has read it that may have stopped anywhere.
    lists    the lists that it reads, and what they held when it was made.
    """

    __slots__ = ("lists", "unknown")

    def __init__(self, lists: Sequence[list[Any]] = ()) -> None:
        super().__init__(0)
        self.unknown = False
        self.watch(lists)

    def watch(self, lists: Sequence[list[Any]]) -> None:
        """Notes what the lists hold: whoever reads on must find the same in them."""
        self.lists = [(x, list.copy(x)) for x in lists]

    def moved(self, to: Any) -> Any:
        """Moves to another position, and returns the one before.

        Raises:
          TracingError: it is not known.
        """
        if self.unknown:
            request_counts()
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
        if isinstance(x, Items):
            return of_class(replace(x, kind=kind), kind)
        if isinstance(x, Generated):
            x.kind = kind
        if isinstance(x, (Generated, Cursor)):
            of_class(x, kind)
        return as_written(x, kind, args, kwargs)

    return made


def as_written(x: Any, make: Fn, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Returns an iterator of the trace, which knows what makes it in plain Python from here on."""
    if isinstance(x, (Generated, Cursor)):
        x.written = make, args, dict(kwargs)
    return x


def made_by_python(make: Fn, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Calls a builtin; returns an iterator that it makes as one of the trace."""
    made = make(*args, **kwargs)
    if not isinstance(made, Cursor) and isinstance(x := read_by_cursor(made), Cursor):
        return as_written(x, make, tuple(args), kwargs)
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
    """Calls a function with each item of an iterable; `most`: see `collected`."""
    def step(value: Any, count: Any) -> tuple[Any]:
        if isinstance(count, Tensor):
            cond(apply("greater_equal", count, MOST_OF_RUN), _refuse_endless, tuple)
        elif count >= most:
            raise TracingError(f"{ENDLESS.format(MAX_ITEMS)}{at(user_location())}\n{ENOUGH}")
        use(value)
        return (count + 1,)

    def alone(value: Any) -> tuple[()]:
        use(value)
        return ()

    if most == math.inf:
        for_loop(x, alone, ())
    else:
        for_loop(x, step, (0,))


MOST_OF_RUN = 1_000_000
"""At most so many items of an iterator that escapes are collected by the run."""

ENDLESS = "an iterator with more than {} items, or without an end, escapes from the function"
ENOUGH = "  hint: return the items that you need: list(itertools.islice(it, n))"


def _refuse_endless() -> None:
    raise InvalidArgumentError(f"{ENDLESS.format(MOST_OF_RUN)}\n{ENOUGH}")


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
                    Once code as it was written has read it, a cursor.
    read_by_loop    True once a staged loop has read it.
    ended           True once such a loop has read it to its end: not while that goes on.
    source          what the last staged loop read: `items`, or these with the position.
    position        how many of the items the staged loops have read.
    reads_on        False if only what read it last knows where it stopped.
    region          the region in which it was made.
    read_by_python  True once `python` was read.
    kind            its class in plain Python, if that is one of Python's.
    resumes         the keys of the generator function that it calls.
    sources         the containers that it reads, which the loop over it must not change.
    written         what makes it in plain Python: a callable, and its arguments; None if not known.
    by_items        True if each item is made of one of the items that it reads.
    is_stateless    True if it is read on wherever what it reads is read on.
    """

    kind: Any = None
    resumes: frozenset[Any] = frozenset()
    by_items = True
    written: tuple[Any, tuple[Any, ...], dict[str, Any]] | None = None
    runs_code = True
    reads_on = True

    def __init__(self, items: Any, fn: Fn, where: Fn | None = None, nested: bool = False,
                 parts: int = 1, sources: Sequence[Any] = ()) -> None:
        self.sources = sources
        check_iterable(items)
        self.items = self.source = items
        self.position = Position()
        self.fn = fn
        self.where = where
        self.nested = nested
        self.parts = parts
        self.read_by_loop = False
        self.ended = False
        self.region = trace.current_region()
        self.python: Iterator[Any] = self._in_python()
        self.read_by_python = False

    def __ag_references__(self) -> tuple[Any, ...]:
        return self.items, self.fn, self.where, self.python, self.position

    def loop(self, body: Fn, state: State, test: Fn | None = None) -> State:
        """Stage `for value in self: state = body(value, *state)`, as long as `test(*state)`."""
        if self.read_by_python:
            return for_loop(self.python, body, state, test=test)
        if self.start():
            return state
        before, self.reads_on = self.reads_on, False
        state = self._staged(body, state, test)
        self.reads_on = before and self.is_stateless and is_read_on(self.source)
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
        return for_loop(self.source, watched(step, self.sources), state, test=test)

    def __ag_rest__(self) -> Any:
        return collected(self, MAX_ITEMS)

    def __ag_each__(self, use: Callable[[Any], Any]) -> None:
        each_of(self, use)

    @property
    def is_stateless(self) -> bool:
        return not self.nested

    @property
    def is_unread(self) -> bool:
        """True if nothing has read it, what reads it here does so once, and plain Python can make
        it anew."""
        return self.written is not None and not (
            self.read_by_loop or self.read_by_python or self.ended) and (
            self.region is trace.current_region())

    @property
    def is_plain(self) -> bool:
        """True if code as it was written can read it."""
        return self.is_unread or (isinstance(self.python, Cursor) and self.python.in_step)

    def read_on(self, iterator: Iterator[Any], take: Fn) -> None:
        """Reads Python's own iterator from here on, by `take`; plain code reads that, too."""
        self.python = cursor_of(iterator)
        self.python.take = take
        self.read_by_python = True

    def end(self) -> None:
        """Notes that plain code has read all of it."""
        if isinstance(self.python, Cursor):
            self.python.end()

    @property
    def iterator(self) -> Iterator[Any]:
        """Python's own, which plain code reads."""
        return self.python.iterator if isinstance(self.python, Cursor) else self.python

    def start(self) -> bool:
        """Returns True if nothing is left of it. From here on, a loop has read it."""
        if self.ended:
            return True
        if self.read_by_loop and not self.reads_on:
            if self.is_stateless:
                request_counts()
            error = TracingError(
                "a generator that yields under symbolic conditions is read again after a loop or "
                f"`next` has read from it{at(user_location())}\n"
                "  hint: make a list of its items, and use the list")
            vars(error)[RESUMES] = self.resumes
            raise error
        self.read_by_loop = True
        return False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._reader())

    def __getattr__(self, name: str) -> Any:
        if name in OF_GENERATORS:
            refuse_attribute(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def send(self, value: Any) -> Any:
        """Sends a value into Python's own generator, as `throw` throws an error into it."""
        return self._reader().send(value)

    def throw(self, *error: Any) -> Any:
        return self._reader().throw(*error)

    def close(self) -> None:
        self._reader().close()

    def _reader(self) -> Any:
        """Returns Python's own generator, or the cursor that tells how far it was read."""
        python = self.by_python()
        return cursor_of(python) if needs_cursor(python) else python

    def by_python(self) -> Any:
        """Returns Python's own generator, which alone reads the items from here on; one without
        items if a loop has read them all."""
        if self.read_by_loop:
            self.reads_on = False  # Python's own does not know how far the loops read
            if self.start():
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


def check_iterable(x: Any) -> None:
    """Raises what Python raises where an iterator is made of what it cannot iterate over."""
    cls = type(x)
    if isinstance(x, Tensor):
        cls = x.type.cls if isinstance(x.type, PyType) else (
            float if isinstance(x.type, ArrayType) and x.type.shape == () else list)
    if isinstance(x, np.generic) or (package_of(cls.__module__) != "autograph" and not (
            hasattr(cls, "__iter__") or hasattr(cls, "__getitem__"))):
        iter(x)


def is_read_on(source: Any) -> bool:
    """Returns True if another loop over an iterator reads on where one stopped."""
    return isinstance(source, Cursor) or (
        isinstance(source, Generated) and source.reads_on and not source.read_by_python) or (
        isinstance(source, Items) and source.position is not None and not source.position.unknown)


class Iter(Generated):
    """`iter(x)` of a container of the run."""

    by_items = False

    def __init__(self, items: Any) -> None:
        super().__init__(items, lambda item: item)


class Stepped(Generated):
    """The values that a state machine makes of items, lazy.

    `step(inner, item)` returns the next inner state, True if the item leads to a value, a function
    that returns the value, and True if another item may be needed.
    """

    by_items = is_stateless = False

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


for shown, classes in {"generator": (Generated,), "iterator": (Items, Iter, Stepped)}.items():
    for cls in classes:
        cls.__name__ = shown  # Python's errors tell it
