"""Which values of a graph may be the same object: through branches, loops and what holds them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import as_loop
from autograph.runtime.ir.types import is_number
from autograph.runtime.ir.undefined import is_undefined

STORING = ("call", "store")
"""Effects of operations that may put one of their operands into another."""

Links = dict[Value, list[Any]]
"""Value -> the values that it may be, or may be a part of; and marks of unbound names."""


def links_of(graph: Graph, others: Callable[[Equation, Value], Iterable[Value]]
             ) -> tuple[Links, Links]:
    """Returns the values that each value may be, and those that other equations relate it to.

    others: what an equation that only computes relates one of its outputs to.
    """
    same: Links = defaultdict(list)
    related: Links = defaultdict(list)
    stored: list[Equation] = []
    for e in graph.walk():
        if (loop := as_loop(e)) is not None:
            for source in (loop.initial, loop.body.outputs):
                _link(same, loop.results, source)
                _link(same, loop.carried, source)
                _link(same, loop.test.inputs if loop.test is not None else (), source)
            _link(same, loop.carried, loop.results)
            if loop.item is not None and not is_number(loop.item.type):
                _link(related, (loop.item,), (loop.iterable,))
        elif e.regions:
            for region in e.regions:
                _link(same, e.outputs, region.outputs)
                _link(same, region.inputs, e.args)
        elif e.op.holds_operands:
            for value in e.inputs:
                _link(same, e.outputs, (value,))
        else:
            for value in e.outputs:
                related[value] += others(e, value)
            if e.op.effect in STORING and len(e.inputs) > 1:
                stored.append(e)
    for e in stored:
        for value in e.inputs:
            for one in closure((value,), same):  # what is stored into, by other names
                related[one] += [v for v in e.inputs if v is not value]
    return same, related


def _link(links: Links, values: Iterable[Value], others: Iterable[Atom]) -> None:
    for value, other in zip(values, others, strict=False):
        if isinstance(other, Value) or is_undefined(other):
            links[value].append(other)


def closure(values: Iterable[Value], *steps: Links) -> set[Value]:
    """Returns the values, and all that these links lead to from them."""
    found, waiting = set[Value](), list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, Value) and value not in found:
            found.add(value)
            waiting += [v for step in steps for v in step.get(value, ())]
    return found
