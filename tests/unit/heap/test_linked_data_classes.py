"""Linked lists, trees with parents and nested lists as arguments: they contain themselves, or nest
deeply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import autograph as ag


@dataclass
class Node:
    value: Any
    after: Node | None = None
    before: Node | None = None


@dataclass
class Tree:
    name: str
    value: Any = 0.0
    parent: Tree | None = None
    children: dict[str, Tree] = field(default_factory=dict)

    def add(self, name: str, value: Any) -> Tree:
        self.children[name] = Tree(name, value, self)
        return self.children[name]

    def depth(self) -> int:
        return 0 if self.parent is None else 1 + self.parent.depth()


def chain(length: int, doubly: bool = False, ring: bool = False) -> Node:
    first = last = Node(0.0)
    for i in range(1, length):
        last.after = Node(float(i), before=last if doubly else None)
        last = last.after
    if ring:
        last.after = first
    return first


def tree() -> Tree:
    root = Tree("root", 1.0)
    for i, name in enumerate("abc"):
        root.add(name, float(i)).add("x", i * 2.0)
    return root


def nested(depth: int) -> list[Any]:
    made: list[Any] = [1.0]
    for i in range(depth):
        made = [made, float(i)]
    return made


def total(node: Node | None, x: Any) -> Any:
    found = 0.0
    for _ in range(30):
        if node is None:
            break
        found += node.value
        node = node.after
    return found * x


def changed(node: Node, x: Any) -> Any:
    if x > 1:
        node.after.value = x
        node.after.after = Node(x * 2, node.after.after)
    node.value += 1
    return node.value + x


def turned(node: Node | None, x: Any) -> Any:
    """The list is turned round; its last node is the first then."""
    before = None
    while node is not None:
        node.after, before, node = before, node, node.after
    return before.value * x


def path(node: Tree, x: Any) -> list[str]:
    names = []
    while node.parent is not None:
        names.append(node.name)
        node = node.parent
    return names


def grown(node: Tree, x: Any) -> Any:
    if x > 1:
        node.add("new", x)
    node.value += 1
    return len(node.children) + node.depth()


def summed(node: Tree, x: Any) -> Any:
    found = node.value * x
    for child in node.children.values():
        found += summed(child, x)
    return found


def levels(items: Any, x: Any) -> Any:
    found = 0
    while isinstance(items, list):
        items[-1] += x
        items = items[0]
        found += 1
    return found


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], Any]]] = {
    **{f"{program.__name__} of {name}": (program, make)
       for program in (total, changed) for name, make in {
           "three": lambda: chain(3), "many": lambda: chain(400),
           "both ways": lambda: chain(40, doubly=True), "ring": lambda: chain(5, ring=True),
           "long ring": lambda: chain(400, ring=True)}.items()},
    "turned": (turned, lambda: chain(30)), "turned, of three": (turned, lambda: chain(3)),
    "path": (path, lambda: tree().children["b"].children["x"]),
    "grown": (grown, tree), "grown child": (grown, lambda: tree().children["c"]),
    "summed": (summed, tree), "levels": (levels, lambda: nested(50)),
}


def described(x: Any) -> list[Any]:
    """What is reached, in order, each object once."""
    seen: dict[int, Any] = {}
    found, pending = [], [x]
    while pending:
        x = pending.pop()
        if id(x) in seen:
            found.append(list(seen).index(id(x)))
        elif isinstance(x, (Node, Tree, list, dict)):
            seen[id(x)] = x
            found.append(type(x).__name__)
            pending += x if isinstance(x, list) else (x if isinstance(x, dict) else vars(x)).items()
        else:
            pending += reversed(x) if isinstance(x, tuple) else ()
            found.append(repr(x) if not isinstance(x, tuple) else len(x))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
def test_as_in_python(name: str, options: dict[str, Any]) -> None:
    program, make = PROGRAMS[name]
    f = ag.function(program, **options)
    for kept in (False, True):
        ours, plain = make(), make()
        for value in (3.0, 0.5, 2.0):
            if not kept:
                ours, plain = make(), make()
            given = np.float64(value)
            assert repr(f(ours, given)) == repr(program(plain, given))
            assert described(ours) == described(plain)
