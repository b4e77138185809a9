"""The marker for a name that is not bound, where a graph has to carry one."""

from __future__ import annotations

from typing import Any


class UndefinedValue:
    """Stands for the value of an unbound name; `bound` raises `UnboundLocalError` when it meets
    one.

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


def bound(value: Any) -> Any:
    """The value itself; raises UnboundLocalError, in Python's words, for an unbound name."""
    if is_undefined(value):
        raise UnboundLocalError(
            f"cannot access local variable {value.name!r} where it is not associated with a value")
    return value
