"""Generators that wait within a `try` or `with`: Python runs the end of it where nothing refers to
them any more."""

from __future__ import annotations

import gc
import inspect
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from opcode import opname
from types import CodeType, FrameType, GeneratorType
from typing import Any

from autograph.locks import new_lock
from autograph.runtime.heap.iterators import read_through
from autograph.runtime.heap.young_objects import young_objects
from autograph.runtime.ir.code_answers import by_code
from autograph.runtime.ir.errors import GraphError, TracingError, at
from autograph.runtime.ir.exception_tables import entries
from autograph.runtime.ir.trace_signals import Retrace
from autograph.runtime.symbolic.source_locations import location_of
from autograph.runtime.symbolic.trace import Trace, current_region

OF_PYTHON = ("CALL_INTRINSIC_1", "CLEANUP_THROW")
"""The first instructions of the handlers that Python puts into every generator."""


def refuse_suspended(run: Trace, first: int | None = None) -> None:
    """Refuses generators that wait within a block of theirs where only the run knows if they do:
    those that the trace has made from a number on; None: those of which it is still asked.

    Raises:
      TracingError: there is one.
    """
    for made in run.resumed if first is None else ():
        made.refuse_suspended()
    _end_dropped(run, first or 0)
    found = (x for cursor in run.cursors.values() if cursor.generators and not cursor.outer
             for x in read_through(cursor.iterator)) if first is None else alive(run, first)
    for x in found:
        if is_suspended(x):
            frame = x.gi_frame
            location = location_of(frame.f_code, frame.f_lasti, frame.f_globals)
            raise TracingError(
                f"the generator {x.__qualname__}() is left within its `try` or `with`, and only "
                f"the run knows if, or how far it was read{at(location)}\n"
                "  hint: read it to its end, or call its close()")


def _end_dropped(run: Trace, first: int) -> None:
    """Ends the generators that only frames of calls that have ended refer to: an exception that the
    trace keeps has these, and plain Python would have forgotten them."""
    waiting = {id(x) for x in alive(run, first) if is_suspended(x)}
    if waiting:
        waiting.update(id(x) for x in list(run.all_cursors.values())
                       if not waiting.isdisjoint(map(id, read_through(x.iterator))))
    frames = [x for x in (young_objects() if waiting else ()) if type(x) is FrameType
              and not waiting.isdisjoint(map(id, gc.get_referents(x)))]
    for frame in frames:
        if not frame.f_code.co_flags & inspect.CO_GENERATOR:
            with suppress(RuntimeError):  # it runs
                frame.clear()


def is_suspended(x: Any) -> bool:
    """Returns True for a generator that waits within a `try` or `with`."""
    frame = x.gi_frame if isinstance(x, GeneratorType) else None
    return frame is not None and is_in_block(frame.f_code, frame.f_lasti)


def alive(run: Trace, first: int = 0) -> list[Any]:
    """Returns the generators that a trace has made, from a number on, and that are still used."""
    return [found for x in run.generators[first:] if (found := x()) is not None]


def is_in_block(code: CodeType, instruction: int) -> bool:
    """Returns True if an instruction is within a `try` or `with`."""
    return any(start <= instruction < end for start, end in blocks(code))


@by_code
def blocks(code: CodeType) -> list[tuple[int, int]]:
    """Returns where the `try` and `with` blocks of a code object begin and end."""
    return [(start, end) for start, end, target in entries(code)
            if opname[code.co_code[target]] not in OF_PYTHON]


def note_generator(x: Any) -> None:
    """Tells the trace of this thread, if there is one, of what a generator function gave.

    An exception of the run that leaves a loop over a generator with a block ends that block, as it
    runs a handler: the call is then run again as plain Python (see `handled`).
    """
    if isinstance(x, GeneratorType) and (here := current_region()) is not None:
        here.trace.generators.append(weakref.ref(x))
        here.trace.handled = here.trace.handled or bool(blocks(x.gi_code))


class _Ignored(threading.local):
    """For each attempt of this thread that is under way: what Python ignored of what blocks that it
    ended ask for or refuse."""

    def __init__(self) -> None:
        self.attempts: list[list[BaseException]] = []


class _Hook:
    """The hook for exceptions that Python ignores, while any thread makes a trace."""

    def __init__(self) -> None:
        self.lock = new_lock()
        self.attempts = 0
        self.outer: Callable[[Any], Any] = sys.unraisablehook

    def __enter__(self) -> None:
        with self.lock:
            if not self.attempts:
                self.outer, sys.unraisablehook = sys.unraisablehook, self.keep
            self.attempts += 1

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.attempts -= 1
            if not self.attempts:
                sys.unraisablehook = self.outer

    def keep(self, info: Any) -> None:
        """Keeps what an attempt of this thread is to raise; the rest is for the hook before."""
        if _ignored.attempts and isinstance(info.exc_value, (Retrace, TracingError, GraphError)):
            _ignored.attempts[-1].append(info.exc_value)
        else:
            self.outer(info)


_ignored, _hook = _Ignored(), _Hook()


@contextmanager
def generators_end(run: Trace) -> Iterator[None]:
    """Closes the generators that an attempt made, if it is abandoned: their blocks end before what
    it changed is undone. What a block that Python ended asks for or refuses is raised: Python
    ignores it."""
    ignored: list[BaseException] = []
    _ignored.attempts.append(ignored)
    try:
        with _hook:
            yield
        if ignored:
            raise ignored[0]
    except BaseException:
        for generator in alive(run):
            with suppress(Exception, Retrace):
                generator.close()
        raise
    finally:
        _ignored.attempts.pop()
