"""Leaves the names that other passes add out of `locals()`.

`given = locals()` becomes `given = ag.own_names(locals(), ('x', 'y', 'given'))`, if `locals`
is known to be the builtin; in a branch or a loop, whose code moves into other frames,
`given = ag.own_values(x=lambda: x, y=lambda: y)`.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.frame_views import NAMING, kept_in_frame, own_name_calls
from autograph.analysis.scopes import Collector, Scope
from autograph.syntax.node_builders import at, call, load, operator, thunk


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the calls in the functions that make such calls alone."""
    if any(NAMING in unit.scope(function).bits for function in unit.functions):
        return tree
    for function in unit.functions:
        calls = own_name_calls(function) or ()
        names = (*_in_order(function.args, unit.scope(function)), *_free(function, unit)
                 ) if calls else ()
        in_place = kept_in_frame(function) if calls else ()
        for node in calls:
            (_filter if node in in_place else _look_up)(node, names, unit.context.ag)
    return tree


def _free(function: Any, unit: Unit) -> list[str]:
    """Returns the names of a function that belong to functions around it, in their order."""
    around = {name for f in unit.functions if f is not function and function in set(gast.walk(f))
              for name in unit.scope(f).bits}
    found = Collector()
    found.function(function)
    return sorted(found.captured.keys() & {*around, *unit.context.free_names})


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


def _look_up(node: Any, names: tuple[str, ...], ag: str) -> None:
    """Makes the call one of the operator that looks each name up."""
    node.func = at(node, operator(ag, "own_values"))
    node.keywords = [at(node, gast.keyword(name, thunk(load(name)))) for name in names]
