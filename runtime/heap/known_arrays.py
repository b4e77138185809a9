"""Known arrays: real arrays that a region of a trace can reach, and must not write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from autograph.runtime.ir.trace_signals import ArraysWritten
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.captures import identical


class ArrayCopies:
    """Copies of real arrays, by which writes to the arrays are noticed and undone."""

    def __init__(self, arrays: Iterable[np.ndarray]) -> None:
        self._pairs = [(a, a.copy()) for a in arrays if a.flags.writeable]

    def restore(self, wanted: Callable[[np.ndarray], bool] = lambda array: True
                ) -> list[np.ndarray]:
        """Undoes the writes to the wanted arrays; returns those that were written."""
        written = [(a, old) for a, old in self._changed() if wanted(a)]
        for a, old in written:
            a[...] = old
        return [a for a, _ in written]

    def written(self) -> list[np.ndarray]:
        """Returns the arrays that were written."""
        return [a for a, _ in self._changed()]

    def _changed(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return [(a, old) for a, old in self._pairs if not identical(a, old)] if self._pairs else []


@contextmanager
def unwritten(arrays: Iterable[np.ndarray]) -> Iterator[None]:
    """Makes sure that a region writes no real array: NumPy does that while tracing.

    The outermost region copies the arrays. Each region in it looks at them as well: what two of
    them write may cancel out, as the attempts of a loop's body that swap two items.

    Raises:
      ArraysWritten: it wrote some; they hold again what they held.
    """
    here = trace.current_region()
    if here is None:
        yield
        return
    outer = here.trace.array_copies
    copies = here.trace.array_copies = outer or ArrayCopies(arrays)
    try:
        yield
    finally:
        here.trace.array_copies = outer
        if written := copies.restore():
            raise ArraysWritten(written)
