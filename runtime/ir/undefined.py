"""The marker for a name that is not bound, where a graph has to carry one."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.errors import InvalidArgumentError

MARKERS: set[type] = set()
"""The classes of all markers, each with a `name`: those below, and the compiler's own."""


class UndefinedValue:
    """Stands for the value of an unbound name; `bound` raises when it meets one."""

    __slots__ = ("name",)

    def __init_subclass__(cls) -> None:
        MARKERS.add(cls)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<unbound {self.name}>"

    def error(self, free: bool) -> Exception:
        """Returns Python's error for a read of the name; `free`: by a function inside its own."""
        return unbound(self.name, free)


MARKERS.add(UndefinedValue)


class UndefinedGlobal(UndefinedValue):
    """Stands for the value of a global variable that is not there."""

    __slots__ = ()

    def error(self, free: bool) -> Exception:
        return NameError(f"name {self.name!r} is not defined", name=self.name)


class AbsentAttribute(UndefinedValue):
    """Stands for an attribute that an object does not have; `owner` is what Python calls that."""

    __slots__ = ("owner",)

    def __init__(self, name: str, owner: str) -> None:
        super().__init__(name)
        self.owner = owner

    def error(self, free: bool) -> Exception:
        return AttributeError(f"{self.owner} has no attribute {self.name!r}", name=self.name)


class ClassAttribute(AbsentAttribute):
    """Stands for an attribute that an object does not have, and its class has: reads find that.

    value  the class's: a number, text or None.
    """

    __slots__ = ("value",)

    def __init__(self, name: str, owner: str, value: Any) -> None:
        super().__init__(name, owner)
        self.value = value

    def with_value(self, value: Any) -> ClassAttribute:
        """Returns such a marker of another value, as for its derivative."""
        return ClassAttribute(self.name, self.owner, value)


def is_constant(value: object) -> bool:
    """Returns True for a number, a text or None, which a `ClassAttribute` may have.

    >>> is_constant(0.5), is_constant(None), is_constant([])
    (True, True, False)
    """
    return value is None or type(value) in (bool, int, float, complex, str, bytes) or isinstance(
        value, (np.number, np.bool_))


def constant(value: Any) -> Any:
    """Returns the value of an attribute that an object may lack, and its class has.

    Raises:
      InvalidArgumentError: it can be changed, and the trace cannot tell what a change would reach.
    """
    found = bound(value)
    if not is_constant(found):
        raise InvalidArgumentError(
            f"an attribute that a staged branch or loop sets is read from the class while it is not"
            f" set, and became a {type(found).__name__}\n"
            "  hint: set it before the branch or loop, or in `__init__`")
    return found


def is_undefined(value: object) -> bool:
    return type(value) in MARKERS


def unbound(name: str, free: bool) -> NameError:
    """Returns Python's error for an unbound name of the function itself, or of one around it."""
    if free:
        return NameError(f"cannot access free variable {name!r} where it is not associated with a "
                         "value in enclosing scope", name=name)
    return UnboundLocalError(f"cannot access local variable {name!r} where it is not associated "
                             "with a value")


def bound(value: Any, free: bool = False, known: bool = False) -> Any:
    """Returns the value itself, or that of the class; raises Python's error for an unbound name.

    free: the name is a variable of a function around the one that reads it.
    known: the graph has asked before, and the name is bound: nothing is raised.
    """
    if type(value) is ClassAttribute:
        return value.value
    if is_undefined(value):
        raise value.error(free) if isinstance(value, UndefinedValue) else unbound(value.name, free)
    return value


def is_own(value: object) -> bool:
    """Returns True for an attribute that an object has itself."""
    return not is_undefined(value)


def is_bound(value: object) -> bool:
    """Returns True for a value that can be read: it does not stand for an unbound name."""
    return type(value) is ClassAttribute or not is_undefined(value)
