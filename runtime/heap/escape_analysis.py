"""Escape analysis: results of branches and loops that may be arrays of the caller's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from autograph.runtime.ir.graph import Atom, Graph, Value
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.regions import as_loop
from autograph.runtime.ir.types import may_have_memory
from autograph.runtime.symbolic import trace

Written = tuple[tuple[Value, Any], ...]
"""Pairs of an argument and the value that the function left in it."""

Sources = dict[Value, list[Value]]
"""Value -> the values that it may be the same object as."""


def possible_arguments(graph: Graph, escaping: Any, write_back: Written) -> tuple[Value, ...]:
    """Returns the escaping values that may be an argument which the function writes, because a
    branch or a loop decides which array they are.

    What the function left in an argument has memory of its own until it is written back, so a part
    of it would not be a view of the argument. If such a part may escape, the trace is made again,
    by reference.
    """
    if not write_back:
        return ()
    same, bases = _sources(graph)
    found = tuple(dict.fromkeys(v for v in flatten(escaping) if isinstance(v, Value)
                                and v in same and may_have_memory(v.type)))
    new = _closure([v for _, v in write_back if isinstance(v, Value)], same, bases) - {
        target for target, _ in write_back}
    parts = [v for v in _closure(found, same) if v in bases and v not in new]
    if not new.isdisjoint(_closure(parts, same, bases)):
        trace.need_references("a view of an argument that the function writes escapes from it, and "
                              "a branch or a loop decides which view")
    return found


def _closure(values: Iterable[Value], *steps: Sources) -> set[Value]:
    """Returns the values, and all that these steps lead to from them."""
    found, waiting = set[Value](), list(values)
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting += [v for step in steps for v in step.get(value, ())]
    return found


def _sources(graph: Graph) -> tuple[Sources, Sources]:
    """Returns the values that each value may be, and those that views and updates make it of."""
    same: Sources = defaultdict(list)
    bases: Sources = defaultdict(list)

    def link(values: Iterable[Value], others: Iterable[Atom]) -> None:
        for value, other in zip(values, others, strict=False):
            if isinstance(other, Value):
                same[value].append(other)

    for e in graph.walk():
        if (loop := as_loop(e)) is not None:
            for source in (loop.initial, loop.body.outputs):
                link(loop.results, source)
                link(loop.carried, source)
        elif e.regions:
            for region in e.regions:
                link(e.outputs, region.outputs)
                link(region.inputs, e.args)
        elif e.op.holds_operands:
            for value in e.inputs:
                link(e.outputs, (value,))
        elif (e.op.view or e.op.inplace) and isinstance(e.args[0], Value):
            for value in e.outputs:
                bases[value].append(e.args[0])
    return dict(same), dict(bases)
