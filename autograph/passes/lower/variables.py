"""Gives names that may be unbound a marker as value, and checks the uses of such names.

>>> from autograph.passes.pipeline import show
>>> show("variables", '''
... def f(items):
...     for item in items:
...         last = item
...     return last
... ''')
def f(items):
    last = ag.Undefined('last')
    for item in items:
        last = item
    return ag.bound(last)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.liveness import State
from autograph.analysis.statements import TRY
from autograph.passes.rewriter import Rewriter
from autograph.syntax.node_builders import (
    assign,
    at,
    blocks_replaced,
    call,
    constant,
    insert_first,
    load,
    operator,
    thunk,
)


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites every function with names that may be unbound."""
    for function in unit.functions:
        state = unit.state(function)
        if state.tracked or unit.maybe_unbound(function):
            _Variables(unit, state, unit.maybe_unbound(function)).function(function)
            unit.changed(function)
    return tree


def bound(unit: Unit, state: State, name: Any, inner: bool = False) -> Any:
    """Returns a use that raises what the plain function's would if the name is unbound.

    `inner`: the use is in a comprehension.
    """
    tracked = name.id in state.tracked
    check = operator(unit.context.ag, "bound" if tracked else "local")
    made = call(check, name if tracked else thunk(name))
    made.keywords = [gast.keyword("inner", constant(True))] if inner else []
    return made


class _Variables:
    def __init__(self, unit: Unit, state: State, maybe_unbound: frozenset[Any]) -> None:
        self.unit, self.state, self.maybe_unbound = unit, state, maybe_unbound
        self.ag = unit.context.ag

    def function(self, function: Any) -> None:
        _Checks(self.unit, self.state, self.maybe_unbound).body(function)
        function.body = self.block(function.body)
        insert_first(function, [at(function, self.undefine(n)) for n in self.state.starting])

    def undefine(self, name: str) -> gast.stmt:
        named = [] if name in self.unit.names.invented else [constant(name)]
        return assign(name, call(operator(self.ag, "Undefined"), *named))

    def check(self, origin: Any, name: str) -> gast.stmt:
        return at(origin, gast.Expr(bound(self.unit, self.state, load(name))))

    def block(self, body: list[gast.stmt]) -> list[gast.stmt]:
        return [s for statement in body for s in self.statement(statement)]

    def statement(self, statement: Any) -> list[Any]:
        """Returns the statements that replace a statement."""
        blocks_replaced(statement, self.block)
        if isinstance(statement, TRY):
            for handler in statement.handlers:
                self.handler(handler)
        if isinstance(statement, gast.Delete):
            return [s for target in statement.targets for s in self.deletion(statement, target)]
        before = []
        if isinstance(statement, gast.AugAssign) and statement.target in self.maybe_unbound:
            before = [self.check(statement, statement.target.id)]
        return [*before, statement]

    def deletion(self, statement: Any, target: Any) -> list[Any]:
        """Turns `del name` into an assignment of the marker; deletes other targets as before."""
        before = [self.check(target, target.id)] if target in self.maybe_unbound else []
        if not (isinstance(target, gast.Name) and target.id in self.state.tracked):
            return [*before, gast.copy_location(gast.Delete([target]), statement)]
        return [*before, at(statement, self.undefine(target.id))]

    def handler(self, handler: Any) -> None:
        """Makes the name of an `except` undefined at the end of its block, however that is left."""
        if handler.name is None or handler.name.id not in self.state.tracked:
            return
        name, caught = handler.name.id, self.unit.names.fresh("caught")
        handler.name.id = caught
        forget = at(handler, self.undefine(name))
        handler.body = [at(handler, assign(name, load(caught))),
                        at(handler, gast.Try(handler.body, [], [], [forget]))]


class _Checks(Rewriter):
    """Puts the checks into the expressions of one function."""

    inner = False

    def __init__(self, unit: Unit, state: State, maybe_unbound: frozenset[Any]) -> None:
        super().__init__(unit)
        self.state, self.maybe_unbound = state, maybe_unbound

    def Name(self, node: Any) -> Any:
        if node not in self.maybe_unbound or not isinstance(node.ctx, gast.Load):
            return node
        return at(node, bound(self.unit, self.state, node, self.inner))

    def comprehend(self, node: Any) -> Any:
        first = node.generators[0]
        first.iter, outside = self.rewrite(first.iter), self.inner
        done, first.iter, self.inner = first.iter, constant(None), True
        self.inside(node)
        first.iter, self.inner = done, outside
        return node

    ListComp = SetComp = DictComp = comprehend

    def FunctionDef(self, node: Any) -> Any:
        self.defaults(node.args)
        return node

    def ClassDef(self, node: Any) -> Any:
        return node
