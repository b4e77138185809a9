"""Says where the nodes below a node are, so that walks do not look at what holds no nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

PLAIN = frozenset({
    "arg", "asname", "attr", "conversion", "ctx", "id", "kind", "level", "module", "op", "ops",
    "rest", "simple", "tag", "type_comment"})
"""Fields that hold text, numbers, or nodes that hold nothing themselves, in all classes."""

LEAVES = frozenset({"Constant", "MatchSingleton", "Global", "Nonlocal", "alias", "TypeIgnore"})


class _Fields(dict[type, tuple[str, ...]]):
    def __missing__(self, kind: Any) -> tuple[str, ...]:
        fields = () if kind.__name__ in LEAVES else tuple(
            name for name in kind._fields if name not in PLAIN)
        if kind is gast.Name:  # those of parameters may have annotations
            fields = ("annotation",)
        self[kind] = fields
        return fields


FIELDS = _Fields()
"""The fields of a class of nodes that may hold nodes, or lists of nodes."""


def children(node: Any) -> Iterator[Any]:
    """The nodes right below a node.

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


def below(node: Any) -> Iterator[Any]:
    """The node and all nodes below it, in no order that matters."""
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
