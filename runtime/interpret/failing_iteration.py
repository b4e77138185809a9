"""Finds out, after a failure, in which rounds of its loops a graph fails: generated code does not
count them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from autograph.runtime.interpret import interpreter
from autograph.runtime.interpret.watchers import Watcher, watching
from autograph.runtime.ir.graph import Equation, Graph

PATIENCE = 0.2
"""Seconds that the search may take."""


class TooLong(BaseException):
    """The search takes too long."""


class Clock(Watcher):
    """Ends a run after PATIENCE."""

    def __init__(self) -> None:
        self.end = time.perf_counter() + PATIENCE

    def round(self, equation: Equation, iteration: int) -> None:
        if time.perf_counter() > self.end:
            raise TooLong


def rounds_of_failure(graph: Graph, inputs: Sequence[Any]) -> list[str]:
    """The notes that say in which rounds a graph raises: it is interpreted once more.

    Nothing if it has no loop, if running it twice could be noticed, or if it takes too long.
    """
    equations = list(graph.walk())
    if not any(e.op.name in ("while", "for") for e in equations) or any(
            e.op.effect not in ("", "raise") or e.op.name == "call" for e in equations):
        return []
    try:
        with watching(Clock()):
            interpreter.run(graph, *inputs)
    except (Exception, TooLong) as error:
        return [n for n in getattr(error, "__notes__", ()) if n.startswith("in iteration ")]
    return []
