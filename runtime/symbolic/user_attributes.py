"""Attributes as the user's program reads and sets them, where this library does it for the program:
those of a symbolic value are then those of the object that it stands for, whatever their names."""

from __future__ import annotations

from typing import Any

from autograph.runtime.symbolic.tensor import Tensor


def read_attribute(x: Any, name: str) -> Any:
    """Returns an attribute of an object that the user's program asks for.

    Raises:
      AttributeError: there is none.
    """
    return x._read_for_user(name) if isinstance(x, Tensor) else getattr(x, name)


def write_attribute(x: Any, name: str, value: Any) -> None:
    """Sets an attribute of an object for the user's program."""
    if isinstance(x, Tensor):
        x._write_for_user(name, value)
    else:
        setattr(x, name, value)
