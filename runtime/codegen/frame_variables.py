"""The user's variables at a line of generated code: what they were when the trace was there.

A variable is a value of the graph, or a constant. A value is shown if the generated code holds it
at that line: of all values that have its local variable, it is the one made last; and if it is an
array that nothing needs any more, no other was made since, whose memory may be its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from autograph.runtime.codegen.outdated_variables import without_outdated
from autograph.runtime.ir.graph import (
    Atom,
    Equation,
    Graph,
    Value,
    binders,
    graphs_in,
    regions_of,
    used,
)
from autograph.runtime.ir.location import UNKNOWN, Location
from autograph.runtime.ir.types import PY_NUMBERS, ArrayType, PyType
from autograph.runtime.ir.user_source import operands, scope_at
from autograph.runtime.ops import OPS
from autograph.traceback_filter import is_block

Names = tuple[tuple[str, str], ...]
"""Local variables of generated code, and the names that they have in the user's."""


class Variables(NamedTuple):
    """The variables of a function of the user's: those that generated code holds, constants, and
    the names of all."""

    names: Names = ()
    constants: Mapping[str, Any] = {}
    own: Collection[str] = ()

    def renamed(self, names: Mapping[str, str]) -> Variables:
        """Returns the same variables in code that has other names for them, those that it has."""
        return Variables(tuple((names[text], name) for text, name in self.names if text in names),
                         self.constants, self.own)


VariablesAt = Callable[[Location], tuple[Variables, ...]]
"""Returns the variables at a location and in the functions around it, innermost first."""


def variables_at(location: Location, graph: Graph, now: Callable[[Atom], Atom],
                 texts: Mapping[Value, str]) -> tuple[Variables, ...]:
    """Returns the variables at a location, and in the functions around it.

    now    gives what stands for a value of the trace by now.
    texts  the local variables of values of the graph.
    """
    held, e = _held_at(location, graph, texts)
    every = list(_frames(location))
    known = [{name: now(atom) for name, atom in found.items() if atom is not UNKNOWN}
             for found in every]
    frames = [Variables(tuple(_named(found, held)), {
        name: x for name, x in found.items() if not isinstance(x, Value)}, frozenset(names))
        for found, names in zip(known, every, strict=True)]
    if e is None:
        return tuple(frames)
    own, *around = frames or [Variables()]
    here = known[0] if known else {}
    given = [(held[x], name) for name, x in zip(operands(location), e.args, strict=False)
             if name.isidentifier() and isinstance(x, Value) and x in held
             and here.get(name, x) is x]  # else it is the array that the variable is a view of
    return Variables((*own.names, *given), own.constants, own.own), *around


def _named(found: Mapping[str, Any], held: Mapping[Value, str]) -> Iterator[tuple[str, str]]:
    for name, value in found.items():
        if isinstance(value, Value) and value in held:
            yield held[value], name


def _frames(location: Location) -> Iterator[dict[str, Any]]:
    """Yields the variables of the user's functions around a location, innermost first; those of
    the functions that the compiler made of blocks are the user's function's."""
    found: dict[str, Any] = {}
    here: Location | None = location
    for names in location.frames:
        assert here is not None
        own_names = (*here.code.co_varnames, *here.code.co_cellvars)
        found = {**dict.fromkeys(own_names, UNKNOWN), **without_outdated(names, here), **found}
        inner, here = here, here.caller
        if here is None or not is_block(inner.code, here.code):
            own = scope_at(inner).names
            yield {name: x for name, x in found.items()
                   if own is None or name in own}
            found = {}
        if here is None:
            return


class _Held:
    """Walks a graph as generated code runs it, for what the code holds at a location.

    last    by local variable, the value that it holds.
    needed  how often each value is used from here on, in the loops that run included; that of the
            caller's arrays is endless.
    found   at each equation of the location: what is held, and the equation.
    """

    def __init__(self, location: Location, texts: Mapping[Value, str], graph: Graph) -> None:
        self.location = location
        self.texts = texts
        self.needed = Counter(used(graph))
        self.needed.update(dict.fromkeys((*graph.inputs, *graph.captures), 1))
        self.last: dict[str, Value] = {}
        self.found: list[tuple[dict[Value, str], Equation]] = []

    def make(self, values: Iterable[Value]) -> None:
        self.last.update((self.texts[v], v) for v in values if v in self.texts)

    def forget(self, e: Equation) -> None:
        """Forgets the variables that regions bind: another iteration may have bound them."""
        for v in chain.from_iterable(map(binders, regions_of(e))):
            self.last.pop(self.texts.get(v, ""), None)

    def write(self, e: Equation) -> None:
        """Forgets the arrays that nothing needs after an equation that may write to memory."""
        if e.op.effect or any(map(has_memory, e.outputs)):
            self.last = {text: v for text, v in self.last.items()
                         if self.needed[v] > 0 or not has_memory(v)}

    def walk(self, graph: Graph) -> None:
        self.make(graph.inputs)
        for e in graph.equations:
            if e.location is self.location:
                written = {target for target, _ in e.pending_writes or ()}
                self.found.append((
                    {v: text for text, v in self.last.items() if v not in written}, e))
            again = Counter[Value]()
            if e.regions and e.op is not OPS["cond"]:
                self.forget(e)
                again.update(chain.from_iterable(map(used, regions_of(e))))
            self.needed += again
            for region in regions_of(e):
                self.walk(region)
            self.needed -= again
            self.forget(e)
            self.needed -= Counter(e.uses)
            self.write(e)
            self.make(e.outputs)
        self.needed -= Counter(x for x in graph.outputs if isinstance(x, Value))


def has_memory(v: Value) -> bool:
    """Returns True unless a value is a number or text, which nothing can write to."""
    return not (isinstance(v.type, PyType) and v.type.cls in PY_NUMBERS) and not (
        isinstance(v.type, ArrayType) and v.type.scalar)


def _held_at(location: Location, graph: Graph, texts: Mapping[Value, str]
             ) -> tuple[dict[Value, str], Equation | None]:
    """Returns the values that the generated code holds at a location, with their local variables,
    and the equation there; nothing if several equations come from there, which copies do."""
    found: list[tuple[dict[Value, str], Equation]] = []
    for each in graphs_in(graph):
        held = _Held(location, texts, each)
        held.walk(each)
        found += held.found
    return found[0] if len(found) == 1 else ({}, None)
