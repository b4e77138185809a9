"""The notes of a trace: the copies of containers, and the calls of recursive functions."""

from __future__ import annotations

from typing import Any


class Copies(list[Any]):
    """The copies of containers that joins made, or that values hold.

    shared  the ids of the copies of what others may know, and of what a value holds a copy of.
    """

    def __init__(self) -> None:
        super().__init__()
        self.shared: set[int] = set()

    def note(self, copy: Any) -> None:
        self.append(copy)
        self.shared.update(copy.known_ids)

    def forget(self, count: int) -> None:
        """Keeps the first so many: an attempt that was abandoned made the others."""
        del self[count:]
        self.shared = {known for copy in self for known in copy.known_ids}


class Calls(list[Any]):
    """The recursive functions whose graphs are being made, the innermost last.

    finished  those whose graphs were made outside any other.
    """

    def __init__(self) -> None:
        super().__init__()
        self.finished: list[Any] = []
