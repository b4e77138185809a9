"""Reading: a variable or attribute that may not be bound, as a program reads it."""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.types import is_maybe_undefined
from autograph.runtime.symbolic.tensor import Tensor


def as_read(x: Any) -> Any:
    """Returns what a program finds that reads a variable or attribute, which may not be bound."""
    return x.bound(True) if isinstance(x, Tensor) and is_maybe_undefined(
        x._handle.value.type) else x
