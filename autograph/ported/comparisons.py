"""`functools.cmp_to_key` in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Compare = Callable[[Any, Any], Any]


class Key:
    """A value that a function compares with others. It has no hash."""

    __slots__ = ("compare", "obj")

    def __init__(self, compare: Compare, obj: Any) -> None:
        self.compare = compare
        self.obj = obj

    def __lt__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) < 0

    def __gt__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) > 0

    def __eq__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) == 0

    def __le__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) <= 0

    def __ge__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) >= 0

    __hash__ = None  # type: ignore[assignment]
