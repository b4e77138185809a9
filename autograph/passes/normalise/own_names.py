"""Leaves the names that other passes add out of `locals()`.

`given = locals()` becomes `given = ag.own_names(locals(), ('x', 'y', 'given'))`, if `locals`
is known to be the builtin.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.frame_views import NAMING, own_name_calls
from autograph.syntax.node_builders import at, call, load, operator


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the calls in the functions that make such calls alone."""
    for function in unit.functions:
        scope = unit.scope(function)
        for node in own_name_calls(function) or () if NAMING not in scope.bits else ():
            _filter(node, (*scope.bits, *unit.context.free_names), unit.context.ag)
    return tree


def _filter(node: Any, names: tuple[str, ...], ag: str) -> None:
    """Makes the call one of the operator, on what the call gives."""
    asked = at(node, call(load(node.func.id)))
    shown = gast.Tuple([gast.Constant(name, None) for name in names], gast.Load())
    node.func, node.args = at(node, operator(ag, "own_names")), [asked, at(node, shown)]
