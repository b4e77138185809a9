"""The objects that a trace made: Python's collector waits meanwhile, so they are young."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any


def young_objects() -> Iterator[Any]:
    """Yields the objects in the two young generations of the collector."""
    for generation in (0, 1):
        yield from gc.get_objects(generation)


def younger_than(marker: Any) -> list[Any]:
    """Returns the objects that Python's collector tracks and that were made after another one,
    which it tracks as well: each of its generations is in the order in which objects are made, also
    after a collection. An empty list if the marker is not found."""
    younger: list[Any] = []
    for generation in range(3):
        objects = gc.get_objects(generation)
        for i in reversed(range(len(objects))):  # few were made since
            if objects[i] is marker:
                return younger + objects[i + 1:]
        younger += objects
    return []
