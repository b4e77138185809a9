"""Known objects in the state of a loop: a variable that is bound to one of several is their index.

Whoever else knows such an object has to see what is changed in it. So the loop carries a number,
which says which of the objects the variable is bound to, and the body gets a selected object.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from autograph.runtime.control_flow.known_containers import Same, is_same_data_class
from autograph.runtime.heap.objects import is_known, is_object
from autograph.runtime.heap.selected_objects import (
    MANY,
    FlattenedSelection,
    ObjectIndex,
    SelectedObject,
)


class IndexOf:
    """Stands for the index of an object, which a region left or is given, among some objects."""

    __slots__ = ("nest", "objects")

    def __init__(self, nest: Any, objects: tuple[Any, ...]) -> None:
        self.nest = nest
        self.objects = objects

    def parts(self) -> tuple[Any, IndexOf, IndexOf] | None:
        """Returns the condition and the two indices of a selection; None if there is none."""
        x = self.nest
        if not isinstance(x, (FlattenedSelection, SelectedObject)):
            return None
        pred, a, b = x.values if isinstance(x, FlattenedSelection) else x.parts()
        return pred, IndexOf(a, self.objects), IndexOf(b, self.objects)

    def number(self) -> int:
        """Returns the index, if it is known."""
        x = self.nest.value if isinstance(self.nest, Same) else self.nest
        return next(n for n, known in enumerate(self.objects) if known is x)


def joined_objects(old: Any, new: Any, known: Collection[int]) -> list[Any] | None:
    """Returns the known objects that a variable may be bound to; None if it may be bound to
    anything else but None, or always to the same.

    old, new: what it is bound to before, and after an iteration.
    known: the ids of the objects, or of their `__dict__`s, that were there before.
    """
    one, other = _objects(old, known), _objects(new, known)
    if one is None or other is None:
        return None
    found = list({id(x): x for x in [*one, *other]}.values())
    is_choice = 1 < len(found) <= MANY and any(x is not None for x in found)
    return found if is_choice or isinstance(old, ObjectIndex) else None


def _objects(x: Any, known: Collection[int]) -> list[Any] | None:
    if isinstance(x, ObjectIndex):
        return list(x.objects)
    if isinstance(x, (FlattenedSelection, SelectedObject)):
        _, *sides = x.values if isinstance(x, FlattenedSelection) else x.parts()
        found = [_objects(side, known) for side in sides]
        return None if None in found else [y for part in found for y in part or ()]
    if is_same_data_class(x):
        return [x.value]
    return [x] if x is None or (is_object(x) and is_known(x, known)) else None
