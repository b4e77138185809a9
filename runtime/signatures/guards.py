"""Guards: tests over a call's parameters, as source that the generated entry point holds inline."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from types import MethodType
from typing import Any, NamedTuple

import numpy as np

from autograph.own_attributes import own_dict
from autograph.runtime.ir.types import ArrayType

MAX_BINDINGS = 40
"""At most so many containers are unpacked into local variables; each nests an `if` deeper."""

MANY_KEYS = 8


class Const:
    """An object in a guard's source; it is named when the entry point is generated."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and (self.value is other.value or (
            type(self.value) is type(other.value) is MethodType and self.value == other.value))

    def __hash__(self) -> int:
        return hash(self.value) if type(self.value) is MethodType else id(self.value)


Guard = tuple[Any, ...]
"""Pieces of source text and `Const`s, to be joined."""


class Check(NamedTuple):
    """An expression that must be true."""

    pieces: Guard


class Bind(NamedTuple):
    """A statement that unpacks a container, or reads an attribute of an object."""

    pieces: Guard


class Keyed(NamedTuple):
    """A test that `expressions` equal `values`; `direct` is the test written out.

    Signatures that differ only here share a table, in which they are looked up by `values`.
    """

    direct: Guard
    expressions: tuple[str, ...]
    values: tuple[Any, ...]


Step = Check | Bind | Keyed

TYPE, LEN, REPR, MAP = Const(type), Const(len), Const(repr), Const(map)
BY_EQUALITY = (bool, int, str, bytes)


class Guards:
    """The steps that recognise one signature; None once only `bind` can tell.

    A call that passes has the signature; a call that has it need not pass (it is looked up
    instead). `taken` are names that local variables must not use.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.steps: list[Step] | None = []
        self.dims: dict[str, str] = {}
        self.taken = set(taken)
        self.bindings = 0
        self.made = 0

    def add(self, *pieces: Any) -> None:
        if self.steps is not None:
            self.steps.append(Check(pieces))

    def give_up(self) -> None:
        self.steps = None

    def of_type(self, path: str, cls: type) -> None:
        self.add(TYPE, f"({path}) is ", Const(cls))

    def bind(self, *pieces: Any) -> None:
        if self.steps is not None:
            self.steps.append(Bind(pieces))

    def local(self) -> str:
        """Returns the name of a new local variable."""
        while (name := f"_{self.made}") in self.taken:
            self.made += 1
        self.made += 1
        return name

    def parts(self, expressions: list[str]) -> list[str]:
        """Binds the parts of a container to local variables, if those are not too many yet."""
        self.bindings += 1
        if self.bindings > MAX_BINDINGS or not expressions:
            return expressions
        names = [self.local() for _ in expressions]
        for name, expression in zip(names, expressions, strict=True):
            self.bind(f"{name} = {expression}")
        return names

    def array(self, path: str, t: ArrayType) -> None:
        """Tests the class, the dtype, and what is known of the shape."""
        dtype = t.dtype
        assert dtype is not None
        same = f"{path}.dtype {'is' if np.dtype(dtype.type) is dtype else '=='} "
        self.of_type(path, np.ndarray)
        if t.shape is not None and t.is_static:
            self.keyed((same, Const(dtype), f" and {path}.shape == {t.shape}"),
                       (f"{path}.dtype", f"{path}.shape"), (dtype, t.shape))
            return
        self.add(same, Const(dtype))
        if t.shape is not None:
            self.add(f"{path}.ndim == {len(t.shape)}")
            for axis, dim in enumerate(t.shape):
                self._dim(f"{path}.shape[{axis}]", dim)

    def keyed(self, direct: Guard, expressions: tuple[str, ...], values: tuple[Any, ...]) -> None:
        if self.steps is not None:
            self.steps.append(Keyed(direct, expressions, values))

    def _dim(self, expression: str, dim: int | str | None) -> None:
        if isinstance(dim, str):
            first = self.dims.setdefault(dim, expression)
            if first != expression:
                self.add(f"{expression} == {first}")
        elif dim is not None:
            self.add(f"{expression} == {dim}")

    def literal(self, path: str, x: Any) -> None:
        cls = type(x)
        if x is None or x is Ellipsis:
            self.add(f"{path} is {x!r}")
            return
        self.of_type(path, cls)
        if cls in BY_EQUALITY or (cls is float and x and math.isfinite(x)):
            self.keyed((f"{path} == {x!r}",), (path,), (x,))
        else:
            self.add(REPR, f"({path}) == {repr(x)!r}")

    def attributes(self, path: str, x: Any) -> None:
        """Tests which attributes an object has, if it may have others."""
        if (own := own_dict(x)) is not None:
            self.add(f"{path}.__dict__.keys() == ", Const(frozenset(own)))

    def sequence(self, path: str, x: Any) -> list[str]:
        """Tests the class and length of a sequence; returns the expressions of its items."""
        self.of_type(path, type(x))
        self.add(LEN, f"({path}) == {len(x)}")
        return self.parts([f"{path}[{i}]" for i in range(len(x))])

    def mapping(self, path: str, x: dict[Any, Any]) -> list[str]:
        """Tests a dict's class, and its keys in order; returns the expressions of its values."""
        if not all(type(k) in (str, int) for k in x):
            self.give_up()
        self.of_type(path, type(x))
        if isinstance(x, defaultdict):
            self.add(f"{path}.default_factory is ", Const(x.default_factory))
        self._keys(path, list(x))
        if int in map(type, x):  # 1 == True == 1.0
            self.add("[*", MAP, "(", TYPE, f", {path})] == ", Const(list(map(type, x))))
        return self.parts([f"{path}[{k!r}]" for k in x])

    def _keys(self, path: str, keys: list[Any]) -> None:
        if len(keys) > MANY_KEYS or self.bindings >= MAX_BINDINGS:
            self.add(f"[*{path}] == {keys!r}")
            return
        self.add(LEN, f"({path}) == {len(keys)}")
        if len(keys) == 1:
            self.add(f"{keys[0]!r} in {path}")
        elif keys:
            names = [self.local() for _ in keys]
            self.bind(f"{', '.join(names)} = {path}")
            for name, key in zip(names, keys, strict=True):
                self.add(f"{name} == {key!r}")

    def object(self, path: str, x: Any, reference: Callable[[], Any]) -> None:
        """Tests that it is this very object, without keeping the object alive."""
        self.add(Const(reference), f"() is {path} is not None")


def render(pieces: Guard, name: Callable[[Any], str]) -> str:
    """Returns the source of a guard; `name` gives each object in it a name."""
    return "".join(name(p.value) if isinstance(p, Const) else p for p in pieces)
