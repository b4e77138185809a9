"""Invents names that nothing in the function at hand uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast

from autograph.nodes import below


def spoken(tree: gast.AST) -> Iterator[str]:
    """Every identifier that a tree says as the name of a variable, a function or a module."""
    for node in below(tree):
        if node.__class__ is gast.Name:
            yield node.id
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            yield from node.names
        elif isinstance(node, gast.alias):
            yield (node.asname or node.name).split(".")[0]
        else:
            for field in ("name", "rest"):
                if isinstance(name := getattr(node, field, None), str):
                    yield name


class Names:
    """The names taken so far; `invented` are those that were made here."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._shared: dict[str, str] = {}
        self.invented: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def fresh(self, wish: str) -> str:
        """A name like `wish` that was never given before."""
        name, count = wish, 0
        while name in self._taken:
            count += 1
            name = f"{wish}_{count}"
        self._taken.add(name)
        self.invented.add(name)
        return name

    def steady(self, wish: str) -> str:
        """The same name for the same wish: for functions that are called where they are defined."""
        if wish not in self._shared:
            self._shared[wish] = self.fresh(wish)
        return self._shared[wish]
