"""Finds the functions of a tree that can be converted: those that look at their own local names
only by calls of `locals`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import gast

from autograph.analysis.statements import (
    COMPREHENSIONS,
    FRAME_VIEWERS,
    FRAMES,
    LOOPS,
    SUSPENDING,
    is_generator,
    looks_at_frame,
    own_nodes,
    statements,
)
from autograph.syntax.node_inventory import Inventory, children

NAMING = "locals"
"""The builtin that gives the local names with what they hold."""

LAZY = (gast.BoolOp, gast.IfExp, gast.Compare)
"""Expressions of which a part moves into a function of its own."""


def functions(tree: Any, inventory: Inventory, names_are_known: bool, suspends: bool = False
              ) -> list[Any]:
    """Returns the function definitions to convert in a tree, itself included, outermost first.

    Generators and coroutines are left alone with everything in them, and so are functions that
    look at their own frame; lambdas hold no statements.

    inventory        that of the tree.
    names_are_known  True if `locals` is known to be the builtin: functions may then call it.
    suspends         True if the tree is a generator to convert.
    """
    outermost = tree if suspends else None
    suspending = not inventory.kinds.isdisjoint(SUSPENDING)
    looks = inventory.mentions(FRAME_VIEWERS)

    def sees_frame(function: Any) -> bool:
        calls = own_name_calls(function)
        return calls is None or (bool(calls) and not names_are_known)

    def at(tree: Any) -> list[Any]:
        if isinstance(tree, gast.Lambda) or (
                suspending and tree is not outermost and is_generator(tree)) or (
                looks and sees_frame(tree)):
            return []
        return [tree, *inner(tree.body)]

    def inner(body: list[gast.stmt]) -> list[Any]:
        found: list[Any] = []
        for statement in statements(body):
            if isinstance(statement, gast.FunctionDef):
                found += at(statement)
            elif isinstance(statement, gast.ClassDef):
                found += inner(statement.body)
        return found

    return at(tree)


def staying(tree: Any, converted: Iterable[Any]) -> Iterator[Any]:
    """Yields the functions of a tree that look at their own frame, and those inside them: they stay
    in their frames, and only their calls are converted.

    converted: what `functions` returned.
    """
    known = set(converted)
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, gast.AsyncFunctionDef) or (
                isinstance(node, gast.FunctionDef) and node not in known and is_generator(node)):
            continue
        if isinstance(node, gast.FunctionDef) and node not in known:
            yield node
        pending += children(node)


def own_name_calls(function: gast.FunctionDef) -> list[Any] | None:
    """Returns the calls `locals()` of a function; None if it looks at its frame in another way too,
    or if such a call is in a comprehension, which may have a frame of its own.

    Such a function stays as it is: the names that a conversion adds would be seen.
    """
    nodes = [n for s in function.body if s.__class__ not in FRAMES for n in own_nodes(s)]
    views = [n for n in nodes if looks_at_frame(n)]
    if not views:
        return []
    inner = {n for c in nodes if isinstance(c, COMPREHENSIONS)
             for n in {*gast.walk(c)} - {*gast.walk(c.generators[0].iter)}}
    return views if all(v.func.id == NAMING and v not in inner for v in views) else None


def kept_in_frame(function: gast.FunctionDef) -> set[Any]:
    """Returns the nodes that a conversion does not move into another frame."""
    return set(_kept(function.body))


def _kept(body: Iterable[Any]) -> Iterator[Any]:
    """Yields the nodes of a block that stay in the frame of the function."""
    for statement in body:
        if statement.__class__ in FRAMES:
            continue
        if isinstance(statement, gast.If):
            yield from _in_place(statement.test)
        elif isinstance(statement, gast.For):
            yield from _in_place(statement.iter)
        elif not isinstance(statement, (*LOOPS, gast.Match)):
            yield from _in_place(statement)
        if any(isinstance(s, gast.Return) for s in statements([statement])):
            return  # what follows moves into a branch


def _in_place(node: Any) -> Iterator[Any]:
    """Yields the nodes of an expression, or of a simple statement, that stay in the frame."""
    yield node
    if node.__class__ in FRAMES or isinstance(node, LAZY):
        return
    if isinstance(node, COMPREHENSIONS):
        yield from _in_place(node.generators[0].iter)
        return
    for child in children(node):
        if isinstance(child, gast.stmt):
            yield from _kept([child])
        else:
            yield from _in_place(child)
