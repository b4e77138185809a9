"""Debuggers and coverage, which follow the lines that run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MONITORING: Any = getattr(sys, "monitoring", None)
"""Python's interface for such tools, from 3.12 on."""


def is_watched() -> bool:
    """Returns True if a debugger or the like follows the lines that run.

    Generated code keeps its own lines then: a debugger must not stop in it on the user's lines,
    since its variables are others.
    """
    return sys.gettrace() is not None or any(
        tool in (MONITORING.DEBUGGER_ID, MONITORING.COVERAGE_ID) for tool in _tools())


@contextmanager
def unwatched() -> Iterator[None]:
    """Hides from all such tools what runs inside, which is nothing of the user's."""
    tracer, events = sys.gettrace(), {tool: MONITORING.get_events(tool) for tool in _tools()}
    try:
        _watch(None, dict.fromkeys(events, 0))
        yield
    finally:
        _watch(tracer, events)


def _watch(tracer: Any, events: dict[int, int]) -> None:
    if sys.gettrace() is not tracer:
        sys.settrace(tracer)
    for tool, wanted in events.items():
        MONITORING.set_events(tool, wanted)


def _tools() -> list[int]:
    """Returns the tools that watch by Python's interface."""
    if MONITORING is None:
        return []
    return [tool for tool in range(6) if MONITORING.get_tool(tool) is not None]
