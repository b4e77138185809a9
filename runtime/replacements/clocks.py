"""Text that means the clock, for NumPy's datetimes: the run makes them."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np

from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ops import opaque
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply


def is_clock_text(x: Any) -> bool:
    """Returns True for a text that NumPy's datetimes take from the clock."""
    text = x.decode("latin-1") if isinstance(x, bytes) else x
    return isinstance(text, str) and text.strip().lower() in ("now", "today")


def has_clock_text(nest: Any) -> bool:
    """Returns True if such a text is in a nest."""
    return any(map(is_clock_text, all_leaves(nest)))


@wraps(np.datetime64, updated=())
def _datetime64(*args: Any) -> Any:
    """Stage `np.datetime64`: the run makes it of what the run knows, and of "now"."""
    x = args[0] if args and trace.tracing() else None
    later = isinstance(x, Tensor) or is_clock_text(x)
    return apply(opaque(np.datetime64), *args) if later else np.datetime64(*args)


REPLACEMENTS: dict[Any, Any] = {np.datetime64: _datetime64}
