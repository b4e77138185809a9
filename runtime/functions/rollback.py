"""Rollback: a call that raises undoes its changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import _lru_cache_wrapper, wraps
from inspect import getmembers_static, isroutine
from itertools import repeat
from operator import length_hint
from traceback import clear_frames
from types import FunctionType
from typing import Any

import numpy as np

from autograph.libraries import is_python
from autograph.locks import is_free_lock
from autograph.runtime.heap.hidden_state import has_hidden_state, is_stream
from autograph.runtime.heap.iterator_positions import unread
from autograph.runtime.heap.iterators import is_iterator
from autograph.runtime.heap.locations import Contents, is_file, locations_of
from autograph.runtime.heap.objects import contents_of, is_instance, is_object
from autograph.runtime.heap.reachability import reachable_locations
from autograph.runtime.heap.snapshot import ArraySnapshot, Snapshot
from autograph.runtime.ir.graph import PLAIN, Equation
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.types import ArrayType, may_have_memory
from autograph.runtime.ops.state import Storage
from autograph.runtime.symbolic.allocation_sites import is_plain_container, parts_of


def undoing(run: Callable[..., Any], program: Program) -> Callable[..., Any]:
    """Returns `run`, which restores the caller's variables, arrays, containers and objects if it
    raises."""
    written = {target for target, _ in program.write_back}
    changes = program.by_reference and any(map(_may_change, program.graph.walk()))
    numbers = [i for i, v in enumerate(program.graph.inputs) if v in written or (
        changes and may_have_memory(v.type))]
    by_reference = [i for i, v in enumerate(program.graph.inputs)
                    if changes and not isinstance(v.type, ArrayType)]
    captured = [c for c in program.graph.captures.values() if isinstance(c, Storage)]
    first = len(program.graph.inputs)

    @wraps(run)
    def undoing_run(*leaves: Any) -> Any:
        storages = captured + [x for x in leaves if isinstance(x, Storage)]
        before = [(s, s.snapshot()) for s in storages]
        locations, inside = _reached([leaves[i] for i in by_reference])
        locations += [Contents(x, x) for x in leaves[first:]]
        held = Snapshot.take(locations)
        arrays = ArraySnapshot(x for x in (*(leaves[i] for i in numbers), *inside)
                               if isinstance(x, np.ndarray))
        try:
            return run(*leaves)
        except BaseException:
            for storage, array in before:
                storage.array = array
            arrays.restore()
            held.restore()
            raise

    return undoing_run


def _may_change(e: Equation) -> bool:
    """Returns True if an equation may change an object that is there before it."""
    return e.op.effect not in ("", "raise", "read") or e.op.lasts or e.op.takes_items


def _reached(roots: list[Any]) -> tuple[list[Contents], list[np.ndarray]]:
    """Returns the containers and the attributes of objects that some values lead to, and the
    arrays."""
    locations: list[Contents] = []
    seen: dict[int, Any] = {}
    pending = roots
    while pending:
        x = pending.pop()
        cls = x.__class__
        if cls in PLAIN or id(x) in seen or isinstance(x, np.generic):
            continue
        seen[id(x)] = x
        if cls is list or cls is dict:
            locations.append(Contents(x, x))
            pending += x if cls is list else x.values()
            continue
        of_object = is_instance(x) or is_object(x)
        if of_object or is_plain_container(x):
            locations += locations_of(x)
        pending += [*(contents_of(x).values() if of_object else ()), *(parts_of(x) or ())]
    return locations, [x for x in seen.values() if isinstance(x, np.ndarray)]


def is_undone_completely(function: Callable[..., Any], given: tuple[Any, ...],
                         trace_again: Callable[[], object] | None = None,
                         positions: Sequence[Any] = ()) -> bool:
    """Returns True if nothing is left of a trace that was abandoned: function and arguments lead to
    no iterator that it may have read, and to nothing whose state it does not see, such as a file.
    `positions` are those of the iterators before it.

    A cached function counts its calls: it has no result of the trace if the same trace, made again,
    leaves its counts as they are.
    """
    visited = reachable_locations(function, given, read={}).visited
    kept = unread(positions)
    changed = [x for x in visited if (
        is_iterator(x) and id(x) not in kept and not _is_endless(x)) or (
        is_stream(x) and (not is_file(x) or x.closed)) or (
        has_hidden_state(x) and not (_is_seen(x) or is_free_lock(x)))]
    caches = [x for x in changed if type(x) is _lru_cache_wrapper]
    if len(caches) < len(changed) or (caches and trace_again is None):
        return False
    counts = [x.cache_info() for x in caches]
    if caches and trace_again is not None:
        trace_again()
    return counts == [x.cache_info() for x in caches]


def _is_endless(x: Any) -> bool:
    """Returns True for a `repeat` without an end: reading leaves it as it is."""
    return type(x) is repeat and length_hint(x, -1) < 0


def _is_seen(x: Any) -> bool:
    """Returns True for a file in memory, for an object whose classes are written in Python, and for
    what has neither methods nor attributes nor items: a function made of others, as a `partial` is,
    a field of a named tuple, what an abstract class keeps. And for one of a class of the user's
    that is derived from a class in C: no trace calls its methods; nor those of a context variable.
    """
    if not is_python(type(x).__module__) or is_file(x) or type(x) is ContextVar:
        return True
    return ((callable(x) or not (
        hasattr(type(x), "__setitem__") or hasattr(x, "__dict__"))) and not any(
        map(isroutine, (v for k, v in getmembers_static(type(x)) if k[0] != "_")))) or all(
        any(type(v) is FunctionType for v in vars(cls).values()) for cls in type(x).__mro__[:-1])


def clear_calls(error: BaseException) -> None:
    """Forgets the variables of the calls that a trace was making when it was given up: they would
    keep objects of the program's alive."""
    pending: list[BaseException | None] = [error]
    seen: set[int] = set()
    while pending:
        x = pending.pop()
        if x is not None and id(x) not in seen:
            seen.add(id(x))
            clear_frames(x.__traceback__)
            pending += [x.__context__, x.__cause__]
