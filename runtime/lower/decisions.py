"""Tells how each equation of a program is to run: the decisions of this package, as remarks.

`f.graph(stage="program")` prints a graph with them. They are those that the printer of Python asks
for; of a group of equations, or of what is held in lists, the first equation has the remark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from autograph.runtime.ir.graph import Equation, Graph, Value, graphs_in
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.regions import as_loop
from autograph.runtime.lower import unboxing
from autograph.runtime.lower.break_recovery import break_of
from autograph.runtime.lower.buffer_reuse import Reuse
from autograph.runtime.lower.direct_stores import direct_stores
from autograph.runtime.lower.fusion_groups import fusion_groups
from autograph.runtime.lower.in_place import Plan, plan_inplace
from autograph.runtime.lower.list_replacement import lists_of
from autograph.runtime.lower.scalar_replacement import scalar_loop
from autograph.runtime.lower.uses import count_uses

Decisions = Iterator[tuple[Equation, str]]
"""Equations and what is decided for them."""


def decisions(program: Program) -> dict[Equation | Graph, str]:
    """Returns the remarks for a program's equations."""
    own = dict(() if program.handled else program.write_back)
    found: dict[Equation | Graph, list[str]] = {}
    finder = _Finder(plan_inplace(program.graph, own), count_uses(program), program.by_reference)
    for graph in graphs_in(program.graph):
        for e, remark in finder.of_block(graph):
            found.setdefault(e, []).append(remark)
    return {e: "; ".join(remarks) for e, remarks in found.items()}


@dataclass(frozen=True)
class _Finder:
    plan: Plan
    uses: Counter[Value]
    by_reference: bool

    def of_block(self, graph: Graph) -> Decisions:
        tiled = [] if self.by_reference else [
            group for group in fusion_groups(graph) if self.plan.mixed.isdisjoint(group)]
        units = unboxing.units(graph.equations)
        for group in tiled:
            yield group[0], f"{_first(group)} in tiles: each on rows that fit the cache"
        for unit in units:
            yield unit[0], f"{_first(unit)} on Python's numbers, or again on NumPy's"
        written = {e for group in (*tiled, *units) for e in group}
        yield from self.updates(graph, written)
        for e in graph.equations:
            if e not in written:
                yield from self.of_loop(e)
                for region in e.regions:
                    yield from self.of_block(region)

    def updates(self, graph: Graph, written: set[Equation]) -> Decisions:
        """Tells what is computed in memory that there is."""
        stores = direct_stores(graph, self.plan, self.uses, written)
        reuse = None if self.by_reference else Reuse(graph, self.plan)
        for e in graph.equations:
            if e in stores:
                yield e, "done by the operation before it, with out="
            elif e in self.plan.inplace:
                yield e, "in place"
            elif reuse is not None and e not in written and reuse.operand(e) is not None:
                yield e, "in the memory of an operand that is of no more use"

    def of_loop(self, e: Equation) -> Decisions:
        loop = as_loop(e)
        if loop is None:
            return
        copied = sorted(k for other, k in self.plan.copied if other is e)
        if copied:
            yield e, f"starts from copies: {_names([loop.carried[k] for k in copied])}"
        if (found := break_of(loop)) is not None:
            yield e, f"left by break where {found.flag.hint or 'its flag'} is set"
        if not self.by_reference and scalar_loop(e, self.uses) is not None:
            yield e, "on the elements of its small arrays, as numbers"
        elif not self.by_reference and (lists := lists_of(e, self.plan)) is not None:
            yield e, f"on nested lists: {_names([x.array for x in lists.outer.values()])}"


def _first(equations: list[Equation]) -> str:
    return "this equation" if len(equations) == 1 else f"these {len(equations)} equations"


def _names(values: list[Value]) -> str:
    return ", ".join(sorted({v.hint or "an array" for v in values})) or "numbers"
