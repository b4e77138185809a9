"""Live values: which of some values are live at a position of the program."""

from __future__ import annotations

from collections.abc import Collection
from heapq import heappop, heappush

from autograph.runtime.ir.graph import Value

Path = tuple[float, ...]


class LiveValues:
    """Values of which some are live at a position: made before it, and maybe used after it.

    The positions that are asked for must not go back.
    """

    def __init__(self, spans: list[tuple[Path, Path, Value]]) -> None:
        self.waiting = sorted(spans, key=lambda span: span[0], reverse=True)
        self.live: dict[int, Value] = {}
        self.ends: list[tuple[Path, int]] = []

    def at(self, path: Path) -> Collection[Value]:
        """Returns the values that are live at a position."""
        while self.waiting and self.waiting[-1][0] < path:
            _, end, value = self.waiting.pop()
            number = len(self.waiting)
            self.live[number] = value
            heappush(self.ends, (end, number))
        while self.ends and self.ends[0][0] <= path:
            del self.live[heappop(self.ends)[1]]
        return self.live.values()
