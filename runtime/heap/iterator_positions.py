"""How far the iterators from outside were read, as far as Python tells.

`next` and loops read them by cursors. What Python or a library reads itself, such as `bytes(it)`
or `(*it, 1)`, cannot be put back: where the graph decides if it happens, or where the trace is made
again, it is refused.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from itertools import count
from operator import length_hint
from types import FrameType, GeneratorType
from typing import Any

import numpy as np

from autograph.runtime.heap.iterators import is_iterator, is_of_users_class, read_through
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location

Positions = list[tuple[Any, list[Any], int]]
"""Iterators, each with its position and the number of items that its cursor has."""


def outside_positions(objects: Iterable[Any]) -> Positions:
    """Returns the positions of the iterators among some objects."""
    return [(x, _position(x), _read(x)) for x in objects if is_iterator(x)]


def marked(positions: Positions) -> Positions:
    """Returns the positions of the same iterators now."""
    return outside_positions(x for x, _, _ in positions)


def refuse_moved(positions: Positions) -> None:
    """Refuses what has read an iterator since its position was taken, unless its cursor did.

    Raises:
      TracingError: something has.
    """
    for x, position, read in positions:
        if _read(x) == read and _position(x) != position:
            raise TracingError(
                f"a {type(x).__name__} from outside the function is read by Python or a library "
                f"where the graph decides if, or how often{at(user_location())}\n"
                "  hint: read it with next(it), or with a `for` loop over the iterator itself")


def _read(x: Any) -> int:
    here = trace.current_region()
    cursor = None if here is None else here.trace.cursor_of(x)
    return 0 if cursor is None else len(cursor.items)


def _position(x: Any) -> list[Any]:
    """Returns what changes when an iterator is read: what it holds, and how much it says is left.
    """
    found: list[Any] = []
    for part in read_through(x):
        found += [id(x) for x in gc.get_referents(part) if type(x) is not FrameType]
        if isinstance(part, GeneratorType):
            found.append(None if part.gi_frame is None else part.gi_frame.f_lasti)
        elif type(part) is count:
            found.append(repr(part))
        elif type(part) is np.flatiter:
            found.append(part.index)
        elif not is_of_users_class(part):
            found.append(length_hint(part, -1))
    return found
