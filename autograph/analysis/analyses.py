"""Shares the state of one conversion among the passes: functions, names, cached analyses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from autograph.analysis.frame_views import NAMING, functions, staying
from autograph.analysis.liveness import State, maybe_unbound_uses, state_of
from autograph.analysis.scopes import Scope, scope_of
from autograph.analysis.statements import FRAME_COUNTING, FRAME_VIEWERS
from autograph.syntax.context import Context
from autograph.syntax.names import Names
from autograph.syntax.node_builders import load
from autograph.syntax.node_inventory import Inventory, below, inventory_of


class Unit:
    """The state of one conversion.

    `functions` are the definitions to convert, outermost first: the same nodes from the first
    pass to the last; of those that are `staying` in their frames, the calls alone. Analyses are
    cached until a pass calls `changed`. `inventory` is that of the tree, if it is known.
    """

    def __init__(self, tree: Any, context: Context, inventory: Inventory | None = None) -> None:
        self.inventory = inventory = inventory or inventory_of(tree)
        self.context = context
        self.names = Names([*inventory.names, *context.free_names, context.ag])
        known = inventory.mentions(frozenset({NAMING})) and (
            context.resolve(load(NAMING), frozenset()).action == "keep")
        self.functions: list[Any] = functions(tree, inventory, known, context.suspends)
        self.staying = frozenset(
            staying(tree, self.functions) if inventory.mentions(FRAME_VIEWERS) else ())
        self._states: dict[Any, State] = {}
        self._scopes: dict[Any, Scope] = {}
        self._maybe_unbound: dict[Any, frozenset[Any]] = {}

    def global_names(self) -> Iterator[str]:
        """Yields the names that `global` statements of the functions name now."""
        if gast.Global in self.inventory.kinds:
            for outermost in self.functions[:1]:
                for node in below(outermost):
                    yield from node.names if isinstance(node, gast.Global) else ()

    def scope(self, function: Any) -> Scope:
        """Returns the scope of a function as it was when it was first asked for."""
        if function not in self._scopes:
            self._scopes[function] = scope_of(function)
        return self._scopes[function]

    def state(self, function: gast.FunctionDef) -> State:
        """Returns the analyses of a function as it is now."""
        if function not in self._states:
            self._states[function] = state_of(function, self.inventory.mentions(FRAME_COUNTING))
            self._scopes.setdefault(function, self._states[function].scope)
        return self._states[function]

    def note_maybe_unbound(self, function: gast.FunctionDef) -> None:
        """Records which uses may find their name unbound, before flags hide which paths exist."""
        self._maybe_unbound[function] = maybe_unbound_uses(function)

    def maybe_unbound(self, function: gast.FunctionDef) -> frozenset[Any]:
        """Returns the uses that must be checked, since they may find their name unbound."""
        maybe_unbound = self.state(function).maybe_unbound
        return maybe_unbound & self._maybe_unbound.get(function, maybe_unbound)

    def changed(self, function: gast.FunctionDef) -> None:
        """Forgets the analyses of a function, which a pass has changed."""
        self._states.pop(function, None)


