"""Constants of a graph: when two of them are the same."""

from __future__ import annotations

from typing import Any


def same_constant(a: Any, b: Any) -> bool:
    """Whether two constants are the same object, or plain values that nothing can tell apart.

    >>> same_constant(0.0, -0.0), same_constant(1, True), same_constant("a", "a")
    (False, False, True)
    """
    return a is b or (_is_plain(a) and type(a) is type(b) and repr(a) == repr(b))


def _is_plain(x: Any) -> bool:
    return type(x) in (bool, int, float, complex, str, bytes)
