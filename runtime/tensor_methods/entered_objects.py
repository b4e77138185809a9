"""Objects of the run, such as files, that a `with` statement enters while a function is traced: the
run enters and leaves them.

If the run raises in between, the function runs again as plain Python, as a `with` statement may
handle the exception. A graph alone leaves the object as it is: a file is closed with the frame that
held it.
"""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.errors import GraphError, TracingError, at, is_about_tensors
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
