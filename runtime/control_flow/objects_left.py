"""Objects with symbolic values in what a region left: which have to be objects of the graph.

Such an object is no value of the graph. Where a branch joins it with something of another
structure, the result is a selection. Where a loop would have to carry it as a value, the trace is
given up, and the next one holds that very object as an object of the graph.
"""

from __future__ import annotations

from typing import Any, NoReturn

from autograph.runtime.control_flow.known_containers import Same
from autograph.runtime.heap.escaping_objects import is_new_iterator, is_symbolic_object
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.objects import is_object
from autograph.runtime.heap.selected_objects import (
    FlattenedObject,
    FlattenedSelection,
    SelectedObject,
)
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import children
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.source_locations import user_location


def holds_objects(nest: Any) -> bool:
    """Returns True if a nest that a region left holds objects with symbolic values: it cannot be
    one value of the graph."""
    if isinstance(nest, (FlattenedObject, FlattenedSelection)):
        return True
    found = children(nest)
    if found is None:
        return is_symbolic_object(nest) or _is_new_container(nest)
    return any(map(holds_objects, found[1]))


def _is_new_container(x: Any) -> bool:
    """Returns True for a set or deque that the function made: it may hold symbolic values later,
    and each call makes its own. A list of ours is a value."""
    here = trace.current_region()
    return here is not None and is_plain_container(x) and type(x) is not StagedList and not (
        here.trace.allocations.is_from_outside(x))


def refuse_objects(nest: Any) -> None:
    """Refuse to make one value of a nest that holds objects made in a branch or loop."""
    if isinstance(nest, (FlattenedObject, FlattenedSelection)):
        refuse_object(nest)
    if is_new_iterator(nest):
        raise TracingError(
            "an iterator that the function makes is one of several, and only the run knows which"
            f"{at(user_location())}\n  hint: choose among lists, and make the iterator afterwards")
    for part in (children(nest) or (None, []))[1]:
        refuse_objects(part)


def refuse_object(x: Any) -> NoReturn:
    """Refuse to hand an object, or one of several, out of a branch or loop as a value; ask for a
    trace that holds it as an object of the graph."""
    here = trace.current_region()
    for wanted in objects_in(x) or [None]:
        if here is not None:
            here.trace.want(wanted, "leaves a staged branch or loop, and only the run knows which "
                                    "object that is")
    cls = x.cls if isinstance(x, FlattenedObject) else type(x)
    kind = "an object that a branch selected" if isinstance(x, FlattenedSelection) else (
        f"an object of the class {cls.__name__}")
    raise TracingError(
        f"{kind} cannot leave a staged branch or loop: it is rebound while it is changed, or it "
        "gets another class, other attributes or a container of another structure on one side or "
        f"in one iteration{at(user_location())}\n"
        "  hint: give it the same attributes everywhere, or hold its values in arrays")


def objects_in(nest: Any) -> list[Any]:
    """Returns the objects in a nest that a region left."""
    if isinstance(nest, FlattenedObject):
        return [nest.origin.value]
    if type(nest) is SelectedObject:
        return [x for side in nest.parts()[1:] for x in objects_in(side)]
    if is_object(nest) or is_plain_container(nest) or isinstance(nest, Same):
        return [nest.value if isinstance(nest, Same) else nest]
    return [x for part in (children(nest) or (None, []))[1] for x in objects_in(part)]
