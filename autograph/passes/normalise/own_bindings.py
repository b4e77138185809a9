"""Turns names that a generator expression binds for itself into variables of it.

Such an expression becomes functions of its items later, and those can bind no name of the function
around it.

>>> from autograph.passes.pipeline import show
>>> show("own_bindings", "def f(x, m): return sum((d := v - m) * d for v in x)")
def f(x, m):
    return sum(d * d for v in x for d in (v - m,))
>>> show("own_bindings", "def f(x): return sum(y for v in x if v > 1 and (y := v * v) > 2)")
def f(x):
    return sum(y for v in x if v > 1 for y in (v * v,) if y > 2)

A name that is used elsewhere too, or before it is bound, stays as it is:

>>> show("own_bindings", "def f(x): return any((y := v) > 2 for v in x), y")
def f(x):
    return any((y := v) > 2 for v in x), y
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.normalise.lazy_bindings import operands
from autograph.syntax.gast_conversion import copied
from autograph.syntax.node_builders import at, load, store, tuple_of
from autograph.syntax.node_inventory import below

FIRST = {gast.BoolOp: "values", gast.IfExp: "test"}
"""The class of an expression -> the field with the operand that is never skipped."""

SIMPLE = (gast.Name, gast.Constant)


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the generator expressions of every function."""
    found = [node for node in below(tree) if isinstance(node, gast.GeneratorExp)]
    own = _own(tree, found)
    for node in found if own else ():
        _Steps(own).rewrite(node)
    return tree


def _own(tree: Any, expressions: list[Any]) -> set[str]:
    """Returns the names that each generator expression which has them can bind for itself, and
    that nothing else has."""
    used, here, kept = Counter(_names(tree)), Counter[str](), set[str]()
    for node in expressions:
        bound = Counter(n.target.id for n in below(node) if isinstance(n, gast.NamedExpr))
        steps = _Steps({name for name, count in bound.items() if count == 1})
        steps.rewrite(copied(node))
        kept |= bound.keys() - steps.moved
        here += Counter(name for name in _names(node) if name in steps.moved)
    return {name for name in here if here[name] == used[name]} - kept


def _names(tree: Any) -> Iterator[str]:
    """Yields the names in a tree, as often as they occur."""
    for node in below(tree):
        if isinstance(node, gast.Name):
            yield node.id
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            yield from node.names


class _Steps:
    """The `for`s of a generator expression as they become."""

    def __init__(self, own: set[str]) -> None:
        self.own = own
        self.moved: set[str] = set()
        self.made: list[Any] = []

    def rewrite(self, node: Any) -> None:
        for generator in node.generators:
            tests, generator.ifs = [t for test in generator.ifs for t in _flat(test)], []
            self.made.append(generator)
            for test in tests:
                left = self.without_bindings(test)
                self.made[-1].ifs.append(left)
        node.elt = self.without_bindings(node.elt)
        node.generators = self.made

    def without_bindings(self, value: Any) -> Any:
        """Returns an expression that reads what a new `for` binds."""
        holder, found, passed = _first(value)
        if found is None or not self.can_move(found, passed):
            return value
        name = found.target.id
        self.moved.add(name)
        self.made.append(gast.comprehension(
            at(found, store(name)), at(found, tuple_of([found.value])), [], False))
        read = at(found, load(name))
        if holder is None:
            return read
        _put(holder, found, read)
        return self.without_bindings(value)

    def can_move(self, found: Any, passed: list[Any]) -> bool:
        """Returns True if a name is this expression's own, and neither it nor what is evaluated
        before it means something else then."""
        name = found.target.id
        before = [*self.made, *passed, found.value]
        return (name in self.own - self.moved and not any(name in _names(part) for part in before)
                and not (passed and any(isinstance(n, gast.Call) for n in below(found.value))))


def _flat(test: Any) -> list[Any]:
    """Returns the tests of `a and b`."""
    if isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And):
        return [t for value in test.values for t in _flat(value)]
    return [test]


def _first(node: Any) -> tuple[Any, Any, list[Any]]:
    """Returns the binding that an expression evaluates before all but names and constants; the
    node that holds it, and those names and constants. None if there is no such binding."""
    holder, passed = None, []
    while node is not None and not isinstance(node, gast.NamedExpr):
        parts = _parts(node)
        count = next((i for i, x in enumerate(parts) if not isinstance(x, SIMPLE)), len(parts))
        passed += parts[:count]
        holder, node = node, parts[count] if count < len(parts) else None
    return holder, node, passed


def _parts(node: Any) -> list[Any]:
    """Returns what an expression evaluates in any case, in this order."""
    if node.__class__ in FIRST:
        value = getattr(node, FIRST[node.__class__])
        return value[:1] if isinstance(value, list) else [value]
    return operands(node)


def _put(holder: Any, old: Any, new: Any) -> None:
    for field, value in gast.iter_fields(holder):
        if value is old:
            setattr(holder, field, new)
        elif isinstance(value, list):
            value[:] = [new if x is old else x for x in value]
            for x in value:
                if isinstance(x, gast.keyword) and x.value is old:
                    x.value = new
