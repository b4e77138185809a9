"""Dead branches: a `cond` whose predicate is known becomes the branch that it takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, regions_of
from autograph.runtime.optimize.effects_and_exceptions import constant_length
from autograph.runtime.optimize.uses import rename, rename_outputs

Known = dict[Value, bool]
"""Predicates whose truth is known, because this is a branch of theirs."""


def dead_branches(graph: Graph, record: Record) -> None:
    """Put the equations of the branch taken where the `cond` is; leave out loops of no rounds.

    A predicate is known if it is a constant, or if the `cond` stands in a branch of one with the
    same predicate. A branch that certainly raises stays in its `cond`: its outputs stand for
    nothing.
    """
    _visit(graph, {}, record)


def _visit(graph: Graph, known: Known, record: Record) -> None:
    kept: list[Equation] = []
    waiting = graph.equations[::-1]
    while waiting:
        e = waiting.pop()
        rename(e, record)
        taken = _taken(e, known)
        if taken is not None:
            equations, results = taken
            record.note(dead_branches, e, equations or "its constants")
            record.renamed.update(zip(e.outputs, results, strict=True))
            waiting += equations[::-1]
            continue
        for truth, region in zip((True, False), regions_of(e), strict=False):
            inside = _with(known, e.args[0], truth) if e.op.name == "cond" else known
            _visit(region, inside, record)
        kept.append(e)
    graph.equations[:] = kept
    rename_outputs(graph, record)


def _taken(e: Equation, known: Known) -> tuple[list[Equation], tuple[Atom, ...]] | None:
    """The equations and atoms that stand for a `cond`, a loop or a selection; None if unknown."""
    if e.op.name == "cond":
        truth = _truth(e.args[0], known)
        if truth is None:
            return None
        region = e.regions[0 if truth else 1]
        return None if _raises(region) else (region.equations, region.outputs)
    if e.op.name == "select_":
        truth = _truth(e.args[0], known)
        return None if truth is None else ([], (e.args[1 if truth else 2],))
    if e.op.name == "for" and constant_length(e.args[0]) == 0:
        return [], e.args[1:]
    if e.op.name == "while" and not e.regions[0].equations and (
            _truth(e.regions[0].outputs[0], known) is False):
        return [], e.args
    return None


def _truth(atom: Any, known: Known) -> bool | None:
    if isinstance(atom, Value):
        return known.get(atom)
    return bool(atom) if isinstance(atom, (bool, int, float, np.bool_, type(None))) else None


def _with(known: Known, pred: Any, truth: bool) -> Known:
    return {**known, pred: truth} if isinstance(pred, Value) else known


def _raises(region: Graph) -> bool:
    return any(e.op.name == "raise_" for e in region.equations)
