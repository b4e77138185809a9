"""Unseen changes: what plain Python changes outside a function where the graph cannot be used.

A handler is not traced: the graph raises, and the function runs again as it is. What it then
changes outside the arguments has to be an input of the next trace, which would else take it for a
constant.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Set
from dataclasses import replace
from typing import Any

from autograph.runtime.functions.persistent_state import PersistentState
from autograph.runtime.functions.traced_state import TracedState
from autograph.runtime.heap.named_locations import NamedLocation
from autograph.runtime.heap.reachability import reachable_locations
from autograph.runtime.ir.pytree import map_nest
from autograph.runtime.signatures.binding import PERSISTENT, Bound
from autograph.runtime.signatures.cache_keys import Identity

Found = dict[NamedLocation, bool]
"""Locations, and whether each holds a list that grows."""


class Watcher:
    """Runs a function as plain Python, and finds the locations outside it that this changes.

    expected  identifies the locations that a trace changed by constants: those change while
              tracing only.
    """

    def __init__(self, function: Any, bound: Bound, expected: Set[Hashable]) -> None:
        self.function = function
        self.bound = bound
        self.expected = expected

    def run(self, call: Callable[[], Any], report: Callable[[Found], None]) -> Any:
        """Returns the result of a call; reports the locations that it changed, also if it
        raises."""
        nest = {name: map_nest(_living, x) for name, x in self.bound.nest.items()
                if name != PERSISTENT}
        state = TracedState(PersistentState(), (), self.function,
                            replace(self.bound, nest=nest, containers=[]), True, frozenset())
        try:
            return call()
        finally:
            own = reachable_locations(*(getattr(self.function, "__defaults__", None) or ()))
            if found := state.discovered(self.expected, frozenset(own)):
                report(found)


def _living(x: Any) -> Any:
    return x.reference() if isinstance(x, Identity) else x
