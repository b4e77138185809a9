"""Reading: an attribute that its object may lack, as a program reads it."""

from __future__ import annotations

from typing import Any

from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor


def as_read(x: Any) -> Any:
    """Returns what a program finds that reads an attribute which its object may lack; anything else
    as it is."""
    here = trace.current_region()
    return x.bound(True) if here is not None and isinstance(
        x, Tensor) and x._handle in here.trace.lacks else x
