"""Known arrays: real arrays that a region of a trace can reach, and must not write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from autograph.runtime.heap.snapshot import ArraySnapshot
from autograph.runtime.ir.trace_signals import ArraysWritten
from autograph.runtime.symbolic import trace


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
    copies = here.trace.array_copies = outer or ArraySnapshot(arrays)
    try:
        yield
    finally:
        here.trace.array_copies = outer
        if written := copies.restore():
            raise ArraysWritten(written)
