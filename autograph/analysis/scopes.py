"""Finds the local names of a function, and which of them its inner functions capture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

import gast

from autograph.analysis.statements import COMPREHENSIONS, DEFINITIONS
from autograph.syntax.node_inventory import visit_below


@dataclass(frozen=True)
class Scope:
    """The names of one function, in order of first binding.

    `bits` numbers the function's local names; sets of names are integers, one bit a name.
    `outer` are the names declared `global` or `nonlocal`, with the word that declares them.
    `captured` are the local names that inner functions read or write later.
    """

    parameters: tuple[str, ...]
    bits: dict[str, int]
    outer: dict[str, str]
    captured: frozenset[str]

    def names(self, mask: int) -> list[str]:
        """Returns the names of a set, in order of first binding."""
        return [name for name, bit in self.bits.items() if mask & bit]

    def mask(self, names: Iterable[str]) -> int:
        """Returns the set of those of the names that are local."""
        return reduce(or_, (self.bits.get(name, 0) for name in names), 0)


def scope_of(function: Any) -> Scope:
    """Returns the scope of a function definition (or of a lambda)."""
    collector = Collector()
    names = parameter_names(function.args)
    for name in names:
        collector.bind(name)
    body = function.body if isinstance(function.body, list) else [function.body]
    collector.visit_all(body)
    local = [name for name in collector.bound if name not in collector.outer]
    bits = {name: 1 << index for index, name in enumerate(local)}
    captured = frozenset(name for name in collector.captured if name in bits)
    return Scope(tuple(names), bits, collector.outer, captured)


def parameter_names(arguments: Any) -> list[str]:
    """Returns the parameters in the order in which they are written."""
    positional = [*(arguments.posonlyargs or []), *arguments.args]
    starred = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    ordered = [*positional, *starred[:1], *arguments.kwonlyargs, *starred[1:]]
    if arguments.vararg is None:
        ordered = [*positional, *arguments.kwonlyargs, *starred]
    return [argument.id for argument in ordered]


def bound_names(body: list[gast.stmt]) -> list[str]:
    """Returns the names that the statements bind in their function, in order of first binding."""
    collector = BoundNames()
    collector.visit_all(body)
    return [name for name in collector.bound if name not in collector.outer]


class Collector:
    """Collects the names of one function from its statements.

    `bound` are the names that it binds, `reads` those that it reads at once, `captured` those that
    an inner function reads or writes later, `outer` those declared `global` or `nonlocal`.
    """

    def __init__(self) -> None:
        self.bound: dict[str, None] = {}
        self.reads: dict[str, None] = {}
        self.outer: dict[str, str] = {}
        self.captured: dict[str, None] = {}

    def bind(self, name: str) -> None:
        """Records that the function binds the name."""
        self.bound[name] = None

    def visit_all(self, nodes: Any) -> None:
        """Visits the nodes of a list in order, and skips its blanks."""
        for node in nodes:
            if isinstance(node, gast.AST):
                self.visit(node)

    def visit(self, node: Any) -> None:
        """Visits one node with the method for its class, or else the nodes below it."""
        if handler := HANDLERS.get(node.__class__):
            handler(self, node)
        else:
            visit_below(self, node, HANDLERS)

    def name(self, node: Any) -> None:
        """A name: read, or bound (deleting binds, as Python sees it)."""
        if isinstance(node.ctx, gast.Load):
            self.reads[node.id] = None
        else:
            self.bound[node.id] = None

    def declaration(self, node: Any) -> None:
        """`global` or `nonlocal`."""
        word = "global" if isinstance(node, gast.Global) else "nonlocal"
        self.outer.update(dict.fromkeys(node.names, word))

    def alias(self, node: Any) -> None:
        """One name of an import."""
        self.bind(node.asname or node.name.split(".")[0])

    def pattern(self, node: Any) -> None:
        """A pattern that may bind a name of its own."""
        visit_below(self, node, HANDLERS)
        name = node.rest if isinstance(node, gast.MatchMapping) else node.name
        if name is not None:
            self.bind(name)

    def type_alias(self, node: Any) -> None:
        """`type name = value`: the value is read later."""
        self.bind(node.name.id)
        self._later(Collector.visit, node.value)

    def function(self, node: Any) -> None:
        """An inner function: its head is read now, its body later."""
        self.visit_all(node.decorator_list)
        self.visit_head(node)
        self.bind(node.name)
        self._later_function(node, node.body)

    def visit_head(self, node: Any) -> None:
        """The defaults and the annotations of a function or a lambda."""
        arguments = node.args
        self.visit_all([*arguments.defaults, *arguments.kw_defaults])
        given = [*(arguments.posonlyargs or []), *arguments.args, *arguments.kwonlyargs,
                 arguments.vararg, arguments.kwarg]
        self.visit_all([a.annotation for a in given if a is not None])
        self.visit_all([getattr(node, "returns", None)])

    def lambda_(self, node: Any) -> None:
        """A lambda."""
        self.visit_head(node)
        self._later_function(node, [node.body])

    def _later_function(self, node: Any, body: list[Any]) -> None:
        inner = Collector()
        for name in parameter_names(node.args):
            inner.bind(name)
        inner.visit_all(body)
        self._capture(inner)

    def _later(self, visit: Any, node: Any) -> None:
        inner = Collector()
        visit(inner, node)
        self._capture(inner)

    def _capture(self, inner: Collector) -> None:
        for name in (*inner.reads, *inner.captured):
            if name not in inner.bound and name not in inner.outer:
                self.captured[name] = None
        self._capture_nonlocals(inner)

    def _capture_nonlocals(self, inner: Collector) -> None:
        self.captured.update({n: None for n, word in inner.outer.items() if word == "nonlocal"})

    def class_definition(self, node: Any) -> None:
        """A class: its body runs now, its methods later and without the names of the class."""
        self.visit_all([*node.decorator_list, *node.bases, *node.keywords])
        inner = Collector()
        inner.visit_all(node.body)
        self.reads.update({n: None for n in inner.reads if n not in inner.bound})
        self.captured.update(inner.captured)
        self._capture_nonlocals(inner)
        self.bind(node.name)

    def comprehension(self, node: Any) -> None:
        """A comprehension has names of its own; a generator expression runs later."""
        self.visit(node.generators[0].iter)
        inner = Collector()
        inner.visit_comprehension(node)
        targets = inner.own_targets
        reads = {name: None for name in inner.reads if name not in targets}
        late = {name: None for name in inner.captured if name not in targets}
        self.bound.update({n: None for n in inner.bound if n not in targets})
        self.captured.update(late)
        (self.captured if isinstance(node, gast.GeneratorExp) else self.reads).update(reads)
        if isinstance(node, gast.GeneratorExp):
            self.captured.update({n: None for n in inner.bound if n not in targets})

    def visit_comprehension(self, node: Any) -> None:
        """Visits what runs in the frame of the comprehension: all but the first iterable."""
        targets = Collector()
        targets.visit_all([generator.target for generator in node.generators])
        self.own_targets = targets.bound
        self.reads.update(targets.reads)
        for index, generator in enumerate(node.generators):
            self.visit_all([*([generator.iter] if index else []), *generator.ifs])
        self.visit_all([getattr(node, f, None) for f in ("key", "value", "elt")])


class BoundNames(Collector):
    """A collector that skips the bodies of inner functions, which bind nothing here."""

    def _later_function(self, node: Any, body: list[Any]) -> None:
        pass


HANDLERS: dict[type, Any] = {
    gast.Name: Collector.name,
    gast.Global: Collector.declaration,
    gast.Nonlocal: Collector.declaration,
    gast.alias: Collector.alias,
    gast.MatchAs: Collector.pattern,
    gast.MatchStar: Collector.pattern,
    gast.MatchMapping: Collector.pattern,
    gast.TypeAlias: Collector.type_alias,
    gast.FunctionDef: Collector.function,
    gast.AsyncFunctionDef: Collector.function,
    gast.ClassDef: Collector.class_definition,
    gast.Lambda: Collector.lambda_,
    **dict.fromkeys(COMPREHENSIONS, Collector.comprehension),
}

assert set(DEFINITIONS) <= set(HANDLERS)
