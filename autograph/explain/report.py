"""The data of an explanation: a function's lines, its traces, their captures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from autograph.explain.notes import Note
from autograph.explain.shown import Line, Shown
from autograph.runtime.ir.graph import Graph

NO_TRACE = "no trace yet: call it, or give arguments: explain(x), or --args on the command line"


@dataclass(frozen=True)
class Capture:
    """An array from outside the function in the graph; `used` says where it is used first."""

    name: str
    type: str
    nbytes: int
    used: str = ""


@dataclass(frozen=True)
class TraceReport:
    """One trace of the function.

    signature  its arguments' types.     reason   the reason of the trace.
    ops        how often each op occurs, regions included.
    executor   what runs the graph, in words.
    captures   the arrays from outside in it.
    graph      its graph.                source   the Python that runs it.
    notes      for each line, what became of it.
    seconds, runs  by line, if the interpreter ran the graph.
    run_seconds    of a run as calls do it, if it was measured.
    """

    signature: str
    reason: str
    ops: Counter[str]
    captures: tuple[Capture, ...]
    graph: Graph
    source: str
    notes: dict[Line, list[Note]] = field(default_factory=dict)
    seconds: dict[Line, float] = field(default_factory=dict)
    runs: dict[Line, int] = field(default_factory=dict)
    run_seconds: float = 0.0
    profiled: str = ""
    executor: str = ""

    def share(self, line: Line) -> float:
        """Returns the part of the time that a line took, from 0 to 1."""
        total = sum(self.seconds.values())
        return self.seconds.get(line, 0.0) / total if total else 0.0


@dataclass(frozen=True)
class Report:
    """The parts of an explanation.

    functions  the user's functions that took part, the explained one first.
    traces     the traces, the newest last.
    """

    name: str
    functions: tuple[Shown, ...]
    traces: tuple[TraceReport, ...]
