"""Symbolic values that are left when a trace ends: nothing of it may live on but its graph.

Every symbolic value refers to the region that made it, and every region to the root of its attempt.
So if the root still lives when the trace is forgotten, something holds a symbolic value, wherever
that is and however it got there: an attribute that C code set, a variable of a generator, a queue.
Python counts the references, so this costs nothing where nothing is left. Where something is, the
references tell if the graph alone holds it, or else what does.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence, Set
from contextvars import copy_context
from types import FrameType, FunctionType, MethodType
from typing import Any
from weakref import ref

from autograph.runtime.functions.paths_to_symbols import (
    Path,
    kept_by_libraries,
    name_of,
    path_to,
    scopes_of_program,
    variables_of_callers,
)
from autograph.runtime.functions.reference_counts import Young
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.graph import Graph, equations_in, graphs_in
from autograph.runtime.ir.location import Location
from autograph.runtime.symbolic.aliasing import Handle
from autograph.runtime.symbolic.region import Region

Attempt = ref[Region]
"""Refers to the root region of an attempt to trace a function."""


def refuse_symbols_left(function: Any, attempts: Sequence[Attempt], graph: Graph,
                        named: Sequence[tuple[str, Any]], failed_methods: bool) -> None:
    """Refuses a trace of which a symbolic value lives on outside its graph.

    named: objects of the arguments, and what they are called.
    failed_methods: True if NumPy may keep the arguments of a ufunc's method that raised.

    Raises:
      TracingError: it names the location, and the line that made the value.
    """
    if not any(attempt() for attempt in attempts) or isinstance(
            sys.gettrace(), (FunctionType, MethodType)):  # a debugger keeps what it shows
        return
    gc.collect(0)  # what the trace made is young, as the collector waits meanwhile
    if not any(attempt() for attempt in attempts):
        return  # cycles held it
    young = Young(attempts)
    young.forget_variables()
    held = young.held()
    if failed_methods:
        held = [x for x in held if not _is_kept_by_numpy(x, (young.objects, held))]
    if not held:
        return
    symbols = {id(x) for x in young.objects if isinstance(x, Handle)}
    path = _path_to(symbols, held, function, named)
    raise TracingError(
        f"{name_of(path, named)} holds a symbolic value when the trace of the function "
        f"ends: no trace can follow the way it was stored{at(_made_at(path[-1], graph))}\n"
        "  hint: store it by an assignment or a method of a container, or in a function "
        "that is called with ag.py_function")


def _is_kept_by_numpy(x: Any, own: tuple[list[Any], ...]) -> bool:
    """Returns True for a tuple to which nothing refers that Python knows of, but this search."""
    return type(x) is tuple and not any(
        r.f_code.co_filename != __file__ if isinstance(r, FrameType) else
        all(r is not found for found in own) for r in gc.get_referrers(x))


def _path_to(symbols: Set[int], held: list[Any], function: Any, named: Sequence[tuple[str, Any]]
             ) -> Path:
    """Returns a path from what outlives a trace to a symbolic value, of which the ids are given.

    If none is found nearby, it begins at one of the objects that are held.
    """
    program = [*(x for _, x in (*named, *variables_of_callers())), function, copy_context(),
               *scopes_of_program()]
    for roots in (program, kept_by_libraries(), held):
        if path := path_to(symbols, roots):
            return path
    return held[:1]


def _made_at(handle: Any, graph: Graph) -> Location | None:
    """Returns the line that made what a handle stands for; None for an argument."""
    return next((e.location for g in graphs_in(graph) for e in equations_in(g)
                 if isinstance(handle, Handle) and handle.value in e.outputs), None)
