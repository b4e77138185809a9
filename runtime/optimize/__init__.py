"""The optimiser: small passes from graph to graph, and the one list that orders them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Graph, equations_in, graphs_in
from autograph.runtime.optimize.algebra import algebra
from autograph.runtime.optimize.batched_products import products
from autograph.runtime.optimize.broadcast_hoisting import loop_broadcasts
from autograph.runtime.optimize.constant_folding import fold
from autograph.runtime.optimize.cse import common_subexpressions
from autograph.runtime.optimize.dead_branches import dead_branches
from autograph.runtime.optimize.dead_code import prune
from autograph.runtime.optimize.induction_variables import loop_indices
from autograph.runtime.optimize.inline import inline
from autograph.runtime.optimize.loop_invariants import loop_invariants
from autograph.runtime.optimize.matrix_chains import matrix_chains


@dataclass(frozen=True)
class Pass:
    """A step from graph to graph.

    on              the pass is left out for graphs that have none of these ops.
    keeps_order     the pass may run on a graph that writes memory by reference: such a graph keeps
                    the order of its equations.
    """

    name: str
    run: Callable[[Graph, Record], None]
    on: frozenset[str] = frozenset()
    keeps_order: bool = False


LOOPS = frozenset({"while", "for"})

PASSES: tuple[Pass, ...] = (
    Pass("prune", prune, keeps_order=True),
    Pass("inline", inline, frozenset({"call"})),
    Pass("fold", fold),
    Pass("dead branches", dead_branches, LOOPS | {"cond", "select_"}),
    Pass("algebra", algebra),
    Pass("common subexpressions", common_subexpressions),
    Pass("loop invariants", loop_invariants, LOOPS),
    Pass("products", products, frozenset({"for"})),
    Pass("loop broadcasts", loop_broadcasts, frozenset({"for"})),
    Pass("loop indices", loop_indices, frozenset({"for"})),
    Pass("matrix chains", matrix_chains, frozenset({"matmul", "np.matmul"})),
    Pass("prune what is left", prune),
)
"""In order; each changes the graph it is given and keeps every equation's source location."""


def optimize(graph: Graph, fast_math: bool = False, strict: bool = False,
             passes: Sequence[Pass] | None = None) -> Record:
    """Run the passes over a graph and the graphs that it calls, in place.

    Args:
      graph: a well-formed graph.
      fast_math: whether rules that may round differently apply.
      strict: whether equations that nothing uses stay if they may raise.
      passes: what runs; None is PASSES.

    Returns:
      what was done, and what stands for values that are gone.
    """
    record = Record(fast_math, strict)
    run_passes(PASSES if passes is None else passes, graph, record)
    return record


def run_passes(passes: Sequence[Pass], graph: Graph, record: Record) -> None:
    """Run each pass that applies over a graph and the graphs that it calls, in place."""
    graphs = graphs_in(graph)
    found = [e.op for each in graphs for e in equations_in(each)]
    ops = {op.name for op in found}
    by_reference = any(op.effect == "store" for op in found)
    for step in passes:
        if by_reference and not step.keeps_order:
            continue
        if not step.on or not step.on.isdisjoint(ops):
            record.current = step.name
            for each in graphs_in(graph) if len(graphs) > 1 else graphs:
                step.run(each, record)
