"""Finds in which iteration of its loops a graph failed: generated code doesn't count them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.runtime.interpret import interpreter
from autograph.runtime.interpret.watchers import Watcher, watching
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.regions import is_call, is_loop

MAX_SECONDS = 0.2
"""Seconds that the search may take."""


class TooLong(BaseException):
    """The search takes too long."""


class Deadline(Watcher):
    """Ends a run after MAX_SECONDS."""

    def __init__(self) -> None:
        self.end = time.perf_counter() + MAX_SECONDS

    def iteration(self, equation: Equation, number: int) -> None:
        if time.perf_counter() > self.end:
            raise TooLong


def may_be_searched(graph: Graph) -> bool:
    """Returns True if a graph has loops, and a second run has no effects that could be noticed."""
    equations = list(graph.walk())
    return any(map(is_loop, equations)) and all(
        e.op.effect in ("", "raise") and not is_call(e) for e in equations)


def failing_iterations(graph: Graph, inputs: Sequence[Any]) -> list[str]:
    """Returns the notes that say in which iterations a graph raises, by interpreting it again.

    Returns no notes if it takes too long.

    Args:
      graph: a graph that `may_be_searched`.
      inputs: what it was given.
    """
    try:
        errors = np.geterr().items()  # warnings have been given by the first run
        silent: dict[str, Any] = {kind: "ignore" for kind, how in errors if how == "warn"}
        with watching(Deadline()), np.errstate(**silent):
            interpreter.run(graph, *inputs)
    except (Exception, TooLong) as error:
        return [n for n in getattr(error, "__notes__", ()) if n.startswith("in iteration ")]
    return []
