"""Threads that a function starts while it is traced: they are refused.

A thread that is started knows nothing of the trace: a symbolic value is refused there, and whoever
waits for the thread would wait for ever. So the start is what is refused, in the thread that traces
and on its line; where a class of a library starts the thread, the graph makes the object. Code
that runs as it is, as under `ag.do_not_convert`, starts what it likes.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from autograph.runtime.ir.call_frames import is_for_converted
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.symbolic.source_locations import location_outside_library
from autograph.runtime.symbolic.trace import tracing

STARTERS = ("_start_new_thread", "_start_joinable_thread")
"""The functions by which `threading` starts a thread, in one version of Python or another."""


OWN = ("autograph", "compiles for machine code")
"""How the names of our own threads begin, which compute for a graph and see no symbolic value."""


def watch_starts() -> None:
    """From here on, a thread that traces a function cannot start another one."""
    for name in STARTERS:
        if (start := getattr(threading, name, None)) is not None:
            setattr(threading, name, _refused_in_traces(start))


def _refused_in_traces(start: Callable[..., Any]) -> Callable[..., Any]:
    def start_thread(*args: Any, **kwargs: Any) -> Any:
        if tracing() and not _is_ours(*args) and is_for_converted(sys._getframe(1)):
            raise TracingError(
                "a thread is started while the function is traced, and knows nothing of symbolic "
                f"values{at(location_outside_library())}\n"
                "  hint: start threads outside the function, or in one under ag.py_function")
        return start(*args, **kwargs)

    return start_thread


def _is_ours(run: Any, *args: Any) -> bool:
    return str(getattr(getattr(run, "__self__", None), "name", "")).startswith(OWN)
