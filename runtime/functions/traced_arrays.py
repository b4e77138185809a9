"""Traced arrays: the real arrays that a function can reach during a trace, and what they held."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph.runtime.functions.persistent_state import array_locations, arrays_in
from autograph.runtime.heap.named_locations import NamedLocation
from autograph.runtime.heap.snapshot import ArraySnapshot
from autograph.runtime.ir.errors import TracingError


class TracedArrays:
    """The real arrays that a function can reach, and what they held before the trace.

    NumPy writes constants to such an array while the function is traced. Where the write has to
    happen when the graph runs, it is undone, and the array becomes an input of the next trace.

    known   the arrays.
    belong  the ids of those that belong to the arguments: every run writes to them.
    """

    def __init__(self, arrays: Iterable[np.ndarray], of_arguments: Iterable[np.ndarray],
                 function: Any, arguments: Any) -> None:
        self.known = list(arrays)
        self.before = ArraySnapshot(self.known)
        self.belong = {id(a) for a in of_arguments}
        self.roots = function, arguments

    def restore(self, at_run_time: bool) -> list[np.ndarray]:
        """Undoes the writes that belong to a run, or all if effects happen `at_run_time`; returns
        the arrays that were written."""
        return self.before.restore(lambda a: at_run_time or id(a) in self.belong)

    def locations_of(self, arrays: Iterable[np.ndarray]) -> list[NamedLocation]:
        """Returns the locations that hold some of the arrays, or arrays that overlap them.

        Raises:
          TracingError: an array is in none: the function made it while it was traced.
        """
        arrays = list(arrays)
        wanted = {id(a) for a in arrays}
        shared = {id(k) for k in self.known if any(np.may_share_memory(k, a) for a in arrays)}
        held = {x: shared.intersection(map(id, arrays_in(x.read())))
                for x in array_locations(*self.roots)} if wanted else {}
        if wanted.difference(*held.values()):
            raise TracingError(
                "an array that is known while tracing is changed under a condition that only the "
                "run knows\n  hint: make the array in the function (np.array(...)), or pass it as "
                "an argument")
        return [x for x, inside in held.items() if inside]
