"""Moves declarations out of blocks, which are about to become functions of their own.

>>> from autograph.passes.pipeline import show
>>> show("declarations", '''
... def f(c):
...     if c:
...         global total
...         total: float = 1.0
...         name: str
... ''')
def f(c):
    global total
    name: str
    if c:
        total = 1.0
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.statements import statements
from autograph.syntax.node_builders import at, blocks_replaced, insert_first

DECLARATIONS = (gast.Global, gast.Nonlocal)


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites every function that declares something inside a block, or a name without value."""
    for function in unit.functions:
        kinds = {s.__class__ for s in statements(function.body)}
        if kinds & {gast.Global, gast.Nonlocal, gast.AnnAssign}:
            _Hoister(function).run()
    return tree


class _Hoister:
    def __init__(self, function: Any) -> None:
        self.function = function
        self.hoisted: list[gast.stmt] = []
        self.annotated_names: set[str] = set()

    def run(self) -> None:
        function = self.function
        function.body = [s for statement in function.body for s in self.keep(statement, False)]
        insert_first(function, self.hoisted)

    def inner(self, body: list[gast.stmt]) -> list[gast.stmt]:
        kept = [s for statement in body for s in self.keep(statement, True)]
        return kept or [at(body[0], gast.Pass())]

    def keep(self, statement: Any, inside: bool) -> list[gast.stmt]:
        """Returns the statements that stay in place of a statement."""
        if isinstance(statement, DECLARATIONS):
            self.hoisted.append(statement)
            return []
        if isinstance(statement, gast.AnnAssign) and isinstance(statement.target, gast.Name):
            return self.annotated(statement, inside)
        blocks_replaced(statement, self.inner)
        return [statement]

    def annotated(self, statement: Any, inside: bool) -> list[gast.stmt]:
        """Moves `name: T`, which makes a name local; in a block, drops T from `name: T = value`."""
        if statement.value is None:
            name = statement.target.id
            if name not in self.annotated_names:
                self.annotated_names.add(name)
                self.hoisted.append(statement)
            return []
        if not inside:
            return [statement]
        assignment = gast.Assign([statement.target], statement.value, None)
        return [gast.copy_location(assignment, statement)]
