"""Arguments that a call of a graph which calls itself may not change: two names, and copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from autograph.runtime.control_flow.call_patterns import Parameter
from autograph.runtime.heap.locations import Contents, HeapLocation
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.reachability import reachable_locations
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.types import may_have_memory
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle, may_share
from autograph.runtime.symbolic.allocation_sites import parts_of
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor

Given = list[tuple[Parameter, Any]]
"""The parameters of a graph, each with what a call gives for it."""


def need_objects(given: Given) -> None:
    """Asks for objects of the graph instead of the containers that a call would copy, as the
    function may change them."""
    left = [part for p, x in given for part in (parts_of(x) or () if p.is_list else (x,))]
    while left:
        x = left.pop()
        if isinstance(x, (list, dict, set)):
            need_object(x, "is passed to a function that calls itself and changes containers")
        left += (parts_of(x) or ()) if isinstance(x, tuple) else ()


def refuse_overlap(name: str, written: Given, given: Given, now: Mapping[HeapLocation, Any]
                   ) -> None:
    """Refuses a call of a function that writes an array which it knows under two names.

    now: what the locations hold that the function can reach.
    """
    if not written:
        return
    outside = [x for x in flatten(list(now.values())) if isinstance(x, Tensor) and lives(
        x._handle)]
    for parameter, x in written:
        if parameter.is_list:
            _refuse_second_name(name, x, [y for p, y in given if p is not parameter], now)
            continue
        if not isinstance(x, Tensor):
            raise TracingError(
                f"{name} calls itself and changes an array that is a constant of the trace"
                f"{at(user_location())}\n"
                "  hint: pass the array as an argument of the function that is traced")
        others = [y for p, y in given if p is not parameter and isinstance(y, Tensor)]
        for other in (*others, *outside):
            if may_have_memory(other._handle.value.type) and (
                    may_share(other._handle) & may_share(x._handle)):
                trace.need_references("a function that calls itself changes an array that it "
                                      "knows under two names")


def _refuse_second_name(name: str, written: Any, others: list[Any], now: Iterable[HeapLocation]
                        ) -> None:
    """Refuses a call that changes a list which the function reaches in two ways."""
    location = Contents(written, written)
    if location in now or location in reachable_locations(*others):
        raise TracingError(
            f"{name} calls itself and changes a list that it knows under two names"
            f"{at(user_location())}\n  hint: pass it once, or collect the values in an array")


def lives(handle: Handle) -> bool:
    """Returns True if the region that an array belongs to is being traced."""
    return handle.region is not None and handle.region.alive
