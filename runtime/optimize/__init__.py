"""The optimiser: small passes from graph to graph, and the one list that orders them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import CALL, Graph, equations_in, graphs_in
from autograph.runtime.ir.regions import BRANCH, FOR, LOOPS
from autograph.runtime.ops import OPS
from autograph.runtime.ops.adjoints import MASKED_PRODUCT, SUM_TO_TYPE
from autograph.runtime.ops.indexing import SETITEM
from autograph.runtime.ops.kept_values import KEPT_AT, PUSH
from autograph.runtime.ops.python import LIST_OF, PACK, SELECT
from autograph.runtime.ops.views import UPDATE_VIEW
from autograph.runtime.optimize.algebra import apply_rules
from autograph.runtime.optimize.batched_products import batch_products
from autograph.runtime.optimize.broadcast_hoisting import hoist_broadcasts
from autograph.runtime.optimize.common_subexpressions import merge_common_subexpressions
from autograph.runtime.optimize.constant_folding import fold_constants
from autograph.runtime.optimize.cotangent_sums import sum_by_products
from autograph.runtime.optimize.dead_branches import remove_dead_branches
from autograph.runtime.optimize.dead_code import remove_dead_code
from autograph.runtime.optimize.gradient_marks import FACTORS, FITTING, MARKS, remove_gradient_marks
from autograph.runtime.optimize.induction_variables import reduce_induction_variables
from autograph.runtime.optimize.inline import inline_calls
from autograph.runtime.optimize.item_types import type_what_lists_hold
from autograph.runtime.optimize.kept_values import reduce_kept_values
from autograph.runtime.optimize.loop_invariants import hoist_invariants
from autograph.runtime.optimize.matrix_chains import order_matrix_chains
from autograph.runtime.optimize.passed_tuples import split_passed_tuples
from autograph.runtime.optimize.stored_values import forward_stored_values
from autograph.runtime.optimize.stretched_operands import use_unstretched
from autograph.runtime.optimize.summed_products import sum_products
from autograph.runtime.optimize.unchanged_state import free_unchanged_state


@dataclass(frozen=True)
class Pass:
    """A step from graph to graph.

    on              the pass is left out for graphs that have none of these ops.
    keeps_order     the pass may run on a graph that writes memory by reference: such a graph keeps
                    the order of its equations.
    exact           the pass may run where every warning has to be given, in order: it leaves alone
                    what may raise or warn.
    """

    name: str
    run: Callable[[Graph, Record], None]
    on: frozenset[str] = frozenset()
    keeps_order: bool = False
    exact: bool = False


PRODUCTS = frozenset(op.name for op in OPS.values() if op.product)

PASSES: tuple[Pass, ...] = (
    Pass("item types", type_what_lists_hold, frozenset({LIST_OF.name, "builtins.list"}),
         exact=True),
    Pass("gradient marks", remove_gradient_marks, frozenset(op.name for op in (
        *MARKS, *FITTING, *FACTORS, MASKED_PRODUCT)), exact=True),
    Pass("dead code", remove_dead_code, keeps_order=True, exact=True),
    Pass("inline", inline_calls, frozenset({CALL}), exact=True),
    Pass("passed tuples", split_passed_tuples, frozenset({PACK.name}), exact=True),
    Pass("unchanged state", free_unchanged_state, LOOPS),
    Pass("stretched operands", use_unstretched, frozenset({"broadcast_to"}), exact=True),
    Pass("constant folding", fold_constants, exact=True),
    Pass("dead branches", remove_dead_branches, LOOPS | {BRANCH, SELECT.name}, exact=True),
    Pass("algebra", apply_rules),
    Pass("common subexpressions", merge_common_subexpressions, exact=True),
    Pass("stored values", forward_stored_values, frozenset({SETITEM.name, UPDATE_VIEW.name}),
         exact=True),
    Pass("loop invariants", hoist_invariants, LOOPS, exact=True),
    Pass("batched products", batch_products, frozenset({FOR})),
    Pass("kept values", reduce_kept_values, frozenset({PUSH.name})),
    Pass("common subexpressions of loops", merge_common_subexpressions, frozenset({PUSH.name})),
    Pass("summed products", sum_products, frozenset({KEPT_AT.name})),
    Pass("cotangent sums", sum_by_products, frozenset({SUM_TO_TYPE.name, KEPT_AT.name}),
         keeps_order=True, exact=True),
    Pass("broadcast hoisting", hoist_broadcasts, frozenset({FOR})),
    Pass("induction variables", reduce_induction_variables, frozenset({FOR})),
    Pass("matrix chains", order_matrix_chains, PRODUCTS),
    Pass("dead code at the end", remove_dead_code, exact=True),
)
"""In order; each changes the graph it is given and keeps every equation's source location."""


def optimize(graph: Graph, fast_math: bool = False, strict: bool = False,
             passes: Sequence[Pass] | None = None, exact: bool = False) -> Record:
    """Runs the passes over a graph and the graphs that it calls, in place.

    Args:
      graph: a well-formed graph.
      fast_math: True to apply rules that may round differently.
      strict: True to keep equations that nothing uses if they may raise.
      passes: the passes; None for PASSES.
      exact: True to keep what may warn, too, and to run it as often, in the user's order.

    Returns:
      the changes, and what stands for values that are gone.
    """
    record = Record(fast_math, strict, exact)
    run_passes(PASSES if passes is None else passes, graph, record)
    return record


def run_passes(passes: Sequence[Pass], graph: Graph, record: Record) -> None:
    """Runs each pass that applies over a graph and the graphs that it calls, in place."""
    graphs = graphs_in(graph)
    found = {e.op for each in graphs for e in equations_in(each)}
    ops = {op.name for op in found}
    by_reference = any(op.effect == "store" for op in found)
    for step in passes:
        if (by_reference and not step.keeps_order) or (record.exact and not step.exact):
            continue
        if not step.on or not step.on.isdisjoint(ops):
            record.current = step.name
            for each in graphs_in(graph) if len(graphs) > 1 else graphs:
                step.run(each, record)
