"""The objects that a trace made: Python's collector waits meanwhile, so they are young."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any


def young_objects() -> Iterator[Any]:
    """Yields the objects in the two young generations of the collector."""
    for generation in (0, 1):
        yield from gc.get_objects(generation)
