"""Dead branches: a branch whose predicate is known is replaced by the side that is taken."""

from __future__ import annotations

import numpy as np

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import as_branch, as_loop
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.ops.python import SELECT

Replacement = tuple[list[Equation], tuple[Atom, ...]]
"""Equations, and the atoms that stand for the results."""


def remove_dead_branches(graph: Graph, record: Record) -> None:
    """Replaces branches of known predicates by the side taken; removes loops that never run.

    A predicate is known if it is a constant, or if the branch stands inside another one with the
    same predicate. A side that certainly raises stays in its branch: its outputs stand for
    nothing.
    """
    _DeadBranches(record).visit(graph)


class _DeadBranches(Rewriter):
    """Follows the predicates that are known, because this is a side of a branch on them."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self.known: dict[Value, bool] = {}

    def before(self, e: Equation) -> list[Equation] | None:
        taken = self.taken(e) if e.regions or e.op is SELECT else None
        if taken is None:
            return None
        equations, results = taken
        self.record.note(remove_dead_branches, e, equations or "its constants")
        self.record.renamed.update(zip(e.outputs, results, strict=True))
        return equations

    def region(self, e: Equation, region: Graph) -> None:
        branch = as_branch(e)
        outer = self.known
        if branch is not None and isinstance(branch.predicate, Value):
            self.known = {**outer, branch.predicate: region is branch.on_true}
        self.visit(region)
        self.known = outer

    def taken(self, e: Equation) -> Replacement | None:
        """Returns what stands for a branch, a loop or a selection; None if that is not known."""
        if (branch := as_branch(e)) is not None:
            truth = self.truth(branch.predicate)
            side = None if truth is None else branch.side(truth)
            return None if side is None or _raises(side) else (side.equations, side.outputs)
        if e.op is SELECT:
            truth = self.truth(e.args[0])
            return None if truth is None else ([], (e.args[1 if truth else 2],))
        if (loop := as_loop(e)) is None:
            return None
        never = loop.constant_length == 0 if loop.is_for else loop.test is not None and (
            not loop.test.equations and self.truth(loop.test.outputs[0]) is False)
        return ([], loop.initial) if never else None

    def truth(self, atom: Atom) -> bool | None:
        if isinstance(atom, Value):
            return self.known.get(atom)
        return bool(atom) if isinstance(atom, (bool, int, float, np.bool_, type(None))) else None


def _raises(region: Graph) -> bool:
    return any(e.op.never_returns for e in region.equations)
