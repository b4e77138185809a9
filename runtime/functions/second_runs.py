"""Second runs: a function runs as plain Python because its graph raised, and calls itself there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograph.runtime.control_flow.recursion import staged
from autograph.runtime.symbolic import trace


@dataclass(eq=False)
class PlainFunction:
    """Runs the function that a trace was made of, where its graph cannot be used.

    call   calls the function on its arguments by name.
    plain  gives the form of the function that runs; None: the function itself. In another trace
           the function is a part of that.
    undo   undoes what the trace did, while the call runs that it was made for; else None.
    """

    function: Callable[..., Any]
    call: Callable[[Callable[..., Any], Any], Any]
    plain: Callable[[], Callable[..., Any]] | None = None
    undo: Callable[[], None] | None = None

    def __call__(self, nest: Any) -> Any:
        if trace.tracing():
            return self.call(staged(self.function), nest)
        begin_again(self)
        return self.call(self.function if self.plain is None else self.plain(), nest)


def begin_again(plain: Callable[[Any], Any]) -> None:
    """Undoes what a trace did: the call that it was made for runs the function itself."""
    if isinstance(plain, PlainFunction) and plain.undo is not None:
        undo, plain.undo = plain.undo, None
        undo()


def keep_trace(plain: Callable[[Any], Any]) -> None:
    """Notes that what a trace did stays: the call that it was made for is over."""
    if isinstance(plain, PlainFunction):
        plain.undo = None


class _Running(threading.local):
    """The functions, by identity, that this thread runs a second time."""

    def __init__(self) -> None:
        self.functions: set[int] = set()


_running = _Running()


def runs_again(function: Any) -> bool:
    """Returns True while a function runs a second time in this thread: calls of it are plain, too.

    Without this an endless recursion would try its graph again at each level.
    """
    return bool(_running.functions) and id(function) in _running.functions


def second_run(function: Any, run: Callable[[], Any]) -> Any:
    """Returns what `run` does, while the function is marked as running a second time."""
    key = id(function)
    _running.functions.add(key)
    try:
        return run()
    finally:
        _running.functions.discard(key)
