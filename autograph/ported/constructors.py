"""The part of calling a class that C does after `__init__`, in Python."""

from __future__ import annotations

from typing import Any


def check_result(result: Any) -> None:
    """Raises Python's error if `__init__` has returned something; only the run may know that."""
    if result is not None:
        raise TypeError(f"__init__() should return None, not {type(result).__name__!r}")
