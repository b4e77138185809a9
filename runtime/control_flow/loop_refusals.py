"""Refusals of loops: checks what a body leaves behind, and refuses what cannot be staged."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from autograph.runtime.control_flow.traced_regions import TracedRegion
from autograph.runtime.heap.functions_of_regions import leave
from autograph.runtime.heap.iterators import is_iterator
from autograph.runtime.heap.left_functions import left_with_values
from autograph.runtime.heap.locations import HeapLocation
from autograph.runtime.heap.objects import contents_of
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location


def refuse_left_functions(before: list[Any], traced: TracedRegion,
                          carried: Set[HeapLocation], outside: set[int]) -> None:
    """Refuse a region that leaves behind a new function, or an iterator, with its values.

    before: the state before the loop. carried: the locations that the loop carries.

    Raises:
      TracingError: a loop whose number of iterations is known is unrolled then.
    """
    left = left_with_values(
        [traced.result, *traced.locations.values()],
        traced.locations.keys() | carried,
        {id(x) for x in flatten([*before, *(x.read() for x in traced.locations)])}, outside)
    if left is not None:
        leave(left)
        kind, hint = ("an iterator", "collect the values in a list") if is_iterator(left) else (
            "a function", "give it the value as a default, `v=v`")
        raise TracingError(
            f"{kind} that a staged loop makes holds values of one iteration, and is there "
            f"after it{at(user_location())}\n"
            f"  hint: {hint}, or make the {kind.partition(' ')[2]} after the loop")


def refuse_change(origin: Any, x: Any, before: dict[str, Any]) -> None:
    """Refuse a body that changes an object and then rebinds the variable to a new one: whoever
    knows the object from before the loop would not see what the first iteration changed."""
    now = contents_of(x)
    if len(now) != len(before) or any(now.get(k, before) is not v for k, v in before.items()):
        trace.want(origin, "is changed in a staged loop that also binds its variable to another "
                           "object")
        raise TracingError(
            f"a staged loop changes an object of the class {type(x).__name__} and then binds its "
            f"variable to another object{at(user_location())}\n"
            "  hint: either change the object in every iteration, or make a new one in every "
            "iteration")


def check_state(result: Any, count: int) -> None:
    """Refuses a body that does not return the loop's variables.

    Raises:
      TracingError: it does not return a tuple of so many.
    """
    if type(result) is not tuple or len(result) != count:
        raise TracingError(
            f"the body of a loop gives {_values(result)} for "
            f"{count} loop variable{'s' * (count != 1)}"
            f"{at(user_location())}\n"
            "  hint: return a tuple with one value for each loop variable, in their order")


def _values(result: Any) -> str:
    """Returns what a body gave, in words."""
    if type(result) is tuple:
        return f"{len(result)} value{'s' * (len(result) != 1)}"
    return "None" if result is None else "one value that is no tuple"
