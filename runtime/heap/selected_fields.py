"""The fields of a selected object: the attributes that it has whichever of its objects it is.

Where a join knows the numbers that two objects of one class hold, it chooses between these, too. An
attribute of the selected object is then one value, and a method is called once, however many
objects it may be.
"""

from __future__ import annotations

import operator
from types import FunctionType
from typing import Any

import numpy as np

from autograph.own_attributes import in_class
from autograph.runtime.heap.objects import (
    attributes_of,
    can_be_built,
    holds_its_dict_alone,
    is_object,
)
from autograph.runtime.ir.types import ArrayType, PyType, Type
from autograph.runtime.symbolic.tensor import Tensor

NUMBERS = (bool, int, float, complex, str)


class Fields:
    """The attributes of a selection, as a join chose them. They hold as long as none of the objects
    is changed.

    kind    the class of the objects.
    values  the attributes by name.
    """

    __slots__ = ("_parts", "kind", "values")

    def __init__(self, kind: type, values: dict[str, Any], parts: list[tuple[Any, Any]]) -> None:
        self.kind = kind
        self.values = values
        self._parts = [(x, known or dict(attributes_of(x))) for x, known in parts]

    def hold(self) -> bool:
        """Returns True if the objects are as they were."""
        pending = [self]
        while pending:
            for x, then in pending.pop()._parts:
                if type(then) is not Fields:
                    if not _same(attributes_of(x), then):
                        return False
                elif x._fields is then:
                    pending.append(then)
                else:
                    return False
        return True

    def objects(self) -> list[Any]:
        """Returns the objects."""
        found: list[Any] = []
        pending = [self]
        while pending:
            for x, then in pending.pop()._parts:
                if type(then) is Fields:
                    pending.append(then)
                else:
                    found.append(x)
        return found

    def method(self, name: str) -> FunctionType | None:
        """Returns the method that the objects have under a name, if it does not ask for its own
        class, as `super()` does."""
        found = None if name in self.values else in_class(self.kind, name)
        is_own = type(found) is FunctionType and "__class__" not in found.__code__.co_freevars
        return found if is_own else None

    def takes(self, x: Any) -> bool:
        """Returns True for an operand of which no other method than that of the objects is asked
        first."""
        return holds_number(x) or type(x) is self.kind or hasattr(type(x), "fields")


def _same(now: dict[str, Any], then: dict[str, Any]) -> bool:
    return len(now) == len(then) and all(map(operator.is_, now.values(), then.values()))


def fields_of_object(x: Any) -> dict[str, Any] | None:
    """Returns the attributes of an object that is a `__dict__` and nothing else; None if there is
    more to it."""
    cls = type(x)
    if not (is_object(x) and can_be_built(x) and holds_its_dict_alone(cls)):
        return None
    found = attributes_of(x)
    return found if found and are_fields(cls, found) else None


def are_fields(cls: type, names: Any) -> bool:
    """Returns True if what objects of a class hold under some names is what is read: no code of the
    class's own is asked."""
    return in_class(cls, "__getattribute__") is vars(object)["__getattribute__"] and not any(
        hasattr(type(in_class(cls, name)), "__set__") for name in names)


def holds_number(x: Any) -> bool:
    """Returns True for a number or a text, of the graph or a constant."""
    if isinstance(x, Tensor):
        return is_field(x.type)
    return type(x) in NUMBERS or isinstance(x, np.generic)


def is_field(t: Type) -> bool:
    """Returns True for the type of a number or a text."""
    return t.cls in NUMBERS if isinstance(t, PyType) else isinstance(t, ArrayType) and t.scalar
