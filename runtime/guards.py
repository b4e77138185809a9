"""Guards: tests over a call's parameters, as source that the generated entry point holds inline."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.types import ArrayType


class Const:
    """An object in a guard's source; it gets its name when the entry point is generated."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


Guard = tuple[Any, ...]
"""Pieces of source and `Const`s, to be joined."""

TYPE, LEN, LIST, REPR = Const(type), Const(len), Const(list), Const(repr)
BY_EQUALITY = (bool, int, str, bytes, range)


class Guards:
    """The tests of one signature, or None once something is met that only `bind` can tell.

    A call that passes has the signature; a call that has it need not pass (it is looked up
    instead).
    """

    def __init__(self) -> None:
        self.tests: list[Guard] | None = []
        self.dims: dict[str, str] = {}

    def add(self, *pieces: Any) -> None:
        if self.tests is not None:
            self.tests.append(pieces)

    def give_up(self) -> None:
        self.tests = None

    def of_type(self, path: str, cls: type) -> None:
        self.add(TYPE, f"({path}) is ", Const(cls))

    def array(self, path: str, t: ArrayType) -> None:
        """The dtype, and what is known of the shape."""
        dtype = t.dtype
        assert dtype is not None
        unique = np.dtype(dtype.type) is dtype
        self.add(TYPE, f"({path}) is ", Const(np.ndarray), f" and {path}.dtype "
                 f"{'is' if unique else '=='} ", Const(dtype))
        if t.shape is None:
            return
        if t.is_static:
            self.add(f"{path}.shape == {t.shape}")
            return
        self.add(f"{path}.ndim == {len(t.shape)}")
        for axis, dim in enumerate(t.shape):
            self._dim(f"{path}.shape[{axis}]", dim)

    def _dim(self, place: str, dim: int | str | None) -> None:
        if isinstance(dim, str):
            first = self.dims.setdefault(dim, place)
            if first != place:
                self.add(f"{place} == {first}")
        elif dim is not None:
            self.add(f"{place} == {dim}")

    def literal(self, path: str, x: Any) -> None:
        cls = type(x)
        if x is None or x is Ellipsis:
            self.add(f"{path} is {x!r}")
        elif cls in BY_EQUALITY or (cls is float and x and math.isfinite(x)):
            value: tuple[Any, ...] = (Const(x),) if cls is range else (repr(x),)
            self.add(TYPE, f"({path}) is ", Const(cls), f" and {path} == ", *value)
        else:
            self.add(TYPE, f"({path}) is ", Const(cls), " and ", REPR, f"({path}) == {repr(x)!r}")

    def sequence(self, path: str, x: Any) -> None:
        self.add(TYPE, f"({path}) is ", Const(type(x)), " and ", LEN, f"({path}) == {len(x)}")

    def mapping(self, path: str, x: dict[Any, Any]) -> None:
        if all(type(k) in (str, int) for k in x):
            self.add(TYPE, f"({path}) is ", Const(type(x)), " and ", LIST,
                     f"({path}) == {list(x)!r}")
        else:
            self.give_up()

    def object(self, path: str, x: Any, reference: Callable[[], Any]) -> None:
        """That it is this very object, without keeping it alive."""
        self.add(Const(reference), f"() is {path} is not None")


def render(test: Guard, name: Callable[[Any], str]) -> str:
    """The source of a guard, `name` giving each object in it a name."""
    return "".join(name(p.value) if isinstance(p, Const) else p for p in test)
