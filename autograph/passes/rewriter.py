"""Walks over expressions and replaces nodes: the base of the passes in `lower/`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.scopes import Collector, parameter_names
from autograph.analysis.statements import counts_frames, looks_at_frame, own_nodes, statements
from autograph.syntax.names import Names
from autograph.syntax.node_builders import at, call, operator
from autograph.syntax.node_inventory import FIELDS


class _Inside(dict[type, tuple[str, ...]]):
    def __missing__(self, kind: type) -> tuple[str, ...]:
        fields = self[kind] = () if kind is gast.Name else FIELDS[kind]
        return fields


INSIDE = _Inside()
"""The fields of a class of nodes that may hold expressions or statements: of names none, as those
of parameters hold annotations."""

SUSPENDS = (gast.Yield, gast.YieldFrom, gast.Await)


class Rewriter:
    """Replaces each node, in place, by what the method named after its class returns.

    Annotations, class bodies (but not their methods) and the inside of generators and coroutines
    stay as they are.
    """

    methods: dict[type, Any]
    """The class of a node -> the method named after it."""

    def __init_subclass__(cls) -> None:
        kinds = {name: getattr(gast, name, None) for name in dir(cls)}
        cls.methods = {kind: getattr(cls, name) for name, kind in kinds.items()
                       if isinstance(kind, type)}

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.owners = frozenset(unit.functions)

    def ag(self, origin: Any, name: str, *arguments: Any) -> Any:
        """Returns a call of an operator, with the position of the node that it replaces."""
        return at(origin, call(operator(self.unit.context.ag, name), *arguments))

    def top(self, tree: Any) -> Any:
        """Rewrites the converted function itself, whose defaults are never evaluated again."""
        if isinstance(tree, gast.Lambda):
            tree.body = self.rewrite(tree.body)
        elif tree in self.owners:
            self.body(tree)
        return tree

    def rewrite(self, node: Any) -> Any:
        """Returns the node to put in place of `node`."""
        method = self.methods.get(node.__class__)
        return self.inside(node) if method is None else method(self, node)

    def inside(self, node: Any) -> Any:
        """Rewrites the nodes below a node."""
        held = node.__dict__
        methods = self.methods
        for field in INSIDE[node.__class__]:
            value = held.get(field)
            if value.__class__ is list:
                for index, item in enumerate(value):
                    kind = item.__class__
                    if kind in methods:
                        value[index] = methods[kind](self, item)
                    elif INSIDE[kind]:
                        self.inside(item)
            elif value is not None:
                kind = value.__class__
                if kind in methods:
                    held[field] = methods[kind](self, value)
                elif INSIDE[kind]:
                    self.inside(value)
        return node

    def FunctionDef(self, node: Any) -> Any:
        """Rewrites an inner function; its decorators and defaults belong to the function around
        it."""
        node.decorator_list = [self.decorator(d) for d in node.decorator_list]
        self.defaults(node.args)
        if node in self.owners or node.name in self.unit.names.invented:
            self.body(node)
        return node

    def decorator(self, node: Any) -> Any:
        """Rewrites a decorator of an inner function or of a method."""
        return self.rewrite(node)

    def AsyncFunctionDef(self, node: Any) -> Any:
        """Rewrites the defaults of a coroutine, and leaves its body as it is."""
        self.defaults(node.args)
        return node

    def body(self, node: Any) -> None:
        """Rewrites the statements of a function."""
        node.body = [self.rewrite(statement) for statement in node.body]

    def Lambda(self, node: Any) -> Any:
        """Rewrites an inner lambda."""
        self.defaults(node.args)
        node.body = self.rewrite(node.body)
        return node

    def defaults(self, arguments: Any) -> None:
        """Rewrites the defaults of the parameters."""
        for values in (arguments.defaults, arguments.kw_defaults):
            values[:] = [self.rewrite(v) if v is not None else v for v in values]

    def ClassDef(self, node: Any) -> Any:
        """Rewrites the methods of a class, and nothing else in it."""
        for statement in statements(node.body):
            if isinstance(statement, gast.FunctionDef):
                statement.decorator_list = [self.decorator(d) for d in statement.decorator_list]
                if statement in self.owners:
                    self.body(statement)
            elif isinstance(statement, gast.ClassDef):
                self.ClassDef(statement)
        return node

    def match_case(self, node: Any) -> Any:
        """Rewrites the guard and the statements of a case; the names in a pattern are no
        expressions."""
        node.guard = node.guard and self.rewrite(node.guard)
        node.body = [self.rewrite(statement) for statement in node.body]
        return node

    def AnnAssign(self, node: Any) -> Any:
        """Rewrites an annotated assignment, but not the annotation."""
        node.target = self.rewrite(node.target)
        node.value = node.value and self.rewrite(node.value)
        return node


class ScopedRewriter(Rewriter):
    """A rewriter that keeps the set of local names at the current node in `local`."""

    local: frozenset[str] = frozenset()

    def body(self, node: Any) -> None:
        names = self.unit.scope(node).bits if node in self.owners else ()
        self.scoped(names, super().body, node)

    def Lambda(self, node: Any) -> Any:
        return self.scoped(parameter_names(node.args), super().Lambda, node)

    def comprehend(self, node: Any) -> Any:
        targets = Collector()
        targets.visit_all([generator.target for generator in node.generators])
        return self.scoped(targets.bound, self.inside, node)

    ListComp = SetComp = DictComp = GeneratorExp = comprehend

    def scoped(self, names: Iterable[str], rewrite: Callable[[Any], Any], node: Any) -> Any:
        """Rewrites a node inside which the names are local."""
        outside = self.local
        if names:
            self.local = outside.union(names)
        result = rewrite(node)
        self.local = outside
        return result


def needs_frame(node: Any, names: Names) -> bool:
    """Returns True if an expression would mean something else inside a lambda.

    A name that a pass invented may be bound in it: nothing outside the expression uses that name.
    """
    return any(isinstance(n, SUSPENDS) or looks_at_frame(n) or counts_frames(n)
               or (isinstance(n, gast.NamedExpr) and n.target.id not in names.invented)
               for n in own_nodes(node))
