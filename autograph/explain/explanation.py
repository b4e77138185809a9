"""`f.explain()`: what became of a function, as an object that prints itself as text or page."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.explain.notes import notes_of
from autograph.explain.profile import profile
from autograph.explain.report import Capture, Report, TraceReport
from autograph.explain.shown import Shown, functions_of
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.signatures.function_type import call_text
from autograph.syntax.verbosity import many
from autograph.traceback_filter import hiding_frames

if TYPE_CHECKING:
    from autograph.function.inspection import Asked


@dataclass(frozen=True)
class Explanation(Report):
    """The report of `f.explain()`: what became of each line of a function.

    `str()` is a text for a terminal, `html()` a self-contained page; notebooks show the page.
    """

    def __str__(self) -> str:
        from autograph.explain.text import to_text

        return to_text(self)

    def __repr__(self) -> str:
        return f"<Explanation of {self.name}: {many(len(self.traces), 'trace')}; print shows it>"

    def html(self) -> str:
        """Returns the page, one HTML file that needs nothing else."""
        from autograph.explain.page import page

        return page(self)

    @hiding_frames
    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html())

    def _repr_html_(self) -> str:
        from autograph.explain.page import frame

        return frame(self.html())


def explain(asked: Asked) -> Explanation:
    """Explains a function's traces; with arguments, the trace for them, with the time per line.

    Raises:
      ConversionError: the function has no source, or it cannot be converted.
    """
    times: dict[ConcreteFunction, Any] = {}
    if asked.is_call:
        concrete, bound = asked.call()
        values = [leaf.value for leaf in bound.leaves]
        concretes = [concrete]
        if all(isinstance(x, (np.ndarray, np.generic, int, float, complex)) for x in values):
            times[concrete] = profile(concrete, values) or "it has effects"
    else:
        concretes = asked.traces()
    dispatcher = asked.dispatcher
    functions = functions_of(dispatcher.python_function, [c.graph for c in concretes])
    return Explanation(dispatcher.name, functions, tuple(
        _report(c, functions, times.get(c)) for c in concretes))


def _report(concrete: ConcreteFunction, functions: tuple[Shown, ...], clock: Any) -> TraceReport:
    graph = concrete.graph
    captures = tuple(Capture(value.hint or "an array", str(value.type), nbytes_of(array),
                             _first_use(graph, value))
                     for value, array in graph.captures.items())
    timed = clock is not None and not isinstance(clock, str)
    return TraceReport(
        call_text(concrete.bound), concrete.reason,
        Counter(e.op.name for e in graph.walk()), captures, graph, concrete.source,
        notes_of(concrete, functions), dict(clock.seconds) if timed else {},
        dict(clock.runs) if timed else {},
        clock.run_seconds if timed else 0.0, clock if isinstance(clock, str) else "",
        concrete.execution.how)


def _first_use(graph: Graph, value: Value) -> str:
    for e in graph.walk():
        if value in e.inputs and e.location is not None:
            return f", used at {os.path.basename(e.location.filename)}:{e.location.line}"
    return ""


def nbytes_of(thing: Any) -> int:
    """Returns the size in bytes of a captured array, or of a captured variable's array."""
    held = thing if hasattr(thing, "nbytes") else getattr(thing, "value", None)
    return int(getattr(held, "nbytes", 0))
