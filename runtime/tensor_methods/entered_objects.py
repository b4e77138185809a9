"""Objects of the run, such as files, that a `with` statement enters while a function is traced: the
run enters and leaves them.

If the run raises in between, the function runs again as plain Python, as a `with` statement may
handle the exception. A graph alone leaves the object as it is: a file is closed with the frame that
held it.
"""

from __future__ import annotations

from contextlib import ExitStack, closing, nullcontext
from typing import Any

from autograph.libraries import is_library
from autograph.runtime.heap.objects import build
from autograph.runtime.ir.errors import GraphError, TracingError, at, is_about_tensors
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.interruptions import interrupts
from autograph.runtime.ir.trace_signals import TraceSignal
from autograph.runtime.ops import opaque
from autograph.runtime.symbolic.source_locations import user_location


def enter(x: Any) -> Any:
    """Enters an object."""
    return type(x).__enter__(x)


def leave(x: Any) -> None:
    """Leaves it, at the end of a block that has not raised."""
    type(x).__exit__(x, None, None, None)


def refuse_built(graph: Graph) -> None:
    """Refuses to enter an object of a library's class that the trace made an object of the graph:
    where the program prints, and what else the process has, changes while tracing.

    Raises:
      TracingError: the graph enters one.
    """
    made = {v: e.args[0] for e in graph.walk() if e.op.kernel is build for v in e.outputs}
    for e in graph.walk() if made else ():
        cls = made.get(e.args[0]) if e.op is ENTER else None
        if cls is not None and is_library(cls.__module__) and cls not in OF_OBJECTS:
            raise TracingError(
                f"a `with` statement enters an object of class {cls.__name__!r} that is known only "
                f"when the graph runs{at(e.location)}\n  hint: enter it outside the function",
                about_state=True)


OF_OBJECTS = (ExitStack, closing, nullcontext)
"""Library's classes that only call the methods of other objects."""


def refuse_exception(error: BaseException) -> None:
    """Refuses an exception of the program's in such a block that is raised while the function is
    traced: what the object makes of it only the run would know.

    Raises:
      TracingError: it is one, and none that ends the trace.
    """
    if isinstance(error, (TracingError, GraphError, TraceSignal)) or is_about_tensors(error) or (
            interrupts(error)):
        return
    raise TracingError(
        f"a {type(error).__name__} is raised in a `with` statement that enters an object which is "
        f"known only when the graph runs{at(user_location())}\n"
        "  hint: enter it outside the function", about_state=True) from error


ENTER, LEAVE = opaque(enter), opaque(leave)
