"""The test of a loop that was asked before the loop, to learn whether it is symbolic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.ir.graph import graphs_of
from autograph.runtime.symbolic.region import Region


def recorded(region: Region) -> tuple[int, int]:
    """Returns how many equations, and how many printed texts, were recorded in a region."""
    return len(region.graph.equations), len(region.graph.printed)


class Asked:
    """The evaluation of a loop's test, before the loop.

    answer  what the test gave.
    """

    def __init__(self, region: Region, ask: Callable[[], Any]) -> None:
        self._region = region
        before = recorded(region)
        with region.probe() as self._rebound:
            self.answer = ask()
        self._equations, self._printed = map(slice, before, recorded(region))

    def exchange(self) -> None:
        """Let arrays stand for what they stood for before the test, or again for what they do after
        it: the loop's own test makes views again that were changed before."""
        for handle, other in self._rebound.items():
            self._rebound[handle] = handle.exchange(other)

    def hush(self) -> None:
        """Remove what was printed: the loop's body asks the test again, and prints it."""
        del self._region.graph.printed[self._printed]
        for equation in self._region.graph.equations[self._equations]:
            for inner in graphs_of(equation):
                inner.printed.clear()

    def forget(self) -> None:
        """Remove what was recorded: the loop asks the test itself."""
        del self._region.graph.equations[self._equations]
        del self._region.graph.printed[self._printed]
