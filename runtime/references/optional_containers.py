"""Variables that are None on some paths and a container on the others: `if state is None: …`.

What is asked of the container is asked of the same value under its class; on the path of None it
raises when the graph runs, as Python does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autograph.runtime.ir.graph import (
    Atom,
    Equation,
    Graph,
    Value,
    atom_type,
    equations_in,
    regions_of,
)
from autograph.runtime.ir.regions import as_branch, as_loop
from autograph.runtime.ir.types import DynamicType, PyType, Type
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.python_objects import CALL_METHOD, DELETE_ITEM, LOOK_UP
from autograph.runtime.ops.stores import STORE_ITEM
from autograph.runtime.references.container_forms import READING

SAME = OPS["differentiable"]
ASKED = (LOOK_UP, GETITEM, STORE_ITEM, DELETE_ITEM, CALL_METHOD)
NONE = PyType(type(None))
Sources = dict[Value, list[Atom]]


def with_classes(graph: Graph) -> Graph:
    """Returns a graph in which such values have their class where something is asked of them."""
    sources: Sources = {}
    for e in equations_in(graph):
        _note_flow(e, sources)
    return _rewritten(graph, sources) if sources else graph


def _note_flow(e: Equation, sources: Sources) -> None:
    """Notes what the values of a branch or loop may be."""
    pairs: list[tuple[Iterable[Value], Iterable[Atom]]] = []
    if (branch := as_branch(e)) is not None:
        pairs = [(branch.results, side.outputs) for _, side in branch.sides()]
    elif (loop := as_loop(e)) is not None:
        to = [loop.carried, loop.results, *([loop.test.inputs] if loop.test else [])]
        pairs = [(values, given) for values in to for given in (loop.initial, loop.body.outputs)]
    for values, atoms in pairs:
        for v, x in zip(values, atoms, strict=True):
            sources.setdefault(v, []).append(x)


def _class_of(value: Value, sources: Sources) -> type | None:
    """Returns the class of containers that a value may be, beside None; None if it may be more."""
    found: set[Type] = set()
    seen, left = {value}, [value]
    while left:
        v = left.pop()
        if not isinstance(v.type, DynamicType):
            found.add(v.type)
        elif v not in sources:
            return None
        else:
            found |= {atom_type(x) for x in sources[v] if not isinstance(x, Value)}
            more = {x for x in sources[v] if isinstance(x, Value)} - seen
            seen |= more
            left += more
    classes = [t.cls for t in found - {NONE} if isinstance(t, PyType) and t.cls in READING]
    return classes[0] if NONE in found and len(classes) == len(found) - 1 == 1 else None


def _rewritten(graph: Graph, sources: Sources) -> Graph:
    equations: list[Equation] = []
    for e in graph.equations:
        base = e.args[0] if e.op in ASKED else None
        if isinstance(base, Value) and isinstance(base.type, DynamicType) and (
                cls := _class_of(base, sources)):
            same = Value(PyType(cls), base.hint)
            equations.append(Equation(SAME, (base,), {}, (same,), location=e.location))
            e = e.copy()
            e.op, e.args = GETITEM if e.op is LOOK_UP else e.op, (same, *e.args[1:])
            e.collect_inputs()
        elif regions := regions_of(e):  # the graph of a function that calls itself has no end
            e = e.copy()
            e.regions = tuple(_rewritten(region, sources) for region in regions)
        equations.append(e)
    return replace(graph, equations=equations)
