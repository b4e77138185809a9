"""Functions of the arguments that a signature refers to, without keeping what they hold alive."""

from __future__ import annotations

import weakref
from types import CellType, FunctionType, MethodType
from typing import Any

from autograph.runtime.ir.closures import is_method
from autograph.runtime.signatures.cache_keys import Identity, held_key, value_key


def weakly(x: Any) -> Any:
    """Returns what stands for a constant of a call: the constant itself, or what has a method
    `reference` that gives it, while it lives."""
    key = value_key(x)
    if isinstance(key, Identity):
        return key
    return WeakFunction(x) if FunctionType in (
        type(x), type(x.__func__) if is_method(x) else None) else x


class WeakFunction:
    """A function or method: itself while it lives; else another one of its code, over the same
    objects. Calls with such a function have the same key."""

    __slots__ = ("cells", "code", "defaults", "keywords", "name", "namespace", "own", "owner")

    def __init__(self, x: Any) -> None:
        self.owner = Identity(x.__self__) if is_method(x) else None
        f = x.__func__ if self.owner is not None else x
        self.own, self.code, self.name = weakref.ref(f), f.__code__, f.__name__
        self.namespace = f.__globals__
        self.cells = [_held(c) for c in f.__closure__ or ()]
        self.defaults = tuple(map(_weakly_held, f.__defaults__ or ()))
        self.keywords = {n: _weakly_held(v) for n, v in (f.__kwdefaults__ or {}).items()}

    def reference(self) -> Any:
        """Returns the function or method."""
        f = self.own() or self._made()
        return f if self.owner is None else MethodType(f, self.owner.reference())

    def __repr__(self) -> str:
        return f"<{'function' if self.owner is None else 'method'} {self.name}>"

    def _made(self) -> FunctionType:
        made = FunctionType(self.code, self.namespace, self.name, None, tuple(
            CellType(*map(strongly, held)) for held in self.cells))
        made.__defaults__ = tuple(map(strongly, self.defaults)) or None
        made.__kwdefaults__ = {n: strongly(v) for n, v in self.keywords.items()} or None
        return made


def strongly(x: Any) -> Any:
    """Returns the constant that something stands for."""
    return x.reference() if isinstance(x, (Identity, WeakFunction)) else x


def _held(cell: CellType) -> list[Any]:
    """Returns what stands for the contents of a cell; nothing, if it is unbound."""
    try:
        return [_weakly_held(cell.cell_contents)]
    except ValueError:
        return []


def _weakly_held(x: Any) -> Any:
    """Returns what stands for something that a function holds, which may be that function."""
    key = held_key(x)
    if isinstance(key, Identity):
        return key
    return WeakFunction(x) if type(x) is FunctionType else x
