"""Moves operands that bind a name, and that may be skipped, out of their expression into an `if`.

A skipped operand becomes a lambda later, and a lambda can bind no name of the function:

>>> from autograph.passes.pipeline import show
>>> show("lazy_bindings", '''
... def f(x):
...     if x > 0 and (y := x * 2) > 6:
...         return y
...     z = (w := 1) if x else x
... ''')
def f(x):
    tmp = x > 0
    if tmp:
        tmp = (y := x * 2) > 6
    if tmp:
        return y
    if x:
        tmp_1 = (w := 1)
    else:
        tmp_1 = x
    z = tmp_1

A variable holds what is evaluated before such an operand, so that the order stays the same:

>>> show("lazy_bindings", "def f(g, x): return g() + (x and (y := 1))")
def f(g, x):
    tmp = g()
    tmp_1 = x
    if tmp_1:
        tmp_1 = (y := 1)
    return tmp + tmp_1

A comprehension that binds a name becomes a loop, with variables of its own:

>>> show("lazy_bindings", "def f(x): return [y for v in x if (y := v * v) > 2]")
def f(x):
    made = []
    for v_1 in x:
        if (y := v_1 * v_1) > 2:
            made.append(y)
    return made
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.statements import own_nodes
from autograph.passes.lower.comprehension_variables import rename
from autograph.syntax.node_builders import assign, at, blocks_replaced, call, load, negated

Body = list[Any]

HOLDERS = {gast.If: "test", gast.Assign: "value", gast.Return: "value", gast.Expr: "value"}
"""The class of a statement -> the field with the expression that it evaluates first."""

ORDERED = {
    gast.Call: ("func", "args", "keywords"), gast.keyword: ("value",),
    gast.BinOp: ("left", "right"), gast.UnaryOp: ("operand",), gast.NamedExpr: ("value",),
    gast.Compare: ("left", "comparators"), gast.Attribute: ("value",),
    gast.Subscript: ("value", "slice"), gast.Tuple: ("elts",), gast.List: ("elts",),
    gast.Set: ("elts",), gast.JoinedStr: ("values",), gast.FormattedValue: ("value",),
}
"""The operands of an expression, in the order in which they are evaluated."""


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites the statements of every function; those that have no such form stay as they are."""
    def block(body: Body) -> Body:
        return [s for statement in body for s in rewritten(statement)]

    def rewritten(statement: Any) -> Body:
        blocks_replaced(statement, block)
        field = HOLDERS.get(statement.__class__)
        value = field and getattr(statement, field)
        if value is None or not _found(value) or not _can_move(value):
            return [statement]
        before, value = _Moving(unit).moved(value)
        setattr(statement, str(field), value)
        return [*block(before), statement]

    for function in unit.functions:
        function.body = block(function.body)
    return tree


def _binds(node: Any) -> bool:
    return any(isinstance(n, gast.NamedExpr) for n in own_nodes(node))


def _skipped(node: Any) -> Body:
    """Returns the operands of an expression that may be skipped."""
    if isinstance(node, gast.BoolOp):
        return list(node.values[1:])
    return [node.body, node.orelse] if isinstance(node, gast.IfExp) else []


def _found(node: Any) -> bool:
    """Returns True if an operand in the expression may be skipped and binds a name, or if a
    comprehension binds one."""
    return any(_loops(n) or any(map(_binds, _skipped(n))) for n in own_nodes(node))


def _loops(node: Any) -> bool:
    """Returns True for a comprehension that binds a name and can be a loop."""
    if type(node) not in MADE or not _binds(node):
        return False
    inside: Body = list(own_nodes(node))
    generators: Body = getattr(node, "generators")  # noqa: B009
    return not any(g.is_async for g in generators) and not any(
        isinstance(n, (gast.Lambda, gast.GeneratorExp)) or (n is not node and n.__class__ in MADE)
        for n in inside)


def _can_move(node: Any) -> bool:
    """Returns True if every such operand is in expressions whose order of evaluation is known."""
    if not _found(node) or _loops(node):
        return True
    if isinstance(node, (gast.BoolOp, gast.IfExp)):
        inside = node.values if isinstance(node, gast.BoolOp) else [
            node.test, node.body, node.orelse]
        return all(map(_can_move, inside))
    if isinstance(node, gast.Compare) and len(node.ops) > 1:
        return False
    inside = operands(node)
    last = max((i for i, n in enumerate(inside) if _found(n)), default=-1)
    return bool(inside) and all(map(_can_move, inside)) and not any(
        isinstance(n, (gast.Starred, gast.Slice)) for n in inside[:last + 1])


def operands(node: Any) -> Body:
    """Returns the operands of an expression, in the order in which they are evaluated."""
    found: Body = []
    for field in ORDERED.get(node.__class__, ()):
        value = getattr(node, field)
        found += value if isinstance(value, list) else [value]
    return [n.value if isinstance(n, gast.keyword) else n for n in found]


class _Moving:
    def __init__(self, unit: Unit) -> None:
        self.names = unit.names

    def moved(self, node: Any) -> tuple[Body, Any]:
        """Returns the statements to run before, and the expression that remains."""
        if not _found(node):
            return [], node
        if _loops(node):
            return self.comprehension(node)
        if isinstance(node, gast.BoolOp):
            return self.boolean(node)
        if isinstance(node, gast.IfExp):
            return self.conditional(node)
        return self.in_order(node)

    def boolean(self, node: Any) -> tuple[Body, Any]:
        """`a and b` as `tmp = a`, `if tmp: tmp = b`."""
        count = next((i for i, v in enumerate(node.values) if i and _binds(v)), len(node.values))
        first, rest = node.values[:count], node.values[count:]
        if len(first) == 1 or any(map(_found, first)):
            first, rest = node.values[:1], node.values[1:]
        start = first[0] if len(first) == 1 else at(node, gast.BoolOp(node.op, first))
        name = self.names.fresh("tmp")
        before, start = self.moved(start)
        before.append(at(start, assign(name, start)))
        if rest:
            others = rest[0] if len(rest) == 1 else at(rest[0], gast.BoolOp(node.op, rest))
            inside, value = self.moved(others)
            test = load(name) if isinstance(node.op, gast.And) else negated(load(name))
            before.append(at(others, gast.If(test, [*inside, at(value, assign(name, value))], [])))
        return before, at(node, load(name))

    def conditional(self, node: Any) -> tuple[Body, Any]:
        """`a if c else b` as an `if` statement, if a or b binds a name."""
        before, test = self.moved(node.test)
        if not any(map(_binds, _skipped(node))):
            node.test = test
            return before, node
        name = self.names.fresh("tmp")
        sides = []
        for part in (node.body, node.orelse):
            inside, value = self.moved(part)
            sides.append([*inside, at(value, assign(name, value))])
        return [*before, at(node, gast.If(test, *sides))], at(node, load(name))

    def comprehension(self, node: Any) -> tuple[Body, Any]:
        """`[y for v in x if c]` as a loop that fills a list, with variables of its own."""
        made = self.names.fresh("made")
        for name in dict.fromkeys(n.id for g in node.generators for n in gast.walk(g.target)
                                  if isinstance(n, gast.Name)):
            rename(node, name, self.names.fresh(name))
        inside: Any = _stored(node, made)
        for generator in reversed(node.generators):
            for test in reversed(generator.ifs):
                inside = at(test, gast.If(test, [inside], []))
            inside = at(generator.iter, gast.For(
                generator.target, generator.iter, [inside], [], None))
        empty = at(node, MADE[node.__class__]())
        return [at(node, assign(made, empty)), inside], at(node, load(made))

    def is_stable(self, value: Any) -> bool:
        """Returns True if nothing can give an operand another value meanwhile."""
        return isinstance(value, gast.Constant) or (
            isinstance(value, gast.Name) and value.id in self.names.invented)

    def in_order(self, node: Any) -> tuple[Body, Any]:
        """Moves the operands of any other expression into variables, up to the last that binds."""
        inside = operands(node)
        last = max(i for i, n in enumerate(inside) if _found(n))
        before: Body = []
        new: dict[Any, Any] = {}
        for operand in inside[:last + 1]:
            earlier, value = self.moved(operand)
            before += earlier
            if operand is not inside[last] and not self.is_stable(value):
                name = self.names.fresh("tmp")
                before.append(at(value, assign(name, value)))
                value = at(value, load(name))
            new[operand] = value
        _replace(node, new)
        return before, node


MADE: dict[type, Callable[[], Any]] = {
    gast.ListComp: lambda: gast.List([], gast.Load()),
    gast.SetComp: lambda: call(load("set")),
    gast.DictComp: lambda: gast.Dict([], []),
}
"""The class of a comprehension -> what makes the empty container."""


def _stored(node: Any, made: str) -> Any:
    """Returns the statement that puts an item of a comprehension into the container."""
    if isinstance(node, gast.DictComp):
        target = gast.Subscript(load(made), node.key, gast.Store())
        return at(node.key, gast.Assign([target], node.value, None))
    method = gast.Attribute(load(made), "add" if isinstance(node, gast.SetComp) else "append",
                            gast.Load())
    return at(node.elt, gast.Expr(call(method, node.elt)))


def _replace(node: Any, new: dict[Any, Any]) -> None:
    for field in ORDERED[node.__class__]:
        value = getattr(node, field)
        if not isinstance(value, list):
            setattr(node, field, new.get(value, value))
            continue
        for i, item in enumerate(value):
            if isinstance(item, gast.keyword):
                item.value = new.get(item.value, item.value)
            else:
                value[i] = new.get(item, item)
