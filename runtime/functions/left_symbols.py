"""Symbolic values that are left when a trace ends: nothing of it may live on but its graph.

Every symbolic value refers to the region that made it, and every region to the root of its attempt.
So if the root still lives when the trace is forgotten, something holds a symbolic value, wherever
that is and however it got there: an attribute that C code set, a variable of a generator, a queue.
Python counts the references, so this costs nothing where nothing is left. What is left is refused
if the search for what holds it finds a place: not for a plain list or dict that C code alone holds.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from types import FrameType, FunctionType, MethodType
from typing import Any
from weakref import ref

from autograph.runtime.functions.reference_counts import is_held_outside
from autograph.runtime.functions.referrers import (
    Path,
    ended_calls,
    is_of_debugger,
    name_of,
    referring_path,
    variables_of_callers,
)
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.graph import Graph, equations_in, graphs_in
from autograph.runtime.ir.location import Location
from autograph.runtime.symbolic.aliasing import Handle
from autograph.runtime.symbolic.region import Region

Attempt = ref[Region]
"""Refers to the root region of an attempt to trace a function."""


def refuse_symbols_left(attempts: Sequence[Attempt], graph: Graph, named: Sequence[tuple[str, Any]]
                        ) -> None:
    """Refuses a trace of which a symbolic value lives on outside its graph.

    named: objects of the arguments, and what they are called.

    Raises:
      TracingError: it names the location, and the line that made the value.
    """
    if not any(attempt() for attempt in attempts) or isinstance(
            sys.gettrace(), (FunctionType, MethodType)):  # a debugger keeps what it shows
        return
    gc.collect(0)  # what the trace made is young, as the collector waits meanwhile
    for attempt in attempts:
        if not is_held_outside(attempt, graph):
            continue
        path = _path_from_outside(attempt, [*named, *variables_of_callers()])
        if path:
            raise TracingError(
                f"{name_of(path, named)} holds a symbolic value when the trace of the function "
                f"ends: no trace can follow the way it was stored{at(_made_at(path[-1], graph))}\n"
                "  hint: store it by an assignment or a method of a container, or in a function "
                "that is called with ag.py_function")


def _path_from_outside(attempt: Attempt, named: Sequence[tuple[str, Any]]) -> Path:
    """Returns a path to a symbolic value of an attempt from what outlives it; empty if there is
    none, or a debugger's. Variables of calls that have ended, which an exception refers to, are
    forgotten."""
    path: Path = []
    forgotten: list[FrameType] = []
    while (root := attempt()) is not None:
        path.clear()  # it would be found as well
        symbols = [x for x in gc.get_referrers(root) if isinstance(x, Handle)]
        path += referring_path(symbols, (id(x) for _, x in named))
        if any(map(is_of_debugger, path)):
            return []
        ended = [frame for frame in ended_calls(path) if frame not in forgotten]
        if not ended:
            return path
        for frame in ended:
            frame.clear()
        forgotten += ended
        del root, symbols, frame, ended
    return []


def _made_at(handle: Handle, graph: Graph) -> Location | None:
    """Returns the line that made what a handle stands for; None for an argument."""
    return next((e.location for g in graphs_in(graph) for e in equations_in(g)
                 if handle.value in e.outputs), None)
