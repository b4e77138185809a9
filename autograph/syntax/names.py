"""Invents names that nothing in a function uses."""

from __future__ import annotations

from collections.abc import Container, Iterable


def fresh(hint: str, taken: Container[str]) -> str:
    """Returns a name like `hint` that is not taken."""
    name, count = hint, 0
    while name in taken:
        count += 1
        name = f"{hint}_{count}"
    return name


class Names:
    """The names taken so far; `invented` are those that were made here."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._shared: dict[str, str] = {}
        self.invented: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def fresh(self, hint: str) -> str:
        """Returns a name like `hint` that nothing uses yet."""
        name = fresh(hint, self._taken)
        self._taken.add(name)
        self.invented.add(name)
        return name

    def reusable(self, hint: str) -> str:
        """Returns the same name each time: for functions that are called where they are defined."""
        if hint not in self._shared:
            self._shared[hint] = self.fresh(hint)
        return self._shared[hint]
