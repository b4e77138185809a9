"""Generators that are read on, or sent values, where only the run knows how far they were read: a
function goes on with each, whose variables are those of the generator."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import Any, NoReturn

from autograph.operators.builtins import BUILTIN_REPLACEMENTS
from autograph.operators.checks import getitem
from autograph.operators.containers import SEQUENCES
from autograph.operators.control_flow import cond, while_loop
from autograph.operators.logical import and_
from autograph.operators.variables import bound
from autograph.runtime.control_flow.cond import raise_value
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.iterators import TracedState
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.call_frames import is_structural
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.types import ArrayType, PyType, is_maybe_undefined
from autograph.runtime.ir.undefined import UndefinedValue
from autograph.runtime.ops import pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.runtime.symbolic.trace_mode import key_of
from autograph.staging.attributes import IS_BOUND
from autograph.staging.generators import Generated, all_of

Fn = Callable[..., Any]
State = tuple[Any, ...]


class Resumed(Generated):
    """A generator as a function that goes on with it.

    go_on     takes what is sent, and what is thrown; returns whether there is a value, and the
              value or what the generator returns.
    cell      its variable that says where it stopped.
    ended_at  what that holds at the end.
    within    what it may hold within a `try`.
    closes    True if `go_on` closes it where what is thrown is `...`.
    """

    kind = GeneratorType
    by_items = is_stateless = False

    def __init__(self, go_on: Any, state: str = "", ended: int = 0, within: tuple[int, ...] = (),
                 closes: bool = False) -> None:
        self.go_on, self.ended_at, self.within, self.closes = go_on, ended, within, closes
        self.cell: Any = state and go_on.__closure__[go_on.__code__.co_freevars.index(state)]
        super().__init__((), go_on)
        here = trace.current_region()
        assert here is not None
        here.trace.resumed.append(self)

    def __ag_references__(self) -> tuple[Any, ...]:
        return (self.go_on,)

    def end(self) -> None:
        """Notes that it is at its end."""
        self.cell.cell_contents = self.ended_at

    def loop(self, body: Fn, state: State, test: Fn | None = None) -> State:
        """Stage `for value in self: state = body(value, *state)`, as long as `test(*state)`."""
        def goes_on(more: Any, *now: Any) -> Any:
            return more if test is None else and_(more, lambda: test(*now))

        def turn(_: Any, *now: Any) -> State:
            more, value = self.go_on(None, None)
            now = cond(more, lambda *now: body(value, *now), all_of, *now)
            return more, *now

        turn.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names
        _, *after = while_loop(goes_on, turn, (True, *state))
        if test is None:
            self.end()  # the run knows no other end
        return tuple(after)

    def next(self, *default: Any) -> Any:
        """Stage `next(self, *default)`."""
        return self._value(None, None, *default)

    def _value(self, sent: Any, error: Any, *default: Any) -> Any:
        more, value = self.go_on(sent, error)
        return cond(more, lambda: value, lambda: default[0] if default else _end(value))

    def __next__(self) -> Any:
        """Gives Python the next item.

        Raises:
          TracingError: only the run knows if there is one.
        """
        more, value = self.go_on(None, None)
        if isinstance(more, Tensor):
            if is_structural(sys._getframe(1)):
                trace.want_one("is unpacked with a star, and known only when the graph runs")
            raise TracingError(
                "Python reads a generator, and only the run knows if it has another item"
                f"{at(user_location())}\n  hint: read it in a `for` loop, or with next()")
        if more:
            return value
        raise StopIteration(value)

    def send(self, value: Any) -> Any:
        return self._value(value, None)

    def throw(self, *error: Any) -> Any:
        raised = error[-1] if isinstance(error[-1], BaseException) else error[0]
        return self._value(None, raised() if isinstance(raised, type) else raised)

    def close(self) -> None:
        if self.closes:
            self.go_on(None, ...)
        else:
            self.refuse_suspended()
        self.end()

    def refuse_suspended(self) -> None:
        """Refuses to leave it within a `try`, whose end Python would run.

        Raises:
          TracingError: it may be there.
        """
        stopped = self.cell.cell_contents
        if self.within and (isinstance(stopped, Tensor) or stopped in self.within):
            raise TracingError(
                "a generator is left within its `try` or `with`, and only the run knows if, or how "
                f"far it was read{at(user_location())}\n"
                "  hint: read it to its end, or call its close()")

    def _in_python(self) -> Iterator[Any]:
        yield from self


def _end(value: Any) -> NoReturn:
    """Raises what tells that a generator has ended, with what it returns."""
    if isinstance(value, Tensor):
        raise_value(apply(pure(StopIteration), value))
    raise StopIteration(value)


class Read(Resumed):
    """`iter(x)` of a sequence of which only the run knows the length, as such a function."""

    kind: Any = type(iter([]))

    def __init__(self, x: Any) -> None:
        self.stopped = TracedState(0)
        self.sequence = x
        super().__init__(self._next)

    def __ag_references__(self) -> tuple[Any, ...]:
        return self.stopped, self.sequence

    def _next(self, sent: Any, error: Any) -> tuple[Any, Any]:
        position = self.stopped.values
        found, item = item_or_end(self.sequence, position)
        self.stopped.values = cond(found, lambda: position + 1, lambda: AT_END)
        return found, item

    def refuse_suspended(self) -> None:
        """It has no `try`."""

    def end(self) -> None:
        self.stopped.values = AT_END


class Together(Resumed):
    """`zip` of what is read item by item, in turns."""

    kind: Any = zip

    def __init__(self, iterables: tuple[Any, ...]) -> None:
        self.readers = [Read(x) if is_sequence(x) else BUILTIN_REPLACEMENTS["iter"](x)
                        for x in iterables]
        super().__init__(self._next)

    def __ag_references__(self) -> tuple[Any, ...]:
        return tuple(self.readers)

    def _next(self, sent: Any, error: Any) -> tuple[Any, Any]:
        found, *items = self._taken(0)
        return found, tuple(items)

    def _taken(self, number: int) -> tuple[Any, ...]:
        """Returns whether the readers from a number on have items, and these."""
        left = len(self.readers) - number
        if not left:
            return (True,)
        marks = tuple(UndefinedValue("item") for _ in range(left))
        found, item = item_or_end(self.readers[number], None)

        def others() -> tuple[Any, ...]:
            more, *items = self._taken(number + 1)
            return more, item, *items

        return cond(found, others, lambda: (False, *marks))  # type: ignore[no-any-return]

    def refuse_suspended(self) -> None:
        """It has no `try`."""

    def end(self) -> None:
        """Notes nothing: its readers know where they stand."""


AT_END = 1 << 62
"""Where an iterator stands after its end, also if its list grows."""

SEQUENCE_ITERATORS = key_of(Read._next.__code__)
"""Stands for the iterators of sequences among the generators that are read on."""


def is_sequence(x: Any) -> bool:
    """Returns True for what gives its items one after the other by their index, as its iterator
    does: a list that a loop changes shows it."""
    if isinstance(x, Tensor):
        t = x.type
        return (isinstance(t, ArrayType) and bool(t.shape)) or (
            isinstance(t, PyType) and t.cls in SEQUENCES)
    return type(x) in (*SEQUENCES, StagedList)


def to_read(iterable: Any) -> Any:
    """Returns a sequence as it is; else an iterator."""
    return iterable if is_sequence(iterable) else BUILTIN_REPLACEMENTS["iter"](iterable)


def item_or_end(source: Any, position: Any) -> tuple[Any, Any]:
    """Returns True and the next item of what `to_read` made, or False and a mark; either may be
    symbolic."""
    mark, source = UndefinedValue("item"), bound(source)
    if is_sequence(source):
        found = position < BUILTIN_REPLACEMENTS["len"](source)
        return found, cond(found, lambda: getitem(source, position), lambda: mark)
    item = BUILTIN_REPLACEMENTS["next"](source, mark)
    if item is mark:
        return False, None
    if type(item) is SelectedObject:
        return item.each(lambda one: one is not mark), item
    if isinstance(item, Tensor) and is_maybe_undefined(item._handle.value.type):
        return Tensor(record(IS_BOUND, (item.read(),), {})[0]), item
    return True, item
