"""Watchers: what the reference interpreter calls before and after each equation."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autograph.runtime.ir.graph import Equation, Value


class Watcher:
    """Is called for every equation, in order; a subclass overrides what it needs.

    `env` maps the values of the graph, and of the graphs around it, to what they hold now.
    """

    def before(self, equation: Equation, env: dict[Value, Any]) -> None:
        """Called when an equation is about to run."""

    def after(self, equation: Equation, results: Sequence[Any], env: dict[Value, Any]) -> None:
        """Called when an equation has run; `results` has one item for each output."""

    def iteration(self, equation: Equation, number: int) -> None:
        """Called when a loop begins an iteration, or the test of one; counted from 0."""


class _Watching(threading.local):
    watcher: Watcher | None = None


_watching = _Watching()


def current() -> Watcher | None:
    """Returns the watcher of this thread, if there is one."""
    return _watching.watcher


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Calls a watcher for all that this thread interprets in the `with` block."""
    outer, _watching.watcher = _watching.watcher, watcher
    try:
        yield
    finally:
        _watching.watcher = outer
