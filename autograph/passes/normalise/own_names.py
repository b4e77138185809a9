"""Leaves the names that other passes add out of `locals()`.

`given = locals()` becomes `given = ag.own_names(locals(), ('x', 'y', 'given'))`, if `locals`
is known to be the builtin.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.frame_views import NAMING, own_name_calls
from autograph.analysis.scopes import Scope
from autograph.syntax.node_builders import at, call, load, operator


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the calls in the functions that make such calls alone."""
    for function in unit.functions:
        scope = unit.scope(function)
        for node in own_name_calls(function) or () if NAMING not in scope.bits else ():
            names = (*_in_order(function.args, scope), *unit.context.free_names)
            _filter(node, names, unit.context.ag)
    return tree


def _in_order(arguments: Any, scope: Scope) -> list[str]:
    """Returns the names of a function in the order in which a frame keeps them: the parameters with
    stars after the others, the variables of inner functions last."""
    stars = [a.id for a in (arguments.vararg, arguments.kwarg) if a is not None]
    parameters = [name for name in scope.parameters if name not in stars] + stars
    own = [name for name in scope.bits if name not in parameters]
    return [*parameters, *sorted(own, key=scope.captured.__contains__)]


def _filter(node: Any, names: tuple[str, ...], ag: str) -> None:
    """Makes the call one of the operator, on what the call gives."""
    asked = at(node, call(load(node.func.id)))
    shown = gast.Tuple([gast.Constant(name, None) for name in names], gast.Load())
    node.func, node.args = at(node, operator(ag, "own_names")), [asked, at(node, shown)]
