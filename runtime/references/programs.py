"""Programs by value: a graph by reference, with what it writes as further results."""

from __future__ import annotations

from dataclasses import replace

from autograph.runtime.ir.graph import Atom, Graph, Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import map_nest
from autograph.runtime.references.by_value import ByValue
from autograph.runtime.references.dict_subclasses import as_dicts
from autograph.runtime.references.optional_containers import with_classes
from autograph.runtime.references.split_tuples import without_tuples
from autograph.runtime.references.targets import Reference, Site, refuse
from autograph.runtime.references.written import SharedMemory


def program_by_value(program: Program) -> Program:
    """Returns a program that does the same, and whose graph writes no array in place.

    A result is the argument that it may be only if the run finds that it is that very array.

    Raises:
      NotByValue: there is no such program: it changes objects, or only the run knows which arrays
        share memory.
    """
    if not program.by_reference:
        return program
    if program.refill or program.locations:
        refuse("it changes objects of the caller's", None)
    old, _ = as_dicts(with_classes(without_tuples(program.graph)))
    walk = ByValue(SharedMemory([old]))
    sites = _sites(walk, old)
    walk.walk(old.equations)
    graph = Graph(old.name, old.inputs, walk.memory.equations, (), dict(old.captures))
    contents = walk.memory.contents
    written = tuple((v, contents[s]) for v, s in sites.items()
                    if v in old.inputs and contents[s] is not v)
    inputs = {s: v for v, s in sites.items() if v in old.inputs}
    maybe: list[Value] = []

    def result(leaf: Atom) -> Atom:
        found = walk.meaning(leaf)
        if not isinstance(found, Reference):
            return found
        if found.only is not None and not found.only.steps and found.only.site in inputs:
            return inputs[found.only.site]
        content = walk.memory.read(found)
        if isinstance(content, Value) and any(p.site in inputs for p in found.targets):
            maybe.append(content)
        return content

    nest = map_nest(result, program.result)
    return replace(program, graph=graph, result=nest, write_back=written, views=(),
                   by_reference=False, maybe_arguments=program.not_given(maybe))


def _sites(walk: ByValue, graph: Graph) -> dict[Value, Site]:
    """Enters the inputs and the captured arrays; returns the memory of those that are written."""
    found: dict[Value, Site] = {}
    for v in (*graph.inputs, *graph.captures):
        walk.fresh(v, v)
        reference = walk.now[v]
        if isinstance(reference, Reference):
            found[v] = reference.targets[0].site
    return found
