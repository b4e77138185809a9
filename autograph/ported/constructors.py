"""The parts of calling a class that C does after `__new__`, in Python."""

from __future__ import annotations

from typing import Any


def check_result(result: Any) -> None:
    """Raises Python's error if `__init__` has returned something; only the run may know that."""
    if result is not None:
        raise TypeError(f"__init__() should return None, not {type(result).__name__!r}")


def initialise(cls: type, made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Does what `cls(...)` does with what `__new__` has made."""
    if isinstance(made, cls):
        check_result(made.__init__(*args, **kwargs))  # type: ignore[misc]
