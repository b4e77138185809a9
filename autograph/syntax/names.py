"""Invents names that nothing in the function at hand uses."""

from __future__ import annotations

from collections.abc import Container, Iterable


def fresh(wish: str, taken: Container[str]) -> str:
    """A name like `wish` that is not taken."""
    name, count = wish, 0
    while name in taken:
        count += 1
        name = f"{wish}_{count}"
    return name


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
        name = fresh(wish, self._taken)
        self._taken.add(name)
        self.invented.add(name)
        return name

    def steady(self, wish: str) -> str:
        """The same name for the same wish: for functions that are called where they are defined."""
        if wish not in self._shared:
            self._shared[wish] = self.fresh(wish)
        return self._shared[wish]
