"""Where the time of a first call goes: each stage by itself, without the stages inside it."""

import builtins
import gc
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from autograph.analysis import analyses
from autograph.conversion import driver
from autograph.function import dispatcher, tracer
from autograph.passes import pipeline
from autograph.runtime import optimize
from autograph.runtime.functions import attempt, execution, trace_function
from autograph.runtime.lower import lowering

REST = "the rest"
COLLECTOR = "Python's collector of cycles"

STAGES: tuple[tuple[str, Any, str], ...] = (
    ("Python's own compile", builtins, "compile"),
    ("find the source", driver, "find"),
    ("take inventory of the tree", driver, "inventory_of"),
    ("resolve names", driver, "context_of"),
    ("passes: check, copy", pipeline, "run"),
    ("analyse state", analyses, "state_of"),
    ("analyse scopes", analyses, "scope_of"),
    ("load the converted code", driver, "load"),
    ("convert: the rest", tracer, "converted"),
    ("trace: run the function", attempt, "_outcome"),
    ("trace: before and after", trace_function, "attempt"),
    ("optimise: copy, check", trace_function, "finish_program"),
    ("plan writes in place", lowering, "plan_inplace"),
    ("emit", execution, "emit"),
    ("load the emitted code", execution.Execution, "_load"),
    ("bind the call, keep the trace", dispatcher.Dispatcher, "find_or_make"),
)
"""Each stage, and the function that does it: the owner of the name by which it is called."""


class Clock:
    """Seconds of the processor by stage; a stage inside another stops the other's clock."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self.calls: dict[str, int] = {}
        self.running = [REST]
        self.since = time.thread_time()

    def enter(self, stage: str) -> None:
        """From here on the time is this stage's."""
        self._book()
        self.running.append(stage)
        self.calls[stage] = self.calls.get(stage, 0) + 1

    def leave(self) -> None:
        """From here on it is that of the stage around."""
        self._book()
        self.running.pop()

    def collecting(self, phase: str, info: dict[str, int]) -> None:
        """Called by the collector when it starts and when it stops."""
        if phase == "start":
            self.enter(COLLECTOR)
        else:
            self.leave()

    def _book(self) -> None:
        now, stage = time.thread_time(), self.running[-1]
        self.spent[stage] = self.spent.get(stage, 0.0) + now - self.since
        self.since = now

    def around(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, as a stage."""
        def timed(*args: Any, **kwargs: Any) -> Any:
            self.enter(stage)
            try:
                return function(*args, **kwargs)
            finally:
                self.leave()

        return timed


@contextmanager
def watched(clock: Clock) -> Iterator[None]:
    """Makes every stage of the compiler book its time for the length of a `with` block."""
    attributes = [(owner, name, clock.around(stage, getattr(owner, name)))
              for stage, owner, name in STAGES]
    for module, kind in ((pipeline, "pass"), (optimize, "optimiser")):
        passes = [replace(p, run=clock.around(f"{kind}: {p.name}", p.run)) for p in module.PASSES]
        attributes.append((module, "PASSES", tuple(passes)))
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in attributes]
    for owner, name, made in attributes:
        setattr(owner, name, made)
    gc.callbacks.append(clock.collecting)
    try:
        yield
    finally:
        gc.callbacks.remove(clock.collecting)
        for owner, name, made in before:
            setattr(owner, name, made)


def split(work: list[Callable[[], object]]) -> dict[str, tuple[float, float]]:
    """For each stage the median seconds and the mean number of calls in a piece of work."""
    clocks = []
    for each in work:
        clock = Clock()
        with watched(clock):
            clock.since = time.thread_time()
            each()
            clock.enter(REST)
        clocks.append(clock)
    return {stage: (statistics.median(clock.spent.get(stage, 0.0) for clock in clocks),
                    statistics.mean(clock.calls.get(stage, 0) for clock in clocks))
            for stage in dict.fromkeys(stage for clock in clocks for stage in clock.spent)}


def table(splits: dict[str, dict[str, tuple[float, float]]], least: float = 5e-5) -> str:
    """Milliseconds and calls of each stage in each piece of work, the longest stages first; those
    that nowhere take as long as `least` together."""
    stages = dict.fromkeys(stage for found in splits.values() for stage in found)
    times = {stage: [found.get(stage, (0.0, 0.0)) for found in splits.values()]
             for stage in stages}
    shown = [s for s in times if max(seconds for seconds, _ in times[s]) >= least]
    shown.sort(key=lambda stage: -sum(seconds for seconds, _ in times[stage]))
    short = [[times[s][k][0] for s in stages if s not in shown] for k in range(len(splits))]
    rows = [f"{'ms (calls)':<38}" + "".join(f"{name:>14}" for name in splits)]
    rows += [f"{stage:<38}" + "".join(f"{1e3 * seconds:>9.2f} ({calls:2.0f})"
                                      for seconds, calls in times[stage]) for stage in shown]
    rows.append(f"{'all shorter stages':<38}" + "".join(
        f"{1e3 * sum(seconds):>9.2f}     " for seconds in short))
    return "\n".join(rows)
