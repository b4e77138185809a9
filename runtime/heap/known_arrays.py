"""Known arrays: real arrays that a region of a trace can reach, and must not write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from autograph.runtime.ir.trace_signals import ArraysWritten
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.captures import identical


@contextmanager
def unwritten(arrays: Iterable[np.ndarray]) -> Iterator[None]:
    """Makes sure that an outermost region writes no real array: NumPy does that while tracing.

    Raises:
      ArraysWritten: it wrote some; they hold again what they held.
    """
    here = trace.current_region()
    outermost = here is not None and here.depth == 0
    copies = [(a, a.copy()) for a in arrays if a.flags.writeable] if outermost else []
    try:
        yield
    finally:
        written = [(a, old) for a, old in copies if not identical(a, old)]
        for a, old in written:
            a[...] = old
        if written:
            raise ArraysWritten(a for a, _ in written)
