"""Finds where two runs diverge: by variables line by line, or by results equation by equation."""

from __future__ import annotations

import copy
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from autograph.checking.compare import same, shown
from autograph.runtime.codegen.emit import emit
from autograph.runtime.interpret.watchers import Watcher, watching
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.printer import Printer
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.user_source import assigned

Line = tuple[str, int]
MAX_SEEN = 100_000
"""The most values of variables that are compared."""

MAX_SECONDS = 10.0
"""The most seconds of an interpreted graph, beside a hundred times those of the plain function."""


class DoesNotEnd(Exception):
    """A graph still runs long after the plain function returned."""


class Deadline(Watcher):
    """Raises DoesNotEnd at the first iteration of a loop after `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = time.perf_counter() + seconds

    def watch(self, run: Callable[[], Any]) -> Any:
        with watching(self):
            return run()

    def iteration(self, equation: Equation, number: int) -> None:
        if time.perf_counter() > self.end:
            raise DoesNotEnd(f"still running after {self.seconds:.3g} seconds")


@dataclass(frozen=True)
class Seen:
    """A value that a variable got on a line; in a graph, `equation` computed it."""

    line: Line
    name: str
    value: Any
    equation: Equation | None = None
    operands: tuple[Any, ...] = ()


def copy_of(x: Any) -> Any:
    """Returns a shallow copy of a value, as it is now."""
    return x.copy() if isinstance(x, np.ndarray) else copy.copy(x)


def names_of(e: Equation) -> tuple[str, ...]:
    """Returns the user's variables that an equation without regions changes."""
    if e.location is None or e.regions:
        return ()
    if e.op.inplace:
        hints = [v.hint for v in (*e.inputs[:1], *e.outputs) if v.hint]
        return tuple(hints[:1])
    names = assigned(e.location)
    return names if len(names) == len(e.outputs) else ()


def variables_of(graph: Graph) -> dict[Line, set[str]]:
    """Returns the variables that equations of a graph change, by line, without those that one
    line changes several times."""
    spans: dict[tuple[Line, str], set[Location]] = defaultdict(set)
    for e in graph.walk():
        for name in names_of(e):
            spans[line_of(e), name].add(e.location)  # type: ignore[arg-type]  # it has names
    found: dict[Line, set[str]] = defaultdict(set)
    for (line, name), locations in spans.items():
        if len(locations) == 1:
            found[line].add(name)
    return found


def line_of(e: Equation) -> Line:
    """Returns the user's line of an equation that has one."""
    assert e.location is not None
    return e.location.filename, e.location.line


class LineWatcher:
    """Traces Python code, and notes the variables of some lines after each of them."""

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
            self.seen += [Seen(done, name, copy_of(frame.f_locals[name]))
                          for name in sorted(self.wanted.get(done, ())) if name in frame.f_locals]
        if event == "line":
            self.last[id(frame)] = frame.f_code.co_filename, frame.f_lineno
        return self.line


class EquationWatcher(Deadline):
    """Notes the variables that equations assign while a graph is interpreted."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seen: list[Seen] = []

    def after(self, equation: Equation, results: Sequence[Any], env: dict[Value, Any]) -> None:
        names = names_of(equation)
        if not names or len(self.seen) >= MAX_SEEN:
            return
        operands = tuple(copy_of(env[v]) for v in equation.inputs)
        for name, result in zip(names, results, strict=True):
            self.seen.append(Seen(line_of(equation), name, copy_of(result), equation, operands))


class ValueWatcher(Deadline):
    """Notes the results of equations while a graph is interpreted.

    With `expected`, the watcher of another run, it finds the first equation that gives another
    result for a value of both graphs.
    """

    def __init__(self, seconds: float, expected: ValueWatcher | None = None, rtol: float = 0.0
                 ) -> None:
        super().__init__(seconds)
        self.expected, self.rtol = expected, rtol
        self.given: dict[Value, list[Any]] = defaultdict(list)
        self.count = 0
        self.found: Different | None = None

    def after(self, equation: Equation, results: Sequence[Any], env: dict[Value, Any]) -> None:
        if self.found is not None or equation.regions or self.count >= MAX_SEEN:
            return
        self.count += 1
        for value, result in zip(equation.outputs, results, strict=True):
            given = self.given[value]
            given.append(copy_of(result))
            others = () if self.expected is None else self.expected.given.get(value, ())
            if len(given) <= len(others) and not same(others[len(given) - 1], result, self.rtol):
                self.found = Different(equation, tuple(copy_of(env[v]) for v in equation.inputs),
                                       others[len(given) - 1], result)
                return


@dataclass(frozen=True)
class Different:
    """An equation that gave `got` for these operands, where `wanted` was expected."""

    equation: Equation
    operands: tuple[Any, ...]
    wanted: Any
    got: Any

    def text(self, wanted: str, got: str) -> str:
        """Returns the location and the equation; `wanted` and `got` name the two runs."""
        location = self.equation.location
        where = f"  first at {location}: " if location is not None else "  first: "
        caret = [location.caret()] if location is not None and location.caret() else []
        return "\n".join([f"{where}{wanted} {shown(self.wanted)}, {got} {shown(self.got)}", *caret,
                          equation_text(self.equation, self.operands)])


def first(expected: Sequence[Seen], got: Sequence[Seen], rtol: float) -> str:
    """Describes the first value of the second run that the first run has otherwise, or returns "".

    The values of a variable on a line are compared in the order of the runs.
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
            return _text(seen, right[key][number], number)
    return ""


def _text(seen: Seen, wanted: Any, number: int) -> str:
    filename, line = seen.line
    location = seen.equation.location if seen.equation is not None else None
    often = f", the {_ordinal(number + 1)} time" if number else ""
    lines = [f"  first at {filename}:{line}{often}: {seen.name} is {shown(wanted)}, "
             f"and {shown(seen.value)} here"]
    if seen.equation is not None:
        lines.append(equation_text(seen.equation, seen.operands))
    return "\n".join(lines[:1] + ([location.caret()] if location is not None else []) + lines[1:])


def _ordinal(n: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(n % 10 if n // 10 % 10 != 1 else 0, "th")
    return f"{n}{ending}"


def equation_text(e: Equation, operands: Sequence[Any]) -> str:
    """Returns the text of an equation, with the values of its operands."""
    graph = Graph("equation", tuple(dict.fromkeys(e.inputs)), [e])
    printer = Printer(graph)
    made = ", ".join(map(printer.binder, e.outputs))
    values = ", ".join(f"{printer.names[v]} = {shown(x)}"
                       for v, x in dict(zip(e.inputs, operands, strict=True)).items())
    return f"  equation: {made} = {printer.call(e)}" + (f"\n  with {values}" if values else "")


class KernelWatcher(Deadline):
    """Runs every equation a second time, as generated code, on the same operands."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.found: Different | None = None
        self.operands: tuple[Any, ...] = ()

    def before(self, equation: Equation, env: dict[Value, Any]) -> None:
        if self.found is None and not equation.regions:
            self.operands = tuple(copy_of(env[v]) for v in equation.inputs)

    def after(self, equation: Equation, results: Sequence[Any], env: dict[Value, Any]) -> None:
        if self.found is not None or equation.regions or equation.op.effect:
            return
        with np.errstate(all="ignore"):
            again = generated(equation, self.operands)
        for x, y in zip(results, again, strict=True):
            if type(x) is not type(y) or not same(x, y):
                self.found = Different(equation, self.operands, x, y)
                return


def generated(equation: Equation, operands: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the results of one equation, run as generated code."""
    alone = equation.copy()
    inputs = tuple(dict.fromkeys(equation.inputs))
    values = dict(zip(equation.inputs, operands, strict=True))
    graph = Graph("one", inputs, [alone], equation.outputs)
    run = emit(Program(graph, equation.outputs), "one").load()
    results: tuple[Any, ...] = run(*[copy_of(values[v]) for v in inputs])
    return results
