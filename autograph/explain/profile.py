"""Measures the time per line: the reference interpreter runs the graph with a clock."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from autograph.explain.notes import line_of
from autograph.explain.shown import Line
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.interpret.run_program import interpret
from autograph.runtime.interpret.watchers import Watcher, watching
from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.program import Program

HARMLESS = frozenset({"", "raise", "read", "store"})
"""Effects of equations that may run once more: nothing outside shows it."""

MAX_RUNS, ENOUGH, SLOW, VERY_SLOW = 5, 0.1, 1.0, 10.0
"""The most runs of a graph, the seconds after which it is not run again, and those after which a
first run is enough, of the interpreter and of the generated code: the first finds sources and loads
modules, too, and a later one may compile."""

T = TypeVar("T")


class Clock(Watcher):
    """Adds up by line how often equations run, and the seconds of those without regions.

    The cost of a loop or a branch beside its regions is the interpreter's own, and not counted.
    """

    def __init__(self) -> None:
        self.seconds: Counter[Line] = Counter()
        self.runs: Counter[Line] = Counter()
        self.began = 0.0
        self.run_seconds = 0.0

    def before(self, equation: Equation, env: dict[Value, Any]) -> None:
        self.began = time.perf_counter()

    def after(self, equation: Equation, results: Sequence[Any], env: dict[Value, Any]) -> None:
        spent = time.perf_counter() - self.began
        if (line := line_of(equation.location)) is not None:
            if not equation.regions:
                self.seconds[line] += spent  # type: ignore[assignment]
            self.runs[line] += 1

    def total(self) -> float:
        """Returns the sum of all seconds."""
        return sum(self.seconds.values())


def is_harmless(concrete: ConcreteFunction) -> bool:
    """Returns True if another run, on copies of the arguments, has no effect on anything else."""
    program = concrete.program
    return not (program.refill or program.locations) and all(
        e.op.effect in HARMLESS for e in program.graph.walk())


def _on_copies(concrete: ConcreteFunction) -> Program:
    """Returns the program with copies of the arrays that it captures: stores go to those."""
    captures = {value: x.copy() if isinstance(x, np.ndarray) else x
                for value, x in concrete.graph.captures.items()}
    return replace(concrete.program, graph=replace(concrete.graph, captures=captures))


def profile(concrete: ConcreteFunction, leaves: Sequence[Any]) -> Clock | None:
    """Returns the clock of a run on copies of the arrays; None if the graph has other effects.

    A quick graph runs several times, as the interpreter and as code: the quickest runs count.
    """
    if not is_harmless(concrete):
        return None
    best = _quickest(lambda: _clocked(concrete, leaves), Clock.total, SLOW)
    best.run_seconds = _quickest(lambda: _run_seconds(concrete, leaves), float, VERY_SLOW)
    return best


def _quickest(measure: Callable[[], T], seconds: Callable[[T], float], slow: float) -> T:
    """Returns the quickest of some runs: one if it is slow, else several. The slowest does not
    count as one of them: it loaded modules, or compiled."""
    runs = [measure()]
    while len(runs) <= MAX_RUNS and seconds(runs[0]) < slow and _all_but_one(
            map(seconds, runs)) < ENOUGH:
        runs.append(measure())
    return min(runs, key=seconds)


def _all_but_one(times: Iterable[float]) -> float:
    """Returns the sum of all times but the longest.

    >>> _all_but_one([1.0, 20.0, 2.0])
    3.0
    """
    return sum(sorted(times)[:-1])


def _run_seconds(concrete: ConcreteFunction, leaves: Sequence[Any]) -> float:
    """Returns the seconds that the code of the trace takes, on copies; 0 if it raises."""
    if concrete.graph.captures:  # it may store into them
        return 0.0
    copies = _copies(leaves)
    began = time.perf_counter()
    with suppress(Exception):
        concrete.run(*copies)
        return time.perf_counter() - began
    return 0.0


def _copies(leaves: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(x.copy() if hasattr(x, "copy") and hasattr(x, "dtype") else x for x in leaves)


def _clocked(concrete: ConcreteFunction, leaves: Sequence[Any]) -> Clock:
    clock = Clock()
    with watching(clock), suppress(Exception):  # the user's own; the times up to it count
        interpret(_on_copies(concrete), _copies(leaves))
    return clock
