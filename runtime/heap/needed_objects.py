"""Containers that have to be objects of the graph: refuses what needs one, and asks for it."""

from __future__ import annotations

from typing import Any, NoReturn

from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.ir.errors import SymbolicValueError, at
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location


def need_object(container: Any, why: str) -> NoReturn:
    """Refuse an operation that needs a container as an object of the graph, and ask for another
    trace that holds it so.

    container: the container; None if the trace does not know which one it is.

    Raises:
      SymbolicValueError: always.
    """
    here = trace.current_region()
    if here is not None:
        here.trace.want(container, why)
    kind = "a container" if container is None else f"a {class_of(container).__name__}"
    raise SymbolicValueError(
        f"{kind} {why}{at(user_location())}\n"
        "  hint: make the container in the function, or pass it as an argument")


def class_of(container: Any) -> type:
    return list if type(container) is StagedList else type(container)
