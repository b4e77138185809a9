"""Python iterators as state: how far each was read, which may depend on the run.

An iterator cannot be read twice. So a cursor remembers the items that its iterator gave, and the
position is the state that changes.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CodeType, FunctionType, GeneratorType, WrapperDescriptorType
from typing import Any
from weakref import ProxyTypes, ref

from autograph.libraries import is_library, package_of
from autograph.own_attributes import class_has, in_class, own_dict
from autograph.runtime.heap.generator_attributes import OF_GENERATORS, refuse_attribute
from autograph.runtime.heap.iterator_copies import copy_of
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.snapshot import Snapshot
from autograph.runtime.ir.errors import EndlessError, TracingError, at
from autograph.runtime.ir.pytree import LEAVES, PLAIN_CONTAINERS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import check_time
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import apply
from autograph.runtime.symbolic.trace_mode import RESUMES, key_of

MAX_ITEMS = 10_000
"""At most so many items are taken from an iterator for a loop whose end only the run knows."""

MAX_AHEAD = 3000
"""At most so many of the user's generators, as these can run inside such a loop as well."""

MAX_RECORDED = 1000
"""At most so many items whose generator records equations, where this is no such loop."""


class Cursor:
    """An iterator: the items that it gave, and in `state["position"]` how many were read.

    Python can read from it as well, as long as the position does not depend on the run.

    ahead  the locations that it reads, with what they held as items were taken that may be read
           later, as only the run knows how far it is read.
    generators  the code of the generators that it reads: one at its end does not tell any more.
    handed_on   True once another reader has it, and only the run knows how many items that takes.
    returned    what a generator function returned, for `yield from`.
    written     what makes it in plain Python: a callable, and its arguments; None if not known.
    region      refers to the region in which it was made.
    take        gives the next item of the iterator.
    unread      a copy of an iterator from outside, of which another copy is read; None: the
                iterator itself is read. `ended`: to its end.
    """

    __slots__ = ("__weakref__", "ahead", "ended", "generators", "handed_on", "items", "iterator",
                 "outer", "region", "returned", "state", "take", "unread", "written")

    def __init__(self, iterator: Iterator[Any]) -> None:
        self.iterator = iterator
        self.items: list[Any] = []
        self.state: dict[str, Any] = {"position": 0}
        read = list(read_through(iterator))
        self.outer = any(map(trace.from_outside, read))
        self.generators = {x.gi_code for x in read if isinstance(x, GeneratorType)}
        self.ahead: Snapshot[Any] = Snapshot()
        self.handed_on = False
        self.returned: Any = None
        self.written: tuple[Any, tuple[Any, ...], dict[str, Any]] | None = None
        self.region = ref(here) if (here := trace.current_region()) is not None else None
        self.take: Callable[[Any], Any] = next
        self.unread, self.ended = None, False
        alone = sum(type(x) is not tuple for x in read) == 1
        if self.outer and alone and not is_of_users_class(iterator):
            self.unread, copied = copy_of(iterator), copy_of(iterator)
            self.take = next if copied is None else lambda _: next(copied)

    @property
    def position(self) -> Any:
        if self.handed_on:
            raise TracingError(
                "an iterator is read on after something has read it that takes as many items as "
                f"only the run knows{at(user_location())}\n"
                "  hint: make another iterator, or a list of its items")
        return self.state["position"]

    @position.setter
    def position(self, position: Any) -> None:
        self._check()
        self.state["position"] = position
        self._hold()

    @property
    def in_step(self) -> bool:
        """True if it knows no more than the iterator itself: Python may read that in its place."""
        here = trace.current_region()
        position = self.state["position"]
        return here is not None and here.parent is None and not self.outer and isinstance(
            position, int) and position == len(self.items)

    @property
    def endless(self) -> bool:
        """True if it gives its items itself: there is no iterator, and no end to them."""
        return False

    @property
    def is_unread(self) -> bool:
        """True if nothing has read it, and plain Python can make it anew."""
        position = self.state["position"]
        return self.written is not None and isinstance(position, int) and position == 0 and not (
            self.items or self.handed_on) and (
            self.region is not None and self.region() is trace.current_region())

    @property
    def is_plain(self) -> bool:
        """True if code as it was written can read it."""
        return self.is_unread or self.in_step

    def read_on(self, iterator: Iterator[Any], take: Callable[[Any], Any]) -> None:
        """Reads Python's own iterator from here on, by `take`; plain code reads that, too."""
        here = trace.current_region()
        assert here is not None
        run = here.trace
        run.cursors.pop(id(self.iterator), None)
        run.all_cursors.pop(id(self.iterator), None)
        self.iterator, self.take, self.written = iterator, take, None
        run.all_cursors[id(iterator)] = self
        self._hold()

    def end(self) -> None:
        """Notes that plain code has read all of it."""
        self.take = _nothing

    def _hold(self) -> None:
        """Lets the trace hold it, or not: only where it knows more than the iterator itself.

        So a generator that nothing else refers to ends where it does in plain Python.
        """
        here = trace.current_region()
        if here is None:
            return
        if self.in_step:
            here.trace.cursors.pop(id(self.iterator), None)
        else:
            here.trace.cursors[id(self.iterator)] = self

    def _check(self) -> None:
        """Refuses to read an iterator from outside where the graph decides if that happens.

        It cannot be put back. `next` and `for` loops read it when the graph runs.
        """
        here = trace.current_region()
        if here is not None and (
                here.parent is not None or here.trace.mode.effects_at_run_time
                or id(self.iterator) in here.trace.read_by_run):
            self.refuse_outside()

    def refuse_outside(self) -> None:
        """Refuses to read on, if that reads an iterator from outside."""
        if self.outer:
            raise TracingError(
                "an iterator from outside the function is read where the graph decides if, or how "
                f"often{at(user_location())}\n"
                "  hint: read it with next(it), or with a `for` loop over the iterator itself")

    def note_read_ahead(self, locations: Sequence[Any]) -> None:
        """Notes what the locations hold from which items are taken."""
        self.ahead = self.ahead or Snapshot.take(locations)

    def _refuse_changed(self) -> None:
        """Refuses to read on if what it reads has changed since the items were taken: Python's
        iterator would see that."""
        for x, _, _ in self.ahead.changes():
            container = getattr(x, "container", None)
            if container is not None and x.owner is container:
                need_object(container, "is changed while it is iterated over")
            raise TracingError(
                "a variable or object that an iterator reads is changed, and only the run knows "
                f"how far the iterator was read before{at(user_location())}\n"
                "  hint: make a list of the items before, and use the list")

    def has(self, position: int) -> bool:
        """Returns True if there is an item at a position; takes it from the iterator if need be."""
        self._refuse_changed()
        if len(self.items) > position:
            return True
        try:
            return self._took(position)
        finally:
            self.ahead = Snapshot.take(self.ahead)  # it may have changed them itself

    def _took(self, position: int) -> bool:
        while len(self.items) <= position:
            self._check()
            check_time()
            try:
                self.items.append(self.take(self.iterator))
            except StopIteration as stop:
                self.returned = self.returned if stop.value is None else stop.value
                self.ended = True
                return False
            self._hold()
            self._refuse_endless()
        return True

    def _refuse_endless(self) -> None:
        """Asks to run its generators inside the loop if very many items were recorded: what ends
        them is perhaps an exception that only the run raises."""
        here = trace.current_region()
        if self.generators and here is not None and len(self.items) % MAX_RECORDED == 0 and (
                len(here.graph.equations) >= len(self.items)):
            self.request_generators()
            raise EndlessError(
                f"an iterator gives more than {MAX_RECORDED} items while it is traced, and each "
                f"records something{at(user_location())}\n"
                "  hint: let a condition end it, not an exception")

    def __iter__(self) -> Cursor:
        return self

    def __next__(self) -> Any:
        position = self.position
        if not isinstance(position, int):
            raise TracingError(
                "Python reads an iterator whose position is known only when the graph runs"
                f"{at(user_location())}\n"
                "  hint: loop over the iterator in converted code, or make a list of it first")
        if not self.has(position):
            raise StopIteration if self.returned is None else StopIteration(self.returned)
        self.position = position + 1
        return self.item(position)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class of the iterator, for `isinstance`."""
        return type(self.iterator)

    def __getattr__(self, name: str) -> Any:
        if name in OF_GENERATORS and not isinstance(self.iterator, GeneratorType):
            refuse_attribute(name)
        return getattr(self.iterator, name)

    def send(self, value: Any) -> Any:
        """Sends a value into a generator, as `throw` throws an error into it."""
        return self._asked(self.iterator.send, value)  # type: ignore[attr-defined]

    def throw(self, *error: Any) -> Any:
        return self._asked(self.iterator.throw, *error)  # type: ignore[attr-defined]

    def close(self) -> None:
        self._refuse_out_of_step("a generator is closed")
        self.iterator.close()  # type: ignore[attr-defined]

    def _refuse_out_of_step(self, what: str) -> None:
        if not self.in_step:
            error = TracingError(f"{what} of which only the run knows how far it was read"
                                 f"{at(user_location())}\n  hint: do it where no loop has read it")
            vars(error)[RESUMES] = set(map(key_of, self.generators))
            raise error

    def _asked(self, method: Callable[..., Any], *args: Any) -> Any:
        self._refuse_out_of_step("a value is sent into a generator")
        item = method(*args)
        self.items.append(item)
        self.position += 1
        return item

    def item(self, position: Any) -> Any:
        """Returns the item at a position; `has` must be true of it."""
        return self.items[position]

    @property
    def runs_code(self) -> bool:
        """True if Python reads it on, which runs the user's code."""
        return bool(self.generators) and isinstance(self.position, int)

    def __ag_each__(self, use: Callable[[Any], Any]) -> None:
        """Calls a function with each item that is left, before it reads the next."""
        for x in self:
            use(x)

    def references(self) -> Iterable[Any]:
        """Returns the objects that reading from it may change."""
        return held_inside(self.iterator)

    def all(self) -> list[Any]:
        """Returns all items, read or not.

        Raises:
          TracingError: there is no end to them.
        """
        most = MAX_AHEAD if self.may_run_inside else MAX_ITEMS
        if self.has(most):
            self.request_generators()
            raise TracingError(
                f"an iterator with more than {most} items, or without an end, is read to its "
                f"end{at(user_location())}\n  hint: write a `while` loop that counts, or take the "
                "items that you need: list(itertools.islice(it, n))")
        return self.items

    def request_generators(self) -> None:
        """Asks for a trace in which the generators that it reads run inside the loop over it."""
        here = trace.current_region()
        if here is not None and not self.outer:
            here.trace.request.generators |= self._run_ahead(here)

    @property
    def may_run_inside(self) -> bool:
        """True if another trace could run generators of it inside the loop that reads it."""
        here = trace.current_region()
        return here is not None and not self.outer and bool(self._run_ahead(here))

    def _run_ahead(self, here: Region) -> set[CodeType]:
        return self.generators - here.trace.mode.generators

    def __ag_rest__(self) -> Any:
        """Reads it to its end; returns the items that were left: a list, or a symbolic one."""
        items, position = self.all(), self.position
        self.position = len(items)
        if isinstance(position, int):
            return items[position:]
        return apply("getitem", items, slice(position, None))


def _nothing(iterator: Any) -> Any:
    raise StopIteration


class EndlessCursor(Cursor):
    """An iterator without an end whose item i is `get(i)`; i may depend on the run.

    `get` is called once for every item, one after the other.
    """

    __slots__ = ("get",)

    def __init__(self, get: Callable[[Any], Any]) -> None:
        super().__init__(iter(()))
        self.get: Callable[[Any], Any] | None = get

    @property
    def endless(self) -> bool:
        return self.get is not None

    @property
    def in_step(self) -> bool:
        return self.get is None and super().in_step

    def read_on(self, iterator: Iterator[Any], take: Callable[[Any], Any]) -> None:
        self.get = None
        super().read_on(iterator, take)

    def hand_on(self) -> EndlessCursor:
        """Returns a cursor that reads on from here; this one is not to be read any more."""
        if self.get is None:
            return self
        other = EndlessCursor(self.get)
        other.position, self.handed_on = self.position, True
        return other

    def has(self, position: Any) -> bool:
        return self.get is not None or super().has(position)

    def item(self, position: Any) -> Any:
        return super().item(position) if self.get is None else self.get(position)

    def references(self) -> Iterable[Any]:
        return super().references() if self.get is None else (self.get,)

    def all(self) -> list[Any]:
        raise TracingError(
            f"an iterator without an end is read to its end{at(user_location())}\n"
            "  hint: loop over it with a `break`, or take the items that you need: "
            "list(itertools.islice(it, n))")


Cursor.__name__ = EndlessCursor.__name__ = "iterator"  # Python's errors tell it


class TracedState:
    """Values that one call of a function leaves for the next, as state of the trace."""

    __slots__ = ("state",)

    def __init__(self, values: Any) -> None:
        self.state: dict[str, Any] = {"values": values}

    @property
    def values(self) -> Any:
        return self.state["values"]

    @values.setter
    def values(self, values: Any) -> None:
        self.state["values"] = values


def read_through(iterator: Any) -> Iterator[Any]:
    """Yields an iterator, and those that it reads."""
    seen: set[int] = set()
    pending = [iterator]
    while pending and len(seen) < MAX_ITEMS:
        x = pending.pop()
        if id(x) in seen or not (isinstance(x, tuple) or is_iterator(x)):
            continue
        yield x
        seen.add(id(x))
        pending.extend([x.iterator] if isinstance(x, Cursor) else gc.get_referents(x))


def held_inside(iterator: Any) -> list[Any]:
    """Returns what one of Python's iterators refers to, for its own tuples what these hold:
    `zip_longest` takes iterators out of its tuple, and nobody else can read a tuple with holes."""
    return [x for part in gc.get_referents(iterator)
            for x in (gc.get_referents(part) if type(part) is tuple else (part,))]


def is_iterator(x: Any) -> bool:
    """Returns True for one of Python's iterators, whose position Python does not tell."""
    cls = type(x)
    if cls in LEAVES or cls in PLAIN_CONTAINERS or cls in ProxyTypes:
        return False
    if package_of(cls.__module__) == "autograph":
        return issubclass(cls, Cursor)
    return type(in_class(cls, "__next__")) is WrapperDescriptorType and own_dict(x) is None


def is_of_users_class(x: Any) -> bool:
    """Returns True for an iterator whose class has a `__next__` in Python, which is traced."""
    cls = type(x)
    return type(in_class(cls, "__next__")) is FunctionType and not is_library(cls.__module__)


def is_read_by_users_code(x: Any) -> bool:
    """Returns True if a `__next__` or `__getitem__` in Python gives the items of an iterable."""
    cls = type(x)
    method = getattr(cls, "__next__", None if hasattr(cls, "__iter__") else getattr(
        cls, "__getitem__", None))
    return type(method) is FunctionType and not is_library(cls.__module__)


def cursor_of(iterator: Iterator[Any]) -> Cursor:
    """Returns the cursor of an iterator in the current trace."""
    if isinstance(iterator, Cursor):
        return iterator
    here = trace.current_region()
    assert here is not None
    cursor: Cursor | None = here.trace.cursor_of(iterator)
    if cursor is None:
        cursor = here.trace.all_cursors[id(iterator)] = Cursor(iterator)
        cursor._hold()
    return cursor


def read_each(x: Any, use: Callable[[Any], Any]) -> bool:
    """Calls a function with each item of an iterable before it reads the next one.

    Returns False, and reads nothing, unless that runs code of the user's: it may look at what the
    items are put into.
    """
    if trace.tracing() and is_iterator(x) and not trace.from_outside(x):
        x = cursor_of(x)
    if not class_has(type(x), "__ag_each__") or not x.runs_code:
        return False
    x.__ag_each__(use)
    return True


def read_at_run_time(x: Any, early_end: bool = False) -> bool:
    """Returns True for an iterator from outside that is to be read when the graph runs.

    It is read so if Python's effects happen then, where a branch or loop reads it, in a loop that
    may have an early end, and from then on.
    """
    here = trace.current_region()
    if here is None or not trace.from_outside(x) or is_of_users_class(x):
        return False
    if here.trace.mode.effects_at_run_time:
        return True
    cursor = here.trace.cursor_of(x)
    if (here.parent is not None or early_end) and (
            cursor is None or cursor.position == len(cursor.items)):
        here.trace.read_by_run.add(id(x))
    return id(x) in here.trace.read_by_run


def needs_cursor(x: Any) -> bool:
    """Returns True for an iterator that a branch or loop reads, or has read."""
    here = trace.current_region()
    return here is not None and is_iterator(x) and (
        isinstance(x, Cursor) or here.parent is not None or here.trace.cursor_of(x) is not None
        or trace.from_outside(x))


def read_by_cursor(x: Any) -> Any:
    """Returns the cursor of an iterator, so that every reader moves its position; anything else as
    it is."""
    return cursor_of(x) if trace.tracing() and is_iterator(x) else x
