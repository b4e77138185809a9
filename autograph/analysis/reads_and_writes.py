"""Finds what evaluating one expression or simple statement reads and binds, in Python's order.

These are the transfer functions of the data-flow problems. A walk over the nodes in the order of
evaluation collects sets of names, one bit a name: read before being bound (gen), surely bound
(kill), maybe bound or deleted. Operands that may be skipped (`b` in `a and b`, the branches of a
conditional expression, what a comprehension runs for each item) count as maybe only. Such operands
also become lambdas later, so uses in them are marked as lazy.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.scopes import Collector, Scope, parameter_names
from autograph.analysis.statements import COMPREHENSIONS, looks_at_frame
from autograph.syntax.node_inventory import visit_below


class Effects:
    """The effects of a list of nodes that are evaluated one after the other.

    reads    names whose value from before is read.
    must     names bound whenever evaluation completes.
    may      names bound or deleted on some path.
    touched  names read or bound whenever evaluation completes, so surely bound afterwards.
    deleted  names that may be unbound afterwards because of a `del`.
    loads    the uses of values from before: node, name, and True in an operand that becomes a
             lambda.

    The sets of names are bits of the scope.
    """

    def __init__(self, scope: Scope, *nodes: Any) -> None:
        self._bits = scope.bits
        self.reads = self.must = self.may = self.touched = self.deleted = 0
        self.loads: list[tuple[Any, int, bool]] = []
        self._lazy = False
        self.visit_all(nodes)

    def visit_all(self, nodes: Any) -> None:
        """Visits the nodes of a list in order, and skips its blanks."""
        for node in nodes:
            if isinstance(node, gast.AST):
                self.visit(node)

    def visit(self, node: Any) -> None:
        """Visits one node with the method for its class, or else the nodes below it."""
        handler = HANDLERS.get(node.__class__)
        if handler is not None:
            handler(self, node)
        else:
            visit_below(self, node, HANDLERS)

    def name(self, node: Any) -> None:
        """A name: read, bound, or deleted."""
        bit = self._bits.get(node.id, 0)
        if node.ctx.__class__ is gast.Load:
            self.read(node, bit)
        elif node.ctx.__class__ is gast.Del:
            self.read(node, bit)
            self.may |= bit
            self.deleted |= bit
            self.must &= ~bit
        else:
            self.bind(bit)

    def read(self, node: Any, bit: int) -> None:
        """Uses the value of a name."""
        if bit & ~self.must:
            self.reads |= bit
            if bit & ~self.touched:
                self.loads.append((node, bit, self._lazy))
        self.touched |= bit

    def bind(self, bit: int) -> None:
        """Binds a name."""
        self.must |= bit
        self.may |= bit
        self.touched |= bit
        self.deleted &= ~bit

    def bind_name(self, name: str) -> None:
        """Binds the name, given as text."""
        self.bind(self._bits.get(name, 0))

    def forget(self, name: str) -> None:
        """Unbinds the name, bound or not, as the end of `except E as name` does."""
        bit = self._bits.get(name, 0)
        self.may |= bit
        self.deleted |= bit

    def assignment(self, node: Any) -> None:
        """Visits the value before the targets; a declaration without value binds nothing."""
        if node.value is not None:
            self.visit(node.value)
        targets = node.targets if isinstance(node, gast.Assign) else [node.target]
        if node.value is not None or not isinstance(node.target, gast.Name):
            self.visit_all(targets)

    def update(self, node: Any) -> None:
        """Visits `target += value`, which reads the target first."""
        if isinstance(node.target, gast.Name):
            self.read(node.target, self._bits.get(node.target.id, 0))
        self.visit(node.value)
        self.visit(node.target)

    def alias(self, node: Any) -> None:
        """One name of an import."""
        self.bind_name(node.asname or node.name.split(".")[0])

    def first_then_maybe(self, first: list[Any], *later: list[Any]) -> None:
        """Visits nodes that are always evaluated, then alternatives of which one may be."""
        self.visit_all(first)
        before = self.must, self.touched, self._lazy
        must = touched = -1
        self._lazy = True
        for alternative in later:
            self.must, self.touched, _ = before
            self.visit_all(alternative)
            must, touched = must & self.must, touched & self.touched
        self.must, self.touched, self._lazy = must, touched, before[2]

    def boolean(self, node: Any) -> None:
        """Visits `and` or `or`, of which only the first operand is surely evaluated."""
        self.first_then_maybe(node.values[:1], node.values[1:], [])

    def comparison(self, node: Any) -> None:
        """Visits a comparison; a chain surely evaluates its first two operands."""
        self.visit(node.left)
        if len(node.comparators) == 1:
            self.visit(node.comparators[0])
        else:
            self.first_then_maybe(node.comparators[:1], node.comparators[1:], [])

    def conditional(self, node: Any) -> None:
        """`body if test else orelse`."""
        self.first_then_maybe([node.test], [node.body], [node.orelse])

    def assertion(self, node: Any) -> None:
        """Visits an `assert`; its message is evaluated only if the test fails."""
        lazy = self._lazy
        self.visit(node.test)
        before = self.must, self.touched
        self._lazy = True
        self.visit_all([node.msg])
        self.must, self.touched = before
        self._lazy = lazy

    def comprehension(self, node: Any) -> None:
        """Visits a comprehension: only its first iterable is evaluated exactly once."""
        self.visit(node.generators[0].iter)
        if isinstance(node, gast.GeneratorExp):
            return
        hidden, self._bits = self._bits, self._without_targets(node)
        parts = [part for index, generator in enumerate(node.generators)
                 for part in ([generator.iter] if index else []) + generator.ifs]
        parts += [getattr(node, f, None) for f in ("key", "value", "elt")]
        lazy, self._lazy = self._lazy, True  # the parts become functions
        before = self.must, self.touched
        self.visit_all(parts)
        self.must, self.touched = before
        self._bits, self._lazy = hidden, lazy

    def _without_targets(self, node: Any) -> dict[str, int]:
        own = Collector()
        own.visit_all([generator.target for generator in node.generators])
        return {name: bit for name, bit in self._bits.items() if name not in own.bound}

    def definition(self, node: Any) -> None:
        """Visits an inner function: its decorators, defaults and annotations are read now."""
        self.visit_all(node.decorator_list)
        self.head(node)
        self.bind_name(node.name)

    def head(self, node: Any) -> None:
        """Visits the defaults and annotations of a function or a lambda."""
        collector = Collector()
        collector.visit_head(node)
        arguments = node.args
        self.visit_all([*arguments.defaults, *arguments.kw_defaults])
        self.note_reads(collector.reads)

    def note_reads(self, names: Any) -> None:
        """Records reads of which only the names matter."""
        for name in names:
            bit = self._bits.get(name, 0)
            if bit & ~self.must:
                self.reads |= bit

    def class_definition(self, node: Any) -> None:
        """Visits a class: its body runs now."""
        self.visit_all([*node.decorator_list, *node.bases, *node.keywords])
        collector = Collector()
        collector.class_definition(node)
        self.note_reads(collector.reads)
        self.bind_name(node.name)

    def type_alias(self, node: Any) -> None:
        """`type name = value`."""
        self.bind_name(node.name.id)

    def call(self, node: Any) -> None:
        """Visits a call; one that looks at the frame reads every name."""
        self.visit_all([node.func, *node.args, *node.keywords])
        if looks_at_frame(node):
            self.note_reads(self._bits)

    def parameters(self, function: Any) -> None:
        """Binds the parameters of a function."""
        for name in parameter_names(function.args):
            self.bind_name(name)


HANDLERS: dict[type, Any] = {
    gast.Name: Effects.name,
    gast.Assign: Effects.assignment,
    gast.AnnAssign: Effects.assignment,
    gast.NamedExpr: Effects.assignment,
    gast.AugAssign: Effects.update,
    gast.alias: Effects.alias,
    gast.BoolOp: Effects.boolean,
    gast.Compare: Effects.comparison,
    gast.IfExp: Effects.conditional,
    gast.Assert: Effects.assertion,
    gast.FunctionDef: Effects.definition,
    gast.AsyncFunctionDef: Effects.definition,
    gast.Lambda: Effects.head,
    gast.ClassDef: Effects.class_definition,
    gast.TypeAlias: Effects.type_alias,
    gast.Call: Effects.call,
    **dict.fromkeys(COMPREHENSIONS, Effects.comprehension),
}
