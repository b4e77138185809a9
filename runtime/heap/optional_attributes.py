"""Attributes that an object has on one side of a branch, or after some rounds of a loop, only."""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any

from autograph.runtime.heap.places import Contents, Place
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.undefined import AbsentAttribute
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.trace import current_region

MISSING = object()


def aligned(place: Place, *contents: Any) -> tuple[Any, ...]:
    """What an object was left with in several ways, under the same names in the same order.

    Where an attribute is not there stands what the object's class has by that name, or else a
    marker: who reads it gets an AttributeError when the graph runs.
    """
    if not (isinstance(place, Contents) and place.has_attributes) or any(
            type(c) is not dict for c in contents):
        return contents
    names = dict.fromkeys(name for c in contents for name in c)
    return tuple({name: c[name] if name in c else _instead(place.owner, name) for name in names}
                 for c in contents)


def _instead(owner: Any, name: str) -> Any:
    """What is found where an object has no attribute of its own by that name.

    Raises:
      TracingError: the class computes it.
    """
    bases = owner.__mro__[1:] if isinstance(owner, type) else type(owner).__mro__
    found = next((vars(base)[name] for base in bases if name in vars(base)), MISSING)
    named = f"type object '{owner.__name__}'" if isinstance(owner, type) else (
        f"'{type(owner).__name__}' object")
    computed = hasattr(type(found), "__get__") and type(found) is not MemberDescriptorType
    if computed or any("__getattr__" in vars(base) for base in bases):
        raise TracingError(
            f"a {named} gets the attribute {name!r}, which its class computes, in a staged branch "
            f"or loop{at(user_location())}\n  hint: read or set it before")
    if found is not MISSING and type(found) is not MemberDescriptorType:
        return found
    here = current_region()
    if here is not None:
        here.trace.handled = True  # who reads it may stand in a `try`
    return AbsentAttribute(name, named)
