"""Attempts: finds from earlier ones, or from the code of its body, what a loop will write.

A loop has to carry the arrays that its body changes. What it changes shows when the body is traced;
the code tells most of it before, so that the first attempt to trace it can be the last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.control_flow.stored_names import stored_from_outside
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle
from autograph.runtime.symbolic.tensor import Tensor


class Attempts:
    """The findings of earlier attempts about a loop inside another one, whose body is traced again.

    written  the outer arrays that its body changes; None before the first attempt.
    inner    the loops in it, by region, number and code of the body.
    """

    __slots__ = ("inner", "written")

    def __init__(self) -> None:
        self.written: tuple[Handle, ...] | None = None
        self.inner: dict[tuple[str, int, Any], Attempts] = {}


def guessed(body: Callable[..., Any]) -> dict[Handle, None]:
    """Returns the arrays from outside that a loop is likely to write, by the code of its body."""
    if trace.by_reference():
        return {}
    stored = [x for x in stored_from_outside(body) if isinstance(x, Tensor)]
    return {h: None for h in (x._handle.root for x in stored)
            if not h.invalidated and isinstance(h.value.type, ArrayType)}
