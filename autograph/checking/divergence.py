"""Finds where two runs part: the values of variables line by line, the results of equations one by
one."""

from __future__ import annotations

import copy
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from autograph.checking.compare import same, shown
from autograph.runtime.execute.emit import emit
from autograph.runtime.execute.program import Program
from autograph.runtime.execute.watching import Watcher, watching
from autograph.runtime.graph import Equation, Graph, Location, Value
from autograph.runtime.text import Printer

Line = tuple[str, int]
MAX_SEEN = 100_000
"""So many values of variables are looked at."""


@dataclass(frozen=True)
class Seen:
    """A variable was given a value on a line; `equation` made it, in a graph."""

    line: Line
    name: str
    value: Any
    equation: Equation | None = None
    operands: tuple[Any, ...] = ()


def kept(x: Any) -> Any:
    """A value as it is now."""
    return x.copy() if isinstance(x, np.ndarray) else copy.copy(x)


def variables_of(graph: Graph) -> dict[Line, set[str]]:
    """The variables that plain equations of a graph assign, by line."""
    found: dict[Line, set[str]] = defaultdict(set)
    for e in graph.walk():
        if e.location is not None and not e.regions:
            found[e.location.filename, e.location.line].update(e.location.targets)
    return found


class LineWatcher:
    """Looks on while Python runs, and notes what the variables of some lines are afterwards."""

    def __init__(self, wanted: dict[Line, set[str]]) -> None:
        self.wanted = wanted
        self.files = {filename for filename, _ in wanted}
        self.last: dict[int, Line] = {}
        self.seen: list[Seen] = []

    def watch(self, run: Callable[[], Any]) -> Any:
        outer = sys.gettrace()
        sys.settrace(self.call)
        try:
            return run()
        finally:
            sys.settrace(outer)

    def call(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self.line if frame.f_code.co_filename in self.files else None

    def line(self, frame: FrameType, event: str, arg: Any) -> Any:
        done = self.last.pop(id(frame), None)
        if done is not None and event in ("line", "return") and len(self.seen) < MAX_SEEN:
            self.seen += [Seen(done, name, kept(frame.f_locals[name]))
                          for name in sorted(self.wanted.get(done, ())) if name in frame.f_locals]
        if event == "line":
            self.last[id(frame)] = frame.f_code.co_filename, frame.f_lineno
        return self.line


class EquationWatcher(Watcher):
    """Looks on while a graph is interpreted, and notes the variables that equations assign."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []

    def watch(self, run: Callable[[], Any]) -> Any:
        with watching(self):
            return run()

    def after(self, equation: Equation, results: Sequence[Any], env: dict[Value, Any]) -> None:
        place = equation.location
        if place is None or equation.regions or len(self.seen) >= MAX_SEEN:
            return
        names = place.targets
        operands = tuple(kept(env[v]) for v in equation.inputs)
        for value, result in zip(equation.outputs, results, strict=True):
            if value.hint and value.hint in names:
                self.seen.append(Seen((place.filename, place.line), value.hint, kept(result),
                                      equation, operands))


def first(expected: Sequence[Seen], got: Sequence[Seen], rtol: float) -> str:
    """The first value of the second run that is another one in the first; empty if there is none.

    A variable's values on a line are compared one after the other, in the order of both runs.
    """
    right: dict[tuple[Line, str], list[Any]] = defaultdict(list)
    for seen in expected:
        right[seen.line, seen.name].append(seen.value)
    counts: Counter[tuple[Line, str]] = Counter()
    for seen in got:
        key = seen.line, seen.name
        number = counts[key]
        counts[key] += 1
        if number < len(right[key]) and not same(right[key][number], seen.value, rtol):
            return _told(seen, right[key][number], number)
    return ""


def _told(seen: Seen, wanted: Any, number: int) -> str:
    filename, line = seen.line
    place = seen.equation.location if seen.equation is not None else None
    often = f", the {_ordinal(number + 1)} time" if number else ""
    lines = [f"  first at {filename}:{line}{often}: {seen.name} is {shown(wanted)}, "
             f"and {shown(seen.value)} here"]
    if seen.equation is not None:
        lines.append(equation_text(seen.equation, seen.operands))
    return "\n".join(lines[:1] + ([place.caret()] if place is not None else []) + lines[1:])


def _ordinal(n: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(n % 10 if n // 10 % 10 != 1 else 0, "th")
    return f"{n}{ending}"


def equation_text(e: Equation, operands: Sequence[Any]) -> str:
    """The equation, and what its operands held."""
    graph = Graph("equation", tuple(dict.fromkeys(e.inputs)), [e])
    printer = Printer(graph)
    made = ", ".join(map(printer.binder, e.outputs))
    values = ", ".join(f"{printer.names[v]} = {shown(x)}"
                       for v, x in dict(zip(e.inputs, operands, strict=True)).items())
    return f"  equation: {made} = {printer.call(e)}" + (f"\n  with {values}" if values else "")


class KernelWatcher(Watcher):
    """Runs every equation a second time, as generated code, on the same operands."""

    def __init__(self) -> None:
        self.found: tuple[Equation, tuple[Any, ...], Any, Any] | None = None
        self.operands: tuple[Any, ...] = ()

    def watch(self, run: Callable[[], Any]) -> Any:
        with watching(self):
            return run()

    def before(self, equation: Equation, env: dict[Value, Any]) -> None:
        if self.found is None and not equation.regions:
            self.operands = tuple(kept(env[v]) for v in equation.inputs)

    def after(self, equation: Equation, results: Sequence[Any], env: dict[Value, Any]) -> None:
        if self.found is not None or equation.regions or equation.op.effect:
            return
        with np.errstate(all="ignore"):
            again = generated(equation, self.operands)
        for x, y in zip(results, again, strict=True):
            if type(x) is not type(y) or not same(x, y):
                self.found = equation, self.operands, x, y
                return


def generated(equation: Equation, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The results of one equation as generated code has them."""
    alone = equation.copy()
    inputs = tuple(dict.fromkeys(equation.inputs))
    values = dict(zip(equation.inputs, operands, strict=True))
    graph = Graph("one", inputs, [alone], equation.outputs)
    run = emit(Program(graph, equation.outputs), "one").load()
    results: tuple[Any, ...] = run(*[kept(values[v]) for v in inputs])
    return results


def by_kernel(watcher: KernelWatcher, rtol: float) -> str:
    """The first equation that the interpreter and generated code compute differently."""
    if watcher.found is None:
        return ""
    equation, operands, interpreted, emitted = watcher.found
    place: Location | None = equation.location
    where = f"  first at {place}: " if place is not None else "  first: "
    caret = [place.caret()] if place is not None and place.caret() else []
    return "\n".join([f"{where}interpreted {shown(interpreted)}, generated {shown(emitted)}", *caret,
                      equation_text(equation, operands)])
