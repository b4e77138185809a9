"""Notes on the lines of a traced function, from its graph and from its source."""

from __future__ import annotations

import ast
import linecache
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograph.compiled_again import parsed
from autograph.explain.shown import Line, Shown, without_margin
from autograph.libraries import is_closed_module
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.change_log import Change, Shot
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.printer import show
from autograph.runtime.ir.regions import Loop, as_loop, is_branch
from autograph.runtime.lower import unboxing
from autograph.runtime.lower.fusion_groups import fusion_groups
from autograph.runtime.lower.in_place import plan_inplace
from autograph.runtime.lower.plan import Plan
from autograph.runtime.ops import OPS
from autograph.runtime.ops.python import appends
from autograph.syntax.verbosity import many

KINDS = ("graph", "loop", "branch", "unrolled", "in place", "copied", "opaque", "numbers", "fused",
         "folded", "pruned", "optimised", "decision", "python")
"""The kinds of notes, in the order in which the notes of a line are shown."""


@dataclass(frozen=True, order=True)
class Note:
    """One fact about what became of a line; `kind` is one of KINDS."""

    kind: str
    text: str


def line_of(location: Location | None) -> Line | None:
    """Returns the line of a location."""
    return None if location is None else (location.filename, location.line)


def notes_of(concrete: ConcreteFunction, functions: tuple[Shown, ...]) -> dict[Line, list[Note]]:
    """Returns the notes of every line of the functions, in the order of KINDS."""
    found: dict[Line, list[Note]] = defaultdict(list)
    for maker in (_nodes, _regions, _unrolled, _updates, _opaque, _fused, _changes, _decisions):
        for line, note in maker(concrete):
            if line is not None and note not in found[line]:
                found[line].append(note)
    names = frozenset(shown.name.rpartition(".")[2] for shown in functions)
    for shown in functions:
        noted = {line for line, notes in found.items() if notes}
        for number, note in _python(shown, noted, names):
            found[shown.filename, number].append(note)
    return {line: sorted(notes, key=lambda n: KINDS.index(n.kind))
            for line, notes in found.items() if notes}


def counted(counts: Counter[str]) -> str:
    """Returns names with their counts: `add, multiply x 3`."""
    return ", ".join(name if n == 1 else f"{name} x {n}" for name, n in counts.most_common())


Found = Iterator[tuple[Line | None, Note]]


def _nodes(concrete: ConcreteFunction) -> Found:
    """Yields the ops of the equations of each line."""
    ops: dict[Line, Counter[str]] = defaultdict(Counter)
    for e in concrete.graph.walk():
        if (line := line_of(e.location)) is not None and not e.regions:
            ops[line][e.op.name] += 1
    for line, counts in ops.items():
        yield line, Note("graph", f"{many(counts.total(), 'node')}: {counted(counts)}")


def _regions(concrete: ConcreteFunction) -> Found:
    """Yields loops and branches that are one node, and calls of other graphs."""
    for e in concrete.graph.walk():
        if (loop := as_loop(e)) is not None:
            yield line_of(e.location), Note("loop", _loop_text(loop))
            if unboxing.is_scalar_loop(e):
                yield line_of(e.location), Note(
                    "numbers", "runs on Python numbers while they are exact")
        elif is_branch(e):
            yield line_of(e.location), Note("branch", "a branch in the graph: one `cond` node")
        elif e.callee is not None:
            yield line_of(e.location), Note("graph", f"a call of the graph {e.callee.name}")


def _loop_text(loop: Loop) -> str:
    length = loop.constant_length
    iterations = "" if length is None else f", {length} iterations"
    state = ", ".join(v.hint or inner.hint or "a value" for v, inner in zip(
        loop.results, loop.carried, strict=True)) or "nothing"
    return f"a loop in the graph: one `{loop.kind}` node{iterations}; it carries {state}"


def _unrolled(concrete: ConcreteFunction) -> Found:
    """Yields lines of which one instruction is several times in one graph or region."""
    for graph in _graph_and_regions(concrete.graph):
        times = Counter((e.location, e.op.name) for e in graph.equations if e.location is not None)
        most: dict[Line | None, int] = defaultdict(int)
        for (location, _), count in times.items():
            line = line_of(location)
            most[line] = max(most[line], count)
        for line, count in most.items():
            if count > 1:
                yield line, Note("unrolled", f"traced {count} times: unrolled, or called so often")


def _graph_and_regions(graph: Graph) -> Iterator[Graph]:
    yield graph
    for e in graph.walk():
        yield from e.regions


def plan_of(concrete: ConcreteFunction) -> Plan:
    """Returns the plan of what the executor does in place."""
    program = concrete.program
    own = dict(() if program.handled else program.write_back)
    return plan_inplace(program.graph, own)


def _updates(concrete: ConcreteFunction) -> Found:
    """Yields updates of arrays and lists: in their memory, or in a copy."""
    plan = plan_of(concrete)
    for e in concrete.graph.walk():
        if e.op.effect == "store":
            name = next((v.hint for v in e.inputs[:1] if v.hint), "the array")
            yield line_of(e.location), Note("in place", f"writes {name} itself")
    for e in concrete.graph.walk():
        if e.op.inplace or appends(e):
            name = next((v.hint for v in (*e.inputs[:1], *e.outputs) if v.hint), "the array")
            yield line_of(e.location), (
                Note("in place", f"writes {name} in place") if e in plan.inplace else
                Note("copied", f"copies {name} first: its old value is needed, or is the caller's"))
        for index in [i for loop, i in plan.copied if loop is e]:
            name = e.outputs[index].hint or "an array"
            yield line_of(e.location), Note("copied", f"copies {name} before its first iteration")


def _opaque(concrete: ConcreteFunction) -> Found:
    """Yields opaque calls and effects."""
    words = {"call": "calls Python when the graph runs", "print": "prints when the graph runs",
             "random": "draws random numbers when the graph runs",
             "write": "writes a variable when the graph runs",
             "raise": "may raise when the graph runs"}
    for e in concrete.graph.walk():
        if e.op.effect in ("", "call") and e.op.name not in OPS and "." in e.op.name:
            way_out = (": its library is closed, and ag.trace_into opens it"
                       if is_closed_module(e.op.name) else "")
            yield line_of(e.location), Note("opaque", f"opaque call of {e.op.name}{way_out}")
        elif e.op.effect in words:
            yield line_of(e.location), Note("opaque", words[e.op.effect])


def _fused(concrete: ConcreteFunction) -> Found:
    """Yields fusion groups: equations that run together, tile by tile."""
    if concrete.program.by_reference:
        return
    for graph in _graph_and_regions(concrete.graph):
        for run in fusion_groups(graph):
            lines = [line for e in run if (line := line_of(e.location)) is not None]
            numbers = ", ".join(map(str, sorted({number for _, number in lines})))
            for line in dict.fromkeys(lines):
                yield line, Note("fused", f"one pass over large arrays, {len(run)} nodes of "
                                          f"line{'s' * (',' in numbers)} {numbers}")


def _changes(concrete: ConcreteFunction) -> Found:
    """Yields what the optimiser did, and the file and line of the rule or pass that did it."""
    for change in concrete.changes:
        kind, text = _change(change)
        yield line_of(change.location), Note(kind, f"{text} [{_rule_line(change)}]")


def _change(change: Change) -> tuple[str, str]:
    """Returns the kind of a change, and the change in words."""
    if change.name == "constant folding":
        return "folded", f"folded: {change.before} is {_shown(change.after)}"
    if change.name.startswith("dead code"):
        return "pruned", f"pruned: nothing uses {change.before}"
    words = f"; {change.after}" if isinstance(change.after, str) else (
        f" became {_shown(change.after)}")
    return "optimised", f"{change.name}: {change.before}{words}"


def _shown(after: Any) -> str:
    """Returns the text of a replacement: equations, a value, or a constant."""
    if isinstance(after, Value):
        return after.hint or "another value"
    if isinstance(after, tuple) and all(isinstance(x, Shot) for x in after):
        return "; ".join(map(str, after)) or "nothing"
    return show(after)


def _rule_line(change: Change) -> str:
    """Returns `optimize/file.py:line` of a rule or pass."""
    filename, _, line = change.rule_location.rpartition(":")
    return f"optimize/{os.path.basename(filename)}:{line}"


def _decisions(concrete: ConcreteFunction) -> Found:
    """Yields what the tracer decided, and why."""
    for decision in concrete.program.decisions:
        kind = "unrolled" if decision.kind == "unrolled" else "decision"
        yield line_of(decision.location), Note(kind, f"{decision.kind}: {decision.reason}")


# -- lines that left nothing in the graph ---------------------------------------------------------

SILENT = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass, ast.Global, ast.Nonlocal,
          ast.Break, ast.Continue, ast.Import, ast.ImportFrom)
UNCONVERTED = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Try,
               ast.TryStar)


def _python(shown: Shown, noted: set[Line], names: frozenset[str]) -> Iterator[tuple[int, Note]]:
    """Yields statements that ran as Python while the function was traced, if they ran."""
    unconverted = _unconverted_statements(shown)
    statements = list(_statements(shown))
    direct = [s for node in statements if isinstance(node, ast.FunctionDef) for s in node.body]
    for node in statements:
        if isinstance(node, (*UNCONVERTED, ast.Match)) and node.lineno in unconverted:
            yield node.lineno, Note("python", unconverted[node.lineno])
        elif (shown.filename, node.lineno) in noted or isinstance(node, SILENT) or _is_doc(node):
            continue
        elif isinstance(node, ast.Return):
            yield node.lineno, Note("python", "gives the result back" if node in direct else
                                    "gives the result back, or not reached")
        elif isinstance(node, (ast.While, ast.For)):
            yield node.lineno, Note("python", "unrolled: nothing symbolic says how often it runs")
        elif isinstance(node, ast.If):
            yield node.lineno, Note("python", "decided while tracing: no symbolic value is tested")
        elif called := _calls(node) & names:
            yield node.lineno, Note("python", f"traced into {', '.join(sorted(called))}")
        else:
            yield node.lineno, Note("python", "done while tracing, or not reached")


def _calls(node: ast.stmt) -> set[str]:
    """Returns the last parts of the names that a statement calls."""
    calls = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
    return {getattr(f, "attr", getattr(f, "id", "")) for f in calls}


def _is_doc(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _statements(shown: Shown) -> Iterator[ast.stmt]:
    """Yields the statements of the function in its file, the first of each line."""
    try:
        module = parsed("".join(linecache.getlines(shown.filename)))
    except SyntaxError:
        return
    seen: set[int] = set()
    last = shown.first + len(shown.lines)
    for node in ast.walk(module):
        if isinstance(node, ast.stmt) and shown.first <= node.lineno < last and (
                node.lineno not in seen):
            seen.add(node.lineno)
            yield node


WHY = {
    "Try": "stays a Python statement: handlers act on the call as a whole",
    "TryStar": "stays a Python statement: handlers act on the call as a whole",
    "With": "stays a Python statement: it is entered and left while tracing",
}
WHY_NOT_MOVED = ("stays a Python statement: a part of it cannot move into a function (yield, "
                 "await, a jump out of a `finally`, a look at the frame)")


def _unconverted_statements(shown: Shown) -> dict[int, str]:
    """Returns why statements were left as they are by the conversion, by the user's line."""
    found: dict[int, str] = {}
    try:
        tree = parsed(without_margin(shown.converted))
    except SyntaxError:
        return found
    for node in ast.walk(tree):
        if isinstance(node, UNCONVERTED) and (line := shown.line_of(node.lineno)) is not None:
            found[line] = WHY.get(type(node).__name__, WHY_NOT_MOVED)
    return found
