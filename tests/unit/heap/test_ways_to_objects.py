"""Objects to which only a function, a method or a weak reference leads: what the run changes there,
and what it reads there, is what plain Python finds."""

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import describe


class Node:
    def __init__(self, v: Any) -> None:
        self.v = v
        self.kids: list[Any] = []
        self.parent: Any = None

    def itself(self) -> "Node":
        return self


WAYS: dict[str, Callable[[Node], Any]] = {
    "variable": lambda node: lambda: node,
    "default": lambda node: lambda node=node: node,
    "only by name": lambda node: _with_keyword(node),
    "method": lambda node: node.itself,
    "partial": lambda node: partial(lambda x: x, node),
    "weak reference": weakref.ref,
    "method of a list": lambda node: partial([node].__getitem__, 0),
}


def _with_keyword(node: Node) -> Any:
    def parent(*, at: Node = node) -> Node:
        return at

    return parent


def add(node: Node, kid: Node, way: Callable[[Node], Any]) -> None:
    node.kids.append(kid)
    kid.parent = way(node)


def root(node: Node) -> Node:
    while node.parent is not None:
        node = node.parent()
    return node


def tree(way: Callable[[Node], Any]) -> tuple[Node, Node]:
    top, middle, low = Node(1.0), Node(2.0), Node(3.0)
    add(top, middle, way)
    add(middle, low, way)
    return top, low


def grown(a: Any, b: Any, top: Node, low: Node, way: Any) -> Any:
    if a > 1:
        root(low).v += a
    new = Node(b)
    add(low, new, way)
    return root(new).v, root(low).v, top.v, len(low.kids), new.parent() is low


def read(a: Any, b: Any, top: Node, low: Node, way: Any) -> Any:
    if a > 1:
        root(low).v += a
    if b > 0:
        low.parent().v = b
    return top.v, top.kids[0].v, low.parent().v


@pytest.mark.filterwarnings("ignore::autograph.errors.FallbackWarning")
@pytest.mark.parametrize("options", [{}, {"captures": "guard", "effects": "runtime"}])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", [grown, read])
def test_what_the_run_finds_there(
        program: Callable[..., Any], way: str, options: Any) -> None:
    make = WAYS[way]

    def f(a: Any, b: Any, top: Node, low: Node) -> Any:
        return program(a, b, top, low, make)

    graph = ag.function(f, **options)
    plain, traced = tree(make), tree(make)
    for a, b in ((0.0, 3), (2.0, -1), (5.0, 2), (0.0, 1)):
        expected = f(np.float64(a), np.int64(b), *plain)
        assert describe(graph(np.float64(a), np.int64(b), *traced)) == describe(expected)
        ours, theirs = ([top.v, *(x.v for x in low.kids)] for top, low in (traced, plain))
        assert describe(ours) == describe(theirs)
