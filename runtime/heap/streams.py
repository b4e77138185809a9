"""Streams in memory: what the graph writes to those from outside; others hold constants only."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ops import opaque
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply

STREAMS = (io.StringIO, io.BytesIO)
"""Streams in memory."""


def refuse_stream(x: Any) -> NoReturn:
    """Refuses to write what only the run knows to a stream that was made while tracing."""
    raise TracingError(
        f"a {type(x).__name__} is written to with values that are known only when the graph runs"
        f"{at(user_location())}\n"
        "  hint: collect the texts in a list and join them, or pass the stream as an argument")


def is_used_by_run(stream: Any, symbolic: bool) -> bool:
    """Returns True for a stream from outside that the graph has to use: it is an argument, values
    of the run are written, a branch or loop uses it, or the graph used it before."""
    here = trace.current_region()
    if here is None or not trace.from_outside(stream):
        return False
    if (symbolic or here.parent is not None or here.trace.mode.effects_at_run_time
            or id(stream) in here.trace.given):
        here.trace.read_by_run.add(id(stream))
    return id(stream) in here.trace.read_by_run


def stream_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of a method of a stream in memory, or of a `csv.writer`."""
    stream = getattr(function, "__self__", None)

    @wraps(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        symbolic = any(isinstance(x, (Tensor, StagedList)) for x in flatten([args, kwargs]))
        if trace.tracing() and is_used_by_run(stream, symbolic):
            return apply(opaque(function), *args, **kwargs)
        if symbolic and trace.tracing():
            refuse_stream(stream)
        return function(*args, **kwargs)

    return replacement
