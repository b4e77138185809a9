"""A stretch of a graph that is still being recorded, by value.

Who recorded the graph still knows the values of the stretch as references, and may write to them
later. So behind the equations by value, the arrays from outside get what they hold now, and each
old value is made again, as a reference to the array that it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from autograph.runtime.ir.graph import (
    Atom,
    Equation,
    Graph,
    Value,
    atom_type,
    equations_in,
    graphs_in,
    regions_of,
)
from autograph.runtime.ir.types import (
    ArrayType,
    PyType,
    is_container,
)
from autograph.runtime.ops.control import COND
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.python_objects import CONSTRUCT
from autograph.runtime.ops.stores import STORE_ITEM
from autograph.runtime.references.by_value import ByValue
from autograph.runtime.references.dict_subclasses import Objects, as_dicts
from autograph.runtime.references.optional_containers import with_classes
from autograph.runtime.references.split_tuples import without_tuples
from autograph.runtime.references.targets import Reference, Site, Target, refuse
from autograph.runtime.references.written import SharedMemory, may_be_shared

T = TypeVar("T")
COPY, SAME = OPS["copy"], OPS["differentiable"]


@dataclass
class Stretch:
    """Equations by value.

    equations  those that compute.
    rest       those behind them that make the references again.
    at_end     for each value of the stretch by reference, the atom that it holds at the end.
    at_start   for each source, the value that it had when it was made.
    """

    equations: list[Equation]
    rest: list[Equation]
    at_end: dict[Value, Atom]
    at_start: dict[Value, Value]

    def sources(self, values: Sequence[Value]) -> list[Value]:
        """Returns what sources were when they were made."""
        return [self.at_start.get(v, v) for v in values]

    def tangents(self, tangents: Mapping[Value, T]) -> dict[Value, T]:
        """Returns tangents by what their values were when they were made."""
        return {self.at_start.get(v, v): t for v, t in tangents.items()}

    def targets(self, cotangents: Mapping[Value, T], add: Callable[[T, T], T]) -> dict[Value, T]:
        """Returns cotangents by what their values are at the end, which may be one for several."""
        found: dict[Value, T] = {}
        for old, g in cotangents.items():
            now = self.at_end.get(old, old)
            if isinstance(now, Value):
                found[now] = add(found[now], g) if now in found else g
        return found


def store_in(equations: Iterable[Equation]) -> Equation | None:
    """Returns the first equation that writes in place, also in regions and calls."""
    for e in equations:
        graphs = regions_of(e) if e.callee is None else graphs_in(e.callee)
        for x in (e, *(x for graph in graphs for x in equations_in(graph))):
            if x.op.effect == "store":
                return x
    return None


def by_value(graphs: Sequence[Graph], start: int, sources: Collection[Value]) -> Stretch:
    """Returns the equations of a graph from `start` on by value.

    Args:
      graphs: the graph, and those around it from the inside to the outside, as far as they are
        recorded.
      start: the number of equations before the stretch.
      sources: the values whose first content matters.

    Raises:
      NotByValue: there is no such form.
    """
    graph = graphs[0]
    values = [v for e in graph.equations[start:] for v in e.outputs]
    stretch, objects = as_dicts(with_classes(without_tuples(
        Graph(graph.name, (), graph.equations[start:]))))
    before = [Graph(graph.name, graph.inputs, graph.equations[:start]), *graphs[1:]]
    walk = _Walk(SharedMemory([stretch], before), sources, objects)
    walk.take_all(stretch, before)
    walk.walk(stretch.equations)
    walk.now.update((v, walk.now[made]) for v, (made, _) in objects.items() if v in values)
    at_end = {v: walk.read(v) for v in values}
    made, walk.memory.equations = walk.memory.equations, []
    walk.give_back()
    for v in sorted(values, key=lambda v: not is_container(v.type)):
        walk.refer(v, at_end[v])
    return Stretch(made, walk.memory.equations, at_end, walk.at_start)


class _Walk(ByValue):
    """A walk that notes what its sources hold at first.

    copies  for each array from before the stretch that is written in it: what it held then.
    bases   for each site, the array that has its memory behind the stretch.
    """

    def __init__(self, shared: SharedMemory, sources: Collection[Value], objects: Objects
                 ) -> None:
        super().__init__(shared)
        self.sources = sources
        self.objects = objects
        self.at_start: dict[Value, Value] = {}
        self.copies: dict[Site, Value] = {}
        self.bases: dict[Site, Value] = {}

    def from_outside(self, value: Value) -> Atom | Reference:
        return value

    # -- before -----------------------------------------------------------------------------------

    def take_all(self, stretch: Graph, before: Sequence[Graph]) -> None:
        """Enters the arrays from before that the stretch writes, each with a copy of its content.

        Raises:
          NotByValue: two of them may share memory.
        """
        shared = SharedMemory((), before)
        carried = {shared.root(v) for graph in before[:-1] for v in graph.inputs}
        found = [v for v in stretch.free_values()
                 if may_be_shared(v.type) and self.shared.is_written(v)]
        if not all(isinstance(v.type, ArrayType) for v in found):
            refuse("a container from outside is changed while the graph runs", None)
        roots = [shared.root(v) for v in found]
        if len(set(roots)) < len(roots) or (len(roots) > 1 and not carried.isdisjoint(roots)):
            refuse("only the run knows whether two arrays share memory, and one is written", None)
        for v in found:
            self._take(v)

    def _take(self, value: Value) -> None:
        site = Site()
        copied = self._copied(value)
        self.memory.contents[site] = self.copies[site] = copied
        self.bases[site] = value
        self.now[value] = Reference((Target(site),))

    def _copied(self, content: Atom, like: Value | None = None) -> Value:
        """Returns a copy of an array, or of a list or dict like that value; other objects, to which
        nothing here writes, as they are."""
        t = atom_type(content)
        if like is not None and isinstance(like.type, PyType) and is_container(like.type):
            called = self.objects[like][1] if like in self.objects else (like.type.cls,)
            return self.memory.add(CONSTRUCT, (*called, content), None, [like.type])[0]
        op = COPY if isinstance(t, ArrayType) and not t.scalar else SAME
        return self.memory.add(op, (content,), None, [t])[0]

    # -- meanwhile --------------------------------------------------------------------------------

    def step(self, e: Equation) -> None:
        super().step(e)
        for v in e.outputs:
            if v in self.sources:
                first = self._first(v)
                if isinstance(first, Value):
                    self.at_start[v] = first

    def _first(self, source: Value) -> Atom:
        """Returns the value of a source, from which all later loads follow."""
        now = self.now[source]
        if not isinstance(now, Reference):
            return now
        first = self.memory.add(SAME, (self.memory.read(now),), None, [source.type])[0]
        self.assign(now, first, source.type)
        return first

    # -- behind -----------------------------------------------------------------------------------

    def give_back(self) -> None:
        """Writes to the arrays from before what they hold now."""
        for site, copied in self.copies.items():
            content = self.memory.contents[site]
            if content is not copied:
                self.memory.add(STORE_ITEM, (self.bases[site], Ellipsis, content))

    def refer(self, value: Value, content: Atom) -> None:
        """Makes a value of the stretch again: a number, or a reference to memory."""
        now = self.now[value]
        if isinstance(now, Reference):
            for site in [p.site for p in now.targets if p.site not in self.bases]:
                self.bases[site] = self._copied(self.memory.contents[site], value)
            contents, self.memory.contents = self.memory.contents, dict(self.bases)
            content = self.memory.read(now)
            self.memory.contents = contents
        elif is_container(value.type):
            content = self._copied(content, value)
        if is_container(value.type):  # type rules know no containers; a branch keeps the type
            sides = tuple(Graph("cond", (), [], (content,)) for _ in range(2))
            self.memory.add(COND, (True,), None, regions=sides, outputs=(value,))
        else:
            self.memory.add(SAME, (content,), outputs=(value,))
