"""Finds where two runs part: the values of variables line by line, the results of equations one by
one."""

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
"""So many values of variables are looked at."""

PATIENCE = 10.0
"""Seconds that an interpreted graph has, and a hundred times what the plain function took."""


class DoesNotEnd(Exception):
    """A graph still runs when the plain function has long been done."""


class Patient(Watcher):
    """Ends loops that go on for too long.

    Raises:
      DoesNotEnd: at the first round after `seconds`.
    """

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
    """A variable was given a value on a line; `equation` made it, in a graph."""

    line: Line
    name: str
    value: Any
    equation: Equation | None = None
    operands: tuple[Any, ...] = ()


def kept(x: Any) -> Any:
    """A value as it is now."""
    return x.copy() if isinstance(x, np.ndarray) else copy.copy(x)


def names_of(e: Equation) -> tuple[str, ...]:
    """The user's variables that an equation without regions changes."""
    if e.location is None or e.regions:
        return ()
    if e.op.inplace:
        hints = [v.hint for v in (*e.inputs[:1], *e.outputs) if v.hint]
        return tuple(hints[:1])
    names = assigned(e.location)
    return names if len(names) == len(e.outputs) else ()


def variables_of(graph: Graph) -> dict[Line, set[str]]:
    """The variables that equations of a graph change, by line; not those that one line changes at
    several places."""
    spans: dict[tuple[Line, str], set[Location]] = defaultdict(set)
    for e in graph.walk():
        for name in names_of(e):
            spans[line_of(e), name].add(e.location)  # type: ignore[arg-type]  # it has names
    found: dict[Line, set[str]] = defaultdict(set)
    for (line, name), places in spans.items():
        if len(places) == 1:
            found[line].add(name)
    return found


def line_of(e: Equation) -> Line:
    """The user's line of an equation that has one."""
    assert e.location is not None
    return e.location.filename, e.location.line


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


class EquationWatcher(Patient):
    """Looks on while a graph is interpreted, and notes the variables that equations assign."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seen: list[Seen] = []

    def after(self, equation: Equation, results: Sequence[Any], env: dict[Value, Any]) -> None:
        names = names_of(equation)
        if not names or len(self.seen) >= MAX_SEEN:
            return
        operands = tuple(kept(env[v]) for v in equation.inputs)
        for name, result in zip(names, results, strict=True):
            self.seen.append(Seen(line_of(equation), name, kept(result), equation, operands))


class ValueWatcher(Patient):
    """Looks on while a graph is interpreted, and notes what equations give, each in its order.

    With `expected`, what another run gave, it notes the first equation that gives something else
    for a value of both graphs.
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
            given.append(kept(result))
            others = () if self.expected is None else self.expected.given.get(value, ())
            if len(given) <= len(others) and not same(others[len(given) - 1], result, self.rtol):
                self.found = Different(equation, tuple(kept(env[v]) for v in equation.inputs),
                                       others[len(given) - 1], result)
                return


@dataclass(frozen=True)
class Different:
    """An equation that gave `got`, for operands, where `wanted` was to be expected."""

    equation: Equation
    operands: tuple[Any, ...]
    wanted: Any
    got: Any

    def told(self, wanted: str, got: str) -> str:
        """The place and the equation; the words say who is who."""
        place = self.equation.location
        where = f"  first at {place}: " if place is not None else "  first: "
        caret = [place.caret()] if place is not None and place.caret() else []
        return "\n".join([f"{where}{wanted} {shown(self.wanted)}, {got} {shown(self.got)}", *caret,
                          equation_text(self.equation, self.operands)])


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


class KernelWatcher(Patient):
    """Runs every equation a second time, as generated code, on the same operands."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.found: Different | None = None
        self.operands: tuple[Any, ...] = ()

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
                self.found = Different(equation, self.operands, x, y)
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
