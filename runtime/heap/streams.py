"""Streams in memory: those from outside that the graph writes to, and those of the function, which
are objects of the graph if what is written to them is known only when it runs."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

from autograph.own_attributes import held
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.hidden_state import is_used_by_run
from autograph.runtime.heap.new_objects import is_young
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ops import opaque
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply

STREAMS = (io.StringIO, io.BytesIO)
"""Streams in memory."""


def made_by_run(stream: Any) -> Tensor:
    """Returns a new stream, an object of the graph, that holds what a new stream holds."""
    text, *newline = stream.__getstate__()[:-2]  # what follows: the position, the attributes
    made: Tensor = apply("construct", type(stream), text, *newline)
    return made


def refuse_stream(x: Any, why: str = "is written to with values that only the run knows"
                  ) -> NoReturn:
    """Refuses to write what only the run knows to a stream that was made while tracing; asks for a
    trace in which that stream, or any that a writer may hold, is an object of the graph."""
    here = trace.current_region()
    if here is not None:
        made: list[Any] = [
            s for s, _ in here.trace.allocations.made.values() if isinstance(s, STREAMS)]
        for stream in [x] if isinstance(x, STREAMS) else made or [None]:
            here.trace.want(stream, why)
    raise TracingError(
        f"a {type(x).__name__} {why}{at(user_location())}\n"
        "  hint: collect the texts in a list and join them, or pass the stream as an argument")


def refuse_unknown(stream: Any) -> None:
    """Refuses a stream that is older than the trace and that no variable which it sees leads to, as
    `sys.stdout` while it is redirected: what is written to it would not be seen, and another call
    may find another one there.

    Raises:
      TracingError: it is such a stream.
    """
    if not (trace.from_outside(stream) or is_young(stream)):
        raise TracingError(
            f"a {type(stream).__name__} that no variable leads to, as to a redirected sys.stdout, "
            f"is written to where the run decides{at(user_location())}\n"
            "  hint: use print, or pass the stream as an argument", about_state=True)


def stream_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of a method of a stream in memory, or of one of its writers."""
    stream = held(function, "__self__")

    @wraps(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        symbolic = any(isinstance(x, (Tensor, StagedList)) for x in all_leaves([args, kwargs]))
        if trace.tracing() and is_used_by_run(stream, symbolic):
            return apply(opaque(function), *args, **kwargs)
        here = trace.current_region()
        if here is not None and (
                symbolic or here.parent is not None or trace.effects_at_run_time()):
            refuse_unknown(stream)
        if symbolic and here is not None:
            refuse_stream(stream)
        if function.__name__ == "close" and here is not None and here.parent is not None and (
                not is_young(stream, here)):
            refuse_stream(stream, "is closed where the graph decides if")
        return function(*args, **kwargs)

    return replacement
