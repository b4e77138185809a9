"""Constant state: what a graph reads outside its function and never writes, as its constants.

In this process such an array is an input, so that each call sees what it holds by then. A file, or
a model for another engine, has what it holds when it is written, as it has other globals.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.signatures.binding import PERSISTENT, Bound
from autograph.runtime.signatures.filler import LeafRef

if TYPE_CHECKING:
    from autograph.runtime.functions.concrete_function import ConcreteFunction


def with_constant_state(concrete: ConcreteFunction) -> tuple[Program, Bound]:
    """Returns the program and the arguments of a trace, without the state that no run writes."""
    program, bound = concrete.program, concrete.bound
    values = _read_only(concrete)
    first = len(bound.leaves) - len(values)
    if not values or sorted(values) != list(range(first, len(bound.leaves))):
        return program, bound
    nest = {name: x for name, x in bound.nest.items() if name != PERSISTENT}
    if any(x.index >= first for x in flatten(nest) if isinstance(x, LeafRef)):
        return program, bound  # an argument is the same array
    return (replace(program, graph=_with_constants(program.graph, first, values)),
            replace(bound, leaves=bound.leaves[:first], nest=nest))


def _with_constants(graph: Graph, first: int, values: dict[int, Any]) -> Graph:
    captured = {graph.inputs[k]: x for k, x in values.items()}
    return replace(graph, inputs=graph.inputs[:first], captures={**graph.captures, **captured})


def _read_only(concrete: ConcreteFunction) -> dict[int, Any]:
    """Returns the arrays that are state now, by the numbers of their inputs; nothing if a run may
    write one, or if something else is state, too."""
    program, state = concrete.program, concrete.state
    if state is None or state.growing or state.by_reference or program.locations or (
            program.by_reference):
        return {}
    refs, values = (list(flatten(x)) for x in (concrete.bound.nest[PERSISTENT], state.load()))
    written = [program.graph.inputs.index(target) for target, _ in program.write_back]
    fit = len(refs) == len(values) and all(
        isinstance(ref, LeafRef) and ref.index not in written and _is_of(
            x, concrete.bound.leaves[ref.index].type)
        for ref, x in zip(refs, values, strict=True))
    return {ref.index: x for ref, x in zip(refs, values, strict=True)} if fit else {}


def _is_of(x: Any, t: Any) -> bool:
    """Returns True for an array of a type."""
    return isinstance(x, np.ndarray) and isinstance(t, ArrayType) and (
        t.dtype == x.dtype and t.shape == x.shape)
