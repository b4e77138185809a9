r"""Turns a generator inside out: it calls a function with each value instead of yielding it.

The function may ask it to stop. This is not one of the passes that every function goes through: it
makes a second form of a generator, which a staged loop runs. A generator's own frame, which is left
and entered again, cannot be staged; a call can.

>>> import gast
>>> from autograph.printer.statements import to_text
>>> source = "def f(xs):\n  for x in xs:\n    if x > 0: yield x\n  yield from xs"
>>> print(to_text(push_form(gast.parse(source).body[0], "consume", "item")), end="")
def f(consume, xs):
    for x in xs:
        if x > 0:
            if consume(x):
                return
    for item in xs:
        if consume(item):
            return

What it returns is what the generator returns, unless the function asked it to stop.

>>> source = "def f(xs):\n  n = yield from xs\n  return n"
>>> print(to_text(push_form(gast.parse(source).body[0], "consume", "item")), end="")
def f(consume, xs):
    item, n = consume.rest_of(xs)
    if item:
        return
    return n
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph.analysis.statements import TRY, blocks, headers, own_nodes, statements
from autograph.syntax.node_builders import (
    assign,
    at,
    blocks_replaced,
    call,
    constant,
    load,
    operator,
    parameter,
    store,
)

YIELDS = (gast.Yield, gast.YieldFrom)


Given = Callable[[Any], list[Any]]
"""Makes statements of the form of a statement that yields."""


def push_form(tree: Any, consume: str, item: str) -> Any:
    """Returns the function that calls `consume` with each value until that is true, or None.

    None if the generator uses what is sent to it, or may see what its consumer raises.
    The tree is changed.
    """
    if not _rewrite(tree, lambda statement: _given(statement, consume, item), lambda end: [end]):
        return None
    arguments = tree.args
    (arguments.posonlyargs or arguments.args).insert(0, at(tree, parameter(consume)))
    return tree


def list_form(tree: Any, made: str, item: str) -> Any:
    r"""Returns the function that returns a list of all values, or None as `push_form` does: a
    generator that reads itself can be a graph that calls itself.

    >>> from autograph.printer.statements import to_text
    >>> source = "def f(i):\n  if i < 9:\n    yield i\n    yield from f(i + 1)"
    >>> print(to_text(list_form(gast.parse(source).body[0], "made", "v")), end="")
    def f(i):
        made = []
        if i < 9:
            made.append(i)
            for v in f(i + 1):
                made.append(v)
        return made
    """
    def added(statement: Any) -> list[Any]:
        found = _yielded(statement)
        value = load(item) if isinstance(found, gast.YieldFrom) else found.value or constant(None)
        add = gast.Expr(call(operator(made, "append"), value))
        if isinstance(found, gast.YieldFrom):
            add = gast.For(store(item), found.value, [add], [], None)
        return [at(statement, add), *_received(statement)]

    def ended(statement: Any) -> list[Any]:
        before = [] if statement.value is None else [gast.Expr(statement.value)]
        return [*before, gast.Return(load(made))]

    if any(map(_is_delegation, statements(tree.body))) or not _rewrite(tree, added, ended):
        return None
    tree.body = [at(tree.body[0], assign(made, gast.List([], gast.Load()))), *tree.body,
                 at(tree.body[-1], gast.Return(load(made)))]
    return tree


def _rewrite(tree: Any, given: Given, ended: Given) -> bool:
    """Rewrites what yields and what returns; returns False if the generator cannot be rewritten."""
    if not all(map(_is_plain, statements(tree.body))):
        return False

    def block(body: list[Any]) -> list[Any]:
        return [s for statement in body for s in rewritten(statement)]

    def rewritten(statement: Any) -> list[Any]:
        blocks_replaced(statement, block)
        if isinstance(statement, gast.Return):
            return [at(statement, s) for s in ended(statement)]
        return given(statement) if _yielded(statement) else [statement]

    tree.body = block(tree.body)
    return True


def _yielded(statement: Any) -> Any:
    """Returns the `yield` that a statement consists of."""
    value = statement.value if isinstance(statement, (gast.Expr, gast.Assign)) else None
    return value if isinstance(value, YIELDS) else None


def _is_plain(statement: Any) -> bool:
    """Returns True if a statement yields by itself, or not at all, and not inside an expression."""
    found = _yielded(statement)
    if _is_delegation(statement) and len(statement.targets) > 1:
        return False
    if isinstance(statement, (*TRY, gast.With)) and _yields(statement) and not _closes(statement):
        return False
    if isinstance(statement, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
        return True
    inside = headers(statement) if blocks(statement) else [statement]
    return not any(isinstance(node, (*YIELDS, gast.Await)) and node is not found
                   for part in inside for node in own_nodes(part))


def _closes(statement: Any) -> bool:
    """Returns True for `with open(…)`: whatever its consumer raises, the end closes a file."""
    return isinstance(statement, gast.With) and all(
        isinstance(item.context_expr, gast.Call) and isinstance(item.context_expr.func, gast.Name)
        and item.context_expr.func.id == "open" for item in statement.items)


def _is_delegation(statement: Any) -> bool:
    """Returns True for `name = yield from …`."""
    return isinstance(statement, gast.Assign) and isinstance(statement.value, gast.YieldFrom)


def _yields(statement: Any) -> bool:
    return any(isinstance(node, YIELDS) for node in own_nodes(statement))


def _given(statement: Any, consume: str, item: str) -> list[Any]:
    found = _yielded(statement)
    if _is_delegation(statement):
        received = gast.Tuple([store(item), statement.targets[0]], gast.Store())
        return [at(statement, x) for x in (
            gast.Assign([received], call(operator(consume, "rest_of"), found.value), None),
            gast.If(load(item), [gast.Return(None)], []))]
    value = load(item) if isinstance(found, gast.YieldFrom) else found.value or constant(None)
    asked = gast.If(call(load(consume), value), [gast.Return(None)], [])
    if isinstance(found, gast.YieldFrom):
        return [at(statement, gast.For(store(item), found.value, [asked], [], None))]
    return [at(statement, asked), *_received(statement)]


def _received(statement: Any) -> list[Any]:
    """Returns what a statement does with what is sent to the generator: None."""
    return [] if isinstance(statement, gast.Expr) else [
        at(statement, gast.Assign(statement.targets, constant(None), None))]
