"""Attributes of the objects from outside that the run uses: `reader.line_num`, `stream.closed`.

A trace reads an attribute at once, and nothing tells it of that. So a function that leads to such a
read is refused, if the run calls methods of the object, or reads it, which may change what the
attribute holds.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from types import (
    FunctionType,
    GeneratorType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
)
from typing import Any

from autograph.libraries import is_library
from autograph.own_attributes import own_dict
from autograph.runtime.heap.attributes_in_c import is_item_in_c
from autograph.runtime.heap.uses_of_names import uses_of
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import LEAVES
from autograph.runtime.ops.indexing import SETITEM
from autograph.runtime.ops.views import UPDATE_VIEW
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.trace import Trace

UNCHANGING = frozenset((
    "base", "buffer", "connection", "dialect", "digest_size", "block_size", "encoding", "errors",
    "mode", "name", "raw"))
"""Attributes of streams, hashes and iterators that hold the same all the time."""

DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType, property)


def refuse_read_attributes(run: Trace) -> None:
    """Refuses a function that reads an attribute of what the run changes.

    Raises:
      TracingError: there is such an attribute.
    """
    _refuse_items_in_c(run)
    used = list(_used_by_run(run))
    names = _names_read(run.visited.values()) if used else frozenset()
    for x in used:
        for name in sorted(_changing(x) & names):
            raise TracingError(
                f"{name} of an object of the class {type(x).__name__} is read, which the run may "
                f"change{at(user_location())}\n  hint: ask for it outside the function")


def _refuse_items_in_c(run: Trace) -> None:
    """Refuses a function that leads to an object whose items code in C keeps, or shows, if it
    changes anything: it may be what is in that object, and a trace reads the items at once.

    Raises:
      TracingError: it does.
    """
    found = [x for x in run.visited.values() if type(x) not in LEAVES and _has_items_in_c(x, run)]
    if found and any(e.op.effect or e.op in WRITING for e in run.root.graph.walk()):
        raise TracingError(
            f"an object of the class {type(found[0]).__name__} is read, whose items the run may "
            f"change{at(user_location())}\n  hint: read it outside the function")


WRITING = (SETITEM, UPDATE_VIEW)


def _has_items_in_c(x: Any, run: Trace) -> bool:
    """Returns True for such an object, and for a view of a dict to which another way leads."""
    if type(x) is MappingProxyType:
        return any(id(shown) in run.visited for shown in gc.get_referents(x))
    return is_item_in_c(x)


def _used_by_run(run: Trace) -> Iterator[Any]:
    """Yields what is from outside and the run reads, or whose methods it calls."""
    yield from (run.visited[i] for i in sorted(run.read_by_run & run.visited.keys()))
    yield from (x.iterator for x in run.all_cursors.values() if x.outer)


def _names_read(visited: Iterable[Any]) -> frozenset[str]:
    """Returns the names of all attributes that functions read."""
    uses = [uses_of(x.__code__) for x in visited if type(x) is FunctionType and not is_library(
        x.__module__)]
    return frozenset(name for u in uses for name in u.read if name not in u.stored)


def _changing(x: Any) -> set[str]:
    """Returns the attributes that methods of a library's class may change."""
    cls = type(x)
    if isinstance(x, GeneratorType):
        return set()
    own = (own_dict(x) or ()) if is_library(cls.__module__) else ()
    described = [vars(base) for base in cls.__mro__ if is_library(base.__module__)]
    return {*own, *(name for held in described for name, v in held.items()
                    if isinstance(v, DESCRIPTORS) and name[:2] != "__")} - UNCHANGING
