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


def is_undefined(value: Any) -> bool:
    return getattr(type(value), "__ag_undefined__", False)


def unbound(name: str, free: bool) -> NameError:
    """What Python raises where a name of the function itself, or of one around it, is not bound."""
    if free:
        return NameError(f"cannot access free variable {name!r} where it is not associated with a "
                         "value in enclosing scope", name=name)
    return UnboundLocalError(f"cannot access local variable {name!r} where it is not associated "
                             "with a value")


def bound(value: Any, free: bool = False) -> Any:
    """The value itself; for an unbound name, raises what Python does where it is read.

    free: the name is a variable of a function around the one that reads it.
    """
    if is_undefined(value):
        raise unbound(value.name, free)
    return value
