"""Looking on while the reference interpreter runs a graph, equation by equation."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autograph.runtime.ir.graph import Equation, Value


class Watcher:
    """Is told of every equation, in order; a subclass does something with it.

    `env` holds what the values of the graph, and of the graphs around it, are at the moment.
    """

    def before(self, equation: Equation, env: dict[Value, Any]) -> None:
        """An equation is about to run."""

    def after(self, equation: Equation, results: Sequence[Any], env: dict[Value, Any]) -> None:
        """It has run, and gave one result for each output."""

    def round(self, equation: Equation, iteration: int) -> None:
        """A loop begins a round, or the test of one, counted from 0."""


class _Watching(threading.local):
    watcher: Watcher | None = None


_watching = _Watching()


def current() -> Watcher | None:
    """The watcher of this thread, if there is one."""
    return _watching.watcher


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Have a watcher look on at what this thread interprets meanwhile."""
    outer, _watching.watcher = _watching.watcher, watcher
    try:
        yield
    finally:
        _watching.watcher = outer
