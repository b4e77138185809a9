"""Errors of floating point that NumPy finds while a function is traced: the graph tells them."""

from __future__ import annotations

from autograph.runtime.ops.printing_and_checks import floating_point_error
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import apply


def record_floating_point_error(kind: str, message: str) -> None:
    """Records an error in what NumPy computed at once, of constants: each run that gets to that
    line tells it, as plain Python would."""
    if trace.tracing():
        apply("floating_point_error", kind, message)
    else:
        floating_point_error(kind, message)
