"""What leaves a function through a branch or a loop and may be an array of the caller's."""

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
"""An argument, and what is left in it."""

Sources = dict[Value, list[Value]]
"""For a value, those that it may be, as one object."""

HOLDING = ("pack", "select_", "list_of", "bound")
"""Ops whose result is, or holds, one of their operands."""


def chosen(graph: Graph, leaving: Any, write_back: Written) -> tuple[Value, ...]:
    """What leaves a function that writes arguments and is what a branch or a loop gave: it may be
    such an argument.

    A part of what the function left in an argument is in memory of its own until that is written
    back, so it would not be a view of the argument. The trace is then made by reference.
    """
    if not write_back:
        return ()
    same, bases = _sources(graph)
    found = tuple(dict.fromkeys(v for v in flatten(leaving) if isinstance(v, Value)
                                and v in same and may_have_memory(v.type)))
    new = _reached([v for _, v in write_back if isinstance(v, Value)], same, bases) - {
        target for target, _ in write_back}
    parts = [v for v in _reached(found, same) if v in bases and v not in new]
    if not new.isdisjoint(_reached(parts, same, bases)):
        trace.need_references("a part of an argument that is written leaves the function, where a "
                              "branch or a loop decides which")
    return found


def _reached(values: Iterable[Value], *steps: Sources) -> set[Value]:
    found, waiting = set[Value](), list(values)
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting += [v for step in steps for v in step.get(value, ())]
    return found


def _sources(graph: Graph) -> tuple[Sources, Sources]:
    """What values may be as they are, and which ones they are made of by views and updates."""
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
        elif e.op.name in HOLDING:
            for value in e.inputs:
                link(e.outputs, (value,))
        elif (e.op.view or e.op.inplace) and isinstance(e.args[0], Value):
            for value in e.outputs:
                bases[value].append(e.args[0])
    return dict(same), dict(bases)
