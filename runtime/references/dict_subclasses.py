"""`defaultdict` and `Counter` as dicts: what they give for a key that is not there is asked for.

Such an object becomes a dict, and `d[k]` what a dict has for it: `d.setdefault(k, 0.0)` of a
`defaultdict(float)`, which stores it, and `c.get(k, 0)` of a `Counter`, which does not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from autograph.runtime.ir.graph import Equation, Graph, Value, equations_in, leaves, regions_of
from autograph.runtime.ir.regions import as_loop
from autograph.runtime.ir.types import PyType
from autograph.runtime.ir.visitor import rename_values
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.python_objects import CALL_METHOD, CONSTRUCT, DELETE_ITEM, LOOK_UP
from autograph.runtime.ops.stores import STORE_ITEM

READERS = frozenset({OPS["len_"], OPS["truth"], OPS["not_"]})
FACTORIES = frozenset({float, int, complex, bool, str})
"""The factories that give a constant."""

METHODS = {defaultdict: ("keys", "values", "items", "get", "pop", "setdefault", "clear"),
           Counter: ("keys", "values", "items", "get", "pop", "setdefault", "clear")}
"""The methods that are a dict's, by class."""

Factories = dict[Value, tuple[Any, ...]]
"""For each such object: its class, and what that is called with before the items."""

Objects = dict[Value, tuple[Value, tuple[Any, ...]]]
"""The same with the dict."""


def as_dicts(graph: Graph) -> tuple[Graph, Objects]:
    """Returns a graph in which such objects are dicts, and for each the dict."""
    factories = {e.outputs[0]: made for e in equations_in(graph)
                 if (made := _made(e)) is not None}
    for e in equations_in(graph):
        for v in _used_otherwise(e, factories):
            del factories[v]
    for v in (*graph.outputs, *(v for e in equations_in(graph) for v in _passed_on(e))):
        factories.pop(v, None)
    if not factories:
        return graph, {}
    dicts = {v: Value(PyType(dict), v.hint) for v in factories}
    rewritten = _rewritten(graph, dicts, factories)
    rename_values(rewritten, dict(dicts))
    return rewritten, {v: (dicts[v], factories[v]) for v in dicts}


def _made(e: Equation) -> tuple[Any, ...] | None:
    """Returns what the class of an object is called with before its items; None for others."""
    if e.op is not CONSTRUCT or e.kwargs or e.args[0] not in METHODS:
        return None
    cls, *args = e.args
    if cls is Counter:
        return (cls,) if all(type(x) in (dict, tuple, list) and not x for x in args) else None
    known = 1 <= len(args) <= 2 and not isinstance(args[-1], Value) and args[0] in FACTORIES
    return (cls, args[0]) if known else None


def _used_otherwise(e: Equation, objects: Factories) -> Iterator[Value]:
    """Yields the objects of which an equation asks what a dict would answer in another way."""
    first = e.args[0] if e.args else None
    for v in dict.fromkeys(e.inputs):
        if v not in objects:
            continue
        cls, asked = objects[v][0], sum(x is v for x in leaves((e.args, dict(e.kwargs))))
        if e.op is CALL_METHOD:
            known = first is v and e.args[1] in METHODS[cls]
        elif e.op is DELETE_ITEM:
            known = first is v and cls is not Counter
        elif e.op is OPS["in_"]:
            known = e.args[1] is v
        elif e.regions:
            loop = as_loop(e)
            known = loop is not None and loop.iterable is v
        else:
            known = first is v and (e.op in (LOOK_UP, GETITEM, STORE_ITEM) or e.op in READERS)
        if not known or asked != 1:
            yield v


def _passed_on(e: Equation) -> Iterator[Any]:
    """Yields what regions give; of the test of a loop, only the truth counts."""
    loop = as_loop(e)
    for region in regions_of(e):
        if loop is None or region is not loop.test:
            yield from region.outputs


def _rewritten(graph: Graph, dicts: dict[Value, Value], factories: Factories) -> Graph:
    equations: list[Equation] = []
    for e in graph.equations:
        e = e.copy()
        made = e.outputs[0] if len(e.outputs) == 1 else None
        if made is not None and made in dicts:
            items = e.args[len(factories[made]):]
            e.args, e.outputs = (dict, *items), (dicts[made],)
            e.collect_inputs()
        if e.op in (LOOK_UP, GETITEM) and e.args[0] in dicts:
            cls, *factory = factories[e.args[0]]
            method, default = ("get", 0) if cls is Counter else ("setdefault", factory[0]())
            e.op, e.args = CALL_METHOD, (e.args[0], method, e.args[1], default)
        e.regions = tuple(_rewritten(r, dicts, factories) for r in regions_of(e)) if (
            e.callee is None) else e.regions
        equations.append(e)
    return replace(graph, equations=equations)
