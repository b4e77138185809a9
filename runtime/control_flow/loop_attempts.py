"""Attempts: finds from earlier ones, or from the code of its body, what a loop will change.

A loop has to carry the arrays that its body writes, and the variables that it binds to other
arrays. Which these are shows when the body is traced; the code tells most of it before, so that the
first attempt to trace it can be the last: loops in loops would be traced 2, 4, 8, ... times.
"""

from __future__ import annotations

from collections.abc import Callable
from opcode import opmap
from types import CodeType
from typing import Any

from autograph.runtime.control_flow.stored_names import stored_from_outside
from autograph.runtime.heap.locations import HeapLocation
from autograph.runtime.ir.code_answers import by_code
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.types import ArrayType, Type
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle
from autograph.runtime.symbolic.tensor import Tensor


class Attempts:
    """The findings of earlier attempts about a loop inside another one, whose body is traced again.

    written    the outer arrays that its body changes; None before the first attempt.
    rebound    the numbers of the variables that are carried.
    floats     the numbers of those that Python's floats are enough for.
    locations  the heap locations that its body changes, and the types of those carried as a value.
    inner      the loops in it, by region, number and code of the body.
    """

    __slots__ = ("floats", "inner", "locations", "rebound", "written")

    def __init__(self) -> None:
        self.written: tuple[Handle, ...] | None = None
        self.rebound: frozenset[int] = frozenset()
        self.floats: frozenset[int] = frozenset()
        self.locations: dict[HeapLocation, Type | None] = {}
        self.inner: dict[tuple[str, int, Any], Attempts] = {}


BINARY_OP, IN_PLACE = opmap["BINARY_OP"], 13
"""The first of the numbers by which BINARY_OP means `+=` and the like."""


@by_code
def updated_in_place(code: CodeType) -> frozenset[str]:
    """Returns the variables that `+=` and the like bind, in a function or in those inside it: what
    they do to an array leaves it where it is."""
    found, inner = code.co_code, [c for c in code.co_consts if isinstance(c, CodeType)]
    own = [name for at in range(0, len(found), 2) if found[at] == BINARY_OP
           and found[at + 1] >= IN_PLACE for name in Location(code, at).targets]
    return frozenset(own).union(*map(updated_in_place, inner))


def guessed_rebound(body: Callable[..., Any], names: list[str]) -> frozenset[int]:
    """Returns the numbers of the variables that a loop is likely to bind to other objects: those
    that its body assigns to, but for `+=`."""
    code = getattr(body, "__code__", None)
    if code is None or trace.by_reference():
        return frozenset()
    return frozenset(k for k, name in enumerate(names)
                     if name and name not in updated_in_place(code))


def guessed(body: Callable[..., Any]) -> dict[Handle, None]:
    """Returns the arrays from outside that a loop is likely to write, by the code of its body."""
    if trace.by_reference():
        return {}
    stored = [x for x in stored_from_outside(body) if isinstance(x, Tensor)]
    return {h: None for h in (x._handle.root for x in stored)
            if not h.invalidated and isinstance(h.value.type, ArrayType)}
