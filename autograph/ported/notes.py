"""`BaseException.add_note` in Python."""

from __future__ import annotations

from typing import Any


def add_note(error: Any, note: Any) -> None:
    """Adds a note to an exception.

    >>> error = ValueError("a")
    >>> add_note(error, "b")
    >>> error.__notes__
    ['b']
    """
    if not isinstance(note, str):
        raise TypeError(f"note must be a str, not {type(note).__name__!r}")
    if not hasattr(error, "__notes__"):
        error.__notes__ = []
    error.__notes__.append(note)
