"""Walks trees fast: the fields that hold nodes, and the inventory of a tree's node kinds and names.

Every pass walks the tree. Most fields hold no nodes and most functions hold few kinds of nodes, so
walks skip such fields (`FIELDS`), and the pipeline skips passes that have nothing to do in a
function (`Inventory`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import gast

PLAIN = frozenset({
    "arg", "asname", "attr", "conversion", "ctx", "id", "kind", "level", "module", "op", "ops",
    "rest", "simple", "tag", "type_comment"})
"""Fields that hold text, numbers, or nodes that hold nothing themselves, in all classes."""

LEAVES = frozenset({"Constant", "MatchSingleton", "Global", "Nonlocal", "alias", "TypeIgnore"})


HOLDING = frozenset(kind for kind in map(vars(gast).get, (
    "If", "While", "For", "AsyncFor", "With", "AsyncWith", "Match", "Try", "TryStar")) if kind)
"""The statements that hold statements of the same function."""


class _Fields(dict[type, tuple[str, ...]]):
    def __missing__(self, kind: Any) -> tuple[str, ...]:
        fields = () if kind.__name__ in LEAVES else tuple(
            name for name in getattr(kind, "_fields", ()) if name not in PLAIN)
        if kind is gast.Name:  # those of parameters may have annotations
            fields = ("annotation",)
        self[kind] = fields
        return fields


FIELDS = _Fields()
"""The fields of a class of nodes that may hold nodes, or lists of nodes; none for other classes."""


def children(node: Any) -> Iterator[Any]:
    """Yields the nodes right below a node.

    >>> [child.id for child in children(gast.parse("a + b", mode="eval").body)]
    ['a', 'b']
    """
    for field in FIELDS[node.__class__]:
        value = getattr(node, field, None)
        if value.__class__ is list:
            for item in value:
                if isinstance(item, gast.AST):
                    yield item
        elif isinstance(value, gast.AST):
            yield value


def may_format(node: Any) -> bool:
    """Returns True for a `%` of a text, or of a name, or with several operands on its right, which
    only a text takes, or an object of the user's."""
    return node.op.__class__ is gast.Mod and (
        node.left.__class__ is gast.Name
        or isinstance(getattr(node.left, "value", None), str)
        or node.right.__class__ in (gast.Tuple, gast.Dict))


def below(node: Any) -> Iterator[Any]:
    """Yields the node and all nodes below it, in no particular order."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        held = node.__dict__
        for field in FIELDS[node.__class__]:
            value = held.get(field)
            if value.__class__ is list:
                todo += [item for item in value if isinstance(item, gast.AST)]
            elif isinstance(value, gast.AST):
                todo.append(value)


def visit_below(visitor: Any, node: Any, handlers: Mapping[type, Callable[[Any, Any], None]]
                ) -> None:
    """Visits the nodes below one, in the order of the text: calls the handler for their class, or
    visits those below them."""
    todo = [node]
    while todo:
        item = todo.pop()
        kind = item.__class__
        if kind in handlers and item is not node:
            handlers[kind](visitor, item)
        elif fields := FIELDS[kind]:
            held = item.__dict__
            for field in reversed(fields):
                value = held.get(field)
                todo += value[::-1] if value.__class__ is list else (value,)


@dataclasses.dataclass(frozen=True)
class Inventory:
    """The kinds of nodes and the names in a tree.

    kinds   the classes of its nodes. Of operators only these: those with one operand, `in`,
            `not in`, `is`, `is not`, `Mod` where it may format, and `And` for a chain `a < b < c`.
    names   every name of a variable, a function or a module in it.
    others  its attributes and the names of keyword arguments.
    """

    kinds: set[type] = dataclasses.field(default_factory=set)
    names: set[str] = dataclasses.field(default_factory=set)
    others: set[str] = dataclasses.field(default_factory=set)

    def mentions(self, words: frozenset[str]) -> bool:
        """Returns True if one of the words occurs as a name, an attribute or a keyword."""
        return not (words.isdisjoint(self.names) and words.isdisjoint(self.others))


def inventory_of(tree: Any) -> Inventory:
    """Returns the inventory of a tree, in one walk.

    gast puts None where it does not know a statement; then `kinds` has the type of None.
    """
    found = Inventory()
    kinds, todo, nothing = found.kinds, [tree], None.__class__
    while todo:
        node = todo.pop()
        kind = node.__class__
        if kind is gast.Name:
            found.names.add(node.id)
        elif kind is gast.BinOp:
            if may_format(node):
                kinds.add(gast.Mod)
        elif kind in MENTIONING:
            _note_mentions(node, kind, found)
        kinds.add(kind)
        held = node.__dict__
        for name in FIELDS[kind]:
            value = held.get(name)
            if value.__class__ is list:
                # A None is rightful among the keys of a dict and the defaults of parameters.
                if None in value and name not in ("keys", "kw_defaults"):
                    kinds.add(nothing)
                todo += [item for item in value if isinstance(item, gast.AST)]
            elif isinstance(value, gast.AST):
                todo.append(value)
    return found


def _note_mentions(node: Any, kind: Any, found: Inventory) -> None:
    if kind is gast.Attribute:
        found.others.add(node.attr)
    elif kind is gast.Compare:
        found.kinds.update(SPECIAL_TESTS.intersection([op.__class__ for op in node.ops]))
        if len(node.ops) > 1:
            found.kinds.add(gast.And)
    elif kind is gast.UnaryOp:
        found.kinds.add(node.op.__class__)
    elif kind is gast.keyword:
        found.others.add(node.arg)
    elif kind is gast.Global or kind is gast.Nonlocal:
        found.names.update(node.names)
    elif kind is gast.alias:
        found.names.add((node.asname or node.name).split(".")[0])
    else:
        name = node.rest if kind is gast.MatchMapping else node.name
        found.names.update([name] if isinstance(name, str) else ())


SPECIAL_TESTS = frozenset({gast.In, gast.NotIn, gast.Is, gast.IsNot})

MENTIONING = frozenset(kind for kind in map(vars(gast).get, (
    "Attribute", "Compare", "UnaryOp", "keyword", "Global", "Nonlocal", "alias",
    "FunctionDef", "AsyncFunctionDef", "ClassDef", "MatchAs", "MatchStar", "MatchMapping",
    "TypeVar", "ParamSpec", "TypeVarTuple")) if kind is not None)
"""The kinds of nodes that hold a name, or an operator that the inventory counts."""
