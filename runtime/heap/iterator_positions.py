"""How far the iterators from outside were read, as far as Python tells.

`next` and loops read them by cursors. What Python or a library reads itself, such as `bytes(it)`
or `(*it, 1)`, cannot be put back: where the graph decides if it happens, or where the trace is made
again, it is refused.
"""

from __future__ import annotations

import csv
import gc
import warnings
from collections import deque
from collections.abc import Collection, Iterable
from operator import length_hint
from types import FrameType, FunctionType, GeneratorType
from typing import Any, NoReturn

import numpy as np

from autograph.own_attributes import defines, own_dict
from autograph.runtime.heap.hidden_state import is_stream, overrides_library
from autograph.runtime.heap.iterator_copies import has_state
from autograph.runtime.heap.iterators import is_iterator, is_of_users_class, read_through
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location

Positions = list[tuple[Any, list[Any], int]]
"""Iterators, each with its position and the number of items that its cursor has."""


def outside_positions(objects: Iterable[Any]) -> Positions:
    """Returns the positions of the iterators among some objects."""
    return [(x, _position(x), _read(x)) for x in objects if is_iterator(x) or is_stream(x)]


def marked(positions: Positions) -> Positions:
    """Returns the positions of the same iterators now."""
    return outside_positions(x for x, _, _ in positions)


def refuse_moved(positions: Positions, reached: Iterable[Any] = ()) -> None:
    """Refuses what has read an iterator since its position was taken, unless its cursor or the run
    did; and what may have, where the iterator is reached and does not tell its position.

    Raises:
      TracingError: something has.
    """
    ids = set(map(id, reached)) if positions else set()
    for x, position, read in positions:
        if _read(x) == read and (_position(x) != position or (
                id(x) in ids and not _is_read_by_run(x) and not all(map(_tells, _parts(x))))):
            refuse_reader(x)


def unread(positions: Iterable[Any]) -> dict[int, Any]:
    """Returns, by id, the iterators that are where they were, as far as they tell."""
    return {id(x): x for x, position, _ in positions if not is_stream(x)
            and all(map(_tells, _parts(x))) and _position(x) == position}


def refuse_reader(x: Any) -> NoReturn:
    """Refuses what has read an iterator, as Python or a library does."""
    raise TracingError(
        f"a {type(x).__name__} from outside the function is read by Python or a library "
        f"where the graph decides if, or how often{at(user_location())}\n"
        "  hint: read it with next(it), or with a `for` loop over the iterator itself")


def _read(x: Any) -> int:
    here = trace.current_region()
    cursor = None if here is None else here.trace.cursor_of(x)
    return 0 if cursor is None else len(cursor.items)


def _is_read_by_run(x: Any) -> bool:
    here = trace.current_region()
    return here is not None and id(x) in here.trace.read_by_run


INDICES: dict[type, str] = {
    np.flatiter: "index", np.broadcast: "index", type(csv.reader(())): "line_num"}
"""Class of iterators written in C -> the attribute that tells how far one was read."""


def _tells(x: Any) -> bool:
    """Returns True if one can see that an iterator, or one that it reads, was read."""
    cls = type(x)
    if is_stream(x):
        return _told(x) != [None]
    return (cls in (tuple, GeneratorType) or is_of_users_class(x) or has_state(cls)
            or defines(cls, "__length_hint__") or cls in INDICES
            or any(map(is_iterator, gc.get_referents(x))))


def reads_of(cursors: Collection[Any]) -> list[tuple[Any, int | None]]:
    """Returns the iterators from outside of which a trace read copies, and how many items of each;
    None: all.

    Raises:
      TracingError: Python or a library read one, too; or an earlier attempt read items of one that
        has no copy, and this one did not.
    """
    for x in cursors:
        position = x.state["position"]
        if x.outer and x.unread is None and isinstance(position, int) and position < len(x.items):
            raise TracingError(
                f"a {type(x.iterator).__name__} from outside the function is read while it is "
                f"traced, and then by the run: what was read is lost{at(user_location())}\n"
                '  hint: with effects="runtime" only the run reads it')
    found = [x for x in cursors if x.unread is not None and (x.items or x.ended)]
    for x in found:
        if _position(x.unread) != _position(x.iterator):
            refuse_reader(x.iterator)
    return [(x.iterator, None if x.ended and x.state["position"] == len(x.items)
             else x.state["position"]) for x in found]


def _position(x: Any) -> list[Any]:
    """Returns what changes when an iterator is read: what it holds, how much it says is left, and
    what a copy of it would be made of."""
    found: list[Any] = []
    for part in _parts(x):
        if is_stream(part):
            found += _told(part)
            continue
        found += [id(x) for x in gc.get_referents(part) if type(x) is not FrameType]
        if isinstance(part, GeneratorType):
            found.append(None if part.gi_frame is None else part.gi_frame.f_lasti)
        elif not (type(part) is tuple or is_of_users_class(part)):
            found.append(getattr(part, INDICES.get(type(part), ""), None))
            hint = length_hint(part, -1) if defines(type(part), "__length_hint__") else -1
            found += _state(part) if hint < 0 and has_state(type(part)) else [hint]
    return found


def _parts(x: Any) -> Iterable[Any]:
    """Returns a stream, or an iterator with those that it reads."""
    return (x,) if is_stream(x) else read_through(x)


def _told(stream: Any) -> list[Any]:
    """Returns where a stream stands, if it can be read, and for one without a position what its
    attributes hold; None for one that does not tell, as a file does that a loop of Python reads,
    and one with methods of the user's may not."""
    if overrides_library(type(stream)):
        return [None]
    held = own_dict(stream)
    if held and type(type(stream).__next__) is FunctionType and not hasattr(stream, "tell"):
        return _of_attributes(held)
    try:
        return [stream.tell()] if not stream.closed and stream.readable() else []
    except (OSError, AttributeError):
        return [None]


def _of_attributes(held: dict[str, Any]) -> list[Any]:
    """Returns what the attributes of an iterator written in Python hold, which is where it stands:
    numbers, which objects, how long they are, and the positions of the iterators that it reads;
    None if one of these does not tell."""
    found: list[Any] = []
    for x in held.values():
        found.append(x if type(x) in (int, str, bool) else id(x))
        if type(x) in SIZED:
            found.append(len(x))
        elif is_iterator(x) or is_stream(x):
            if not all(map(_tells, _parts(x))):
                return [None]
            found += _position(x)
    return found


SIZED = (list, dict, set, deque, bytearray)


def _state(x: Any) -> list[Any]:
    """Returns the numbers in what a copy of an iterator would be made of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # itertools can be copied until 3.13
        pending, found = list(x.__reduce__()[1:]), list[Any]()
    while pending:
        part = pending.pop()
        if type(part) is tuple:
            pending += part
        elif type(part) in (int, bool):
            found.append(part)
    return found
