"""The marker for a name that is not bound, where a graph has to carry one."""

from __future__ import annotations

from typing import Any


class UndefinedValue:
    """Stands for the value of an unbound name; `bound` raises when it meets one.

    Any class with `__ag_undefined__ = True` and a `name` is such a marker (the compiler has its
    own).
    """

    __ag_undefined__ = True
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<unbound {self.name}>"

    def error(self, free: bool) -> Exception:
        """Returns Python's error for a read of the name; `free`: by a function inside its own."""
        return unbound(self.name, free)


class AbsentAttribute(UndefinedValue):
    """Stands for an attribute that an object does not have; `owner` is what Python calls that."""

    __slots__ = ("owner",)

    def __init__(self, name: str, owner: str) -> None:
        super().__init__(name)
        self.owner = owner

    def error(self, free: bool) -> Exception:
        return AttributeError(f"{self.owner} has no attribute {self.name!r}", name=self.name)


def is_undefined(value: object) -> bool:
    return getattr(type(value), "__ag_undefined__", False)


def unbound(name: str, free: bool) -> NameError:
    """Returns Python's error for an unbound name of the function itself, or of one around it."""
    if free:
        return NameError(f"cannot access free variable {name!r} where it is not associated with a "
                         "value in enclosing scope", name=name)
    return UnboundLocalError(f"cannot access local variable {name!r} where it is not associated "
                             "with a value")


def bound(value: Any, free: bool = False) -> Any:
    """Returns the value itself; raises Python's error for an unbound name.

    free: the name is a variable of a function around the one that reads it.
    """
    if is_undefined(value):
        raise value.error(free) if isinstance(value, UndefinedValue) else unbound(value.name, free)
    return value


def is_bound(value: object) -> bool:
    """Returns True for a value that does not stand for an unbound name."""
    return not is_undefined(value)
