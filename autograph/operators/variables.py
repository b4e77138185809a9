"""Names that a path may leave unbound: the marker they hold, and the read that raises."""

from __future__ import annotations

from typing import TypeVar, cast

from autograph.operators.dispatch import BACKENDS
from autograph.operators.frames import hide

T = TypeVar("T")


class Undefined:
    """What a variable holds that no assignment has reached yet."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name!r}>"


def bound(value: T) -> T:
    """`value`; raises `UnboundLocalError`, as Python does, if it is undefined.

    >>> bound(3)
    3
    """
    try:
        if isinstance(value, Undefined):
            raise UnboundLocalError(f"cannot access local variable {value.name!r} where it is not "
                                    "associated with a value")
        backend = BACKENDS.get(type(value))
        return value if backend is None else cast(T, backend.bound(value))
    except BaseException:
        hide()
        raise
