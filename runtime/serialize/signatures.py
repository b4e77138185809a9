"""Signatures as plain data: parameters, the nest of arguments, and the types of its leaves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import LoadError, SaveError
from autograph.runtime.ir.pytree import attribute_names, children, field_names
from autograph.runtime.ir.types import CONTAINERS, ArrayType, PyType
from autograph.runtime.ops.state import Store
from autograph.runtime.serialize.dtypes import dtype_data, dtype_of
from autograph.runtime.serialize.fields import (
    shown,
    tagged,
    the_int,
    the_list,
    the_name,
    the_text,
)
from autograph.runtime.serialize.nests import NestReader, NestWriter
from autograph.runtime.serialize.tables import Tables, TablesWriter
from autograph.runtime.signatures.binding import PERSISTENT, Bound, Leaf
from autograph.runtime.signatures.cache_keys import (
    LITERALS,
    ByReference,
    ForeignArray,
    Growing,
    Identity,
    Key,
    Node,
    Same,
    Stateful,
    literal,
    value_key,
)
from autograph.runtime.signatures.filler import LeafRef, is_mutable

BY_REFERENCE = {c.__name__: c for c in (*CONTAINERS, tuple)}
"""The classes of containers that may be arguments by reference, by their names."""

KINDS = {kind.name.lower(): kind for kind in (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.KEYWORD_ONLY,
    inspect.Parameter.VAR_KEYWORD)}


class ArgumentWriter(NestWriter):
    """Writes the nest of arguments; a container that occurs twice is the same container."""

    def __init__(self, tables: TablesWriter) -> None:
        super().__init__(tables.array, tables.classes)
        self.met: dict[int, tuple[int, Any]] = {}

    def nest(self, x: Any) -> Any:
        if id(x) in self.met:
            return {"again": self.met[id(x)][0]}
        data = super().nest(x)
        if is_mutable(x):
            self.met[id(x)] = len(self.met), x
        return data


class ArgumentReader(NestReader):
    """Reads the nest of arguments."""

    def __init__(self, tables: Tables, leaves: int) -> None:
        super().__init__(tables.arrays, tables.classes)
        self.leaves = leaves
        self.met: list[Any] = []

    def nest(self, x: Any) -> Any:
        if type(x) is dict and "again" in x:
            _, number = tagged(x, self.where)
            return self.met[the_int(number, self.where, len(self.met))]
        made = super().nest(x)
        if is_mutable(made):
            self.met.append(made)
        return made


def signature_data(tables: TablesWriter, bound: Bound, parameters: list[inspect.Parameter]
                   ) -> dict[str, Any]:
    """Returns a signature as plain data. An object that only this trace is for, as the instance of
    a method, is no parameter.

    Raises:
      SaveError: an argument is of a class that a file does not know.
    """
    nest = {k: x for k, x in bound.nest.items() if not isinstance(x, Identity)}
    own = [p for p in parameters if p.name in nest]
    writer = ArgumentWriter(tables)
    data = {"parameters": [_parameter_data(tables, p) for p in own],
            "arguments": [writer.nest(nest[p.name]) for p in own],
            "leaves": [[x.hint, leaf_data(tables, x.type), x.name] for x in bound.leaves]}
    return data


def _parameter_data(tables: TablesWriter, p: inspect.Parameter) -> list[Any]:
    """Returns a parameter as plain data, with its default value if a file can hold that."""
    data: list[Any] = [p.name, p.kind.name.lower()]
    if p.default is not p.empty:
        with suppress(SaveError):
            data.append(NestWriter(tables.array, tables.classes).nest(p.default))
    return data


def leaf_data(tables: TablesWriter, t: Any) -> Any:
    """Returns the part of a key that a leaf is."""
    if isinstance(t, (ArrayType, PyType)):
        return {"type": tables.type(t)}
    if isinstance(t, Stateful):
        return {"variable": tables.type(t.type)}
    if isinstance(t, Growing) and t.cls in (list, Store):
        return {"growing": t.cls.__name__}
    if isinstance(t, ByReference) and BY_REFERENCE.get(t.cls.__name__) is t.cls:
        return {"by_reference": t.cls.__name__}
    if isinstance(t, ForeignArray) and t.cls in (np.ndarray, np.void):
        return {"foreign": [t.cls.__name__, dtype_data(t.dtype), list(t.shape)]}
    told = getattr(t, "cls", type(t)).__name__
    raise SaveError(f"an argument of class {told} cannot be saved", "pass an array")


def signature_of(x: dict[str, Any], tables: Tables, where: str
                 ) -> tuple[Bound, list[inspect.Parameter]]:
    """Returns the signature that `signature_data` wrote."""
    rows = the_list(x["leaves"], where)
    leaves = [_leaf(tables, row, f"{where}.leaves[{i}]") for i, row in enumerate(rows)]
    parameters = [_parameter(tables, row, where) for row in the_list(x["parameters"], where)]
    try:
        inspect.Signature(parameters)
    except ValueError as error:
        raise LoadError(f"no signature: {error}", where) from None
    reader = ArgumentReader(tables, len(leaves))
    reader.where = f"{where}.arguments"
    nests = reader.nests(x["arguments"], len(parameters))
    nest = {p.name: n for p, n in zip(parameters, nests, strict=True)}
    return bound_of(nest, leaves, where), parameters


def _parameter(tables: Tables, x: Any, where: str) -> inspect.Parameter:
    name, kind, *more = the_list(x, where, 2 if len(the_list(x, where)) < 3 else 3)
    reader = tables.reader()
    reader.where = where
    default = reader.constant(more[0]) if more else inspect.Parameter.empty
    if type(kind) is not str or kind not in KINDS or name == PERSISTENT:
        raise LoadError(f"{shown(kind)} is no kind of parameter", where)
    try:
        return inspect.Parameter(the_name(name, where), KINDS[kind], default=default)
    except ValueError as error:
        raise LoadError(f"no parameter: {error}", where) from None


def _leaf(tables: Tables, x: Any, where: str) -> Leaf:
    hint, kind, name = the_list(x, where, 3)
    return Leaf(the_text(hint, where), _leaf_type(tables, kind, where), "", None,
                None if name is None else the_text(name, where))


def _leaf_type(tables: Tables, x: Any, where: str) -> Any:
    tag, held = tagged(x, where)
    if tag in ("type", "variable"):
        t = tables.type(held, where)
        if isinstance(t, ArrayType) and t.dtype is not None:
            return t if tag == "type" else Stateful(t)
        if tag == "type" and isinstance(t, PyType) and t.cls not in CONTAINERS:
            return t
    if tag == "growing" and held in ("list", "Store"):
        return Growing(list if held == "list" else Store)
    if tag == "by_reference" and type(held) is str and held in BY_REFERENCE:
        return ByReference(BY_REFERENCE[held])
    if tag == "foreign":
        cls, dtype, shape = the_list(held, where, 3)
        if cls in ("ndarray", "void"):
            return ForeignArray(getattr(np, cls), dtype_of(dtype, where), tuple(
                the_int(d, where, 2 ** 48) for d in the_list(shape, where)))
    raise LoadError(f"no argument is of the kind {shown(tag)}", where)


# -- keys -----------------------------------------------------------------------------------------


def bound_of(nest: dict[str, Any], leaves: list[Leaf], where: str) -> Bound:
    """Returns a bound signature made of a nest of arguments and its leaves.

    Raises:
      LoadError: a leaf is not in the nest.
    """
    keys = _Keys(leaves)
    parts = tuple((name, keys.key(x, name)) for name, x in nest.items())
    if keys.met != set(range(len(leaves))):
        raise LoadError("an argument of the graph is in no parameter", where)
    return Bound(Node(None, parts), leaves, None, nest, keys.containers)


class _Keys:
    """Finds the key of a nest, as `bind` would; gives leaves and containers their paths."""

    def __init__(self, leaves: list[Leaf]) -> None:
        self.leaves = leaves
        self.met: set[int] = set()
        self.containers: list[tuple[str, Any]] = []
        self.copies: dict[int, int] = {}

    def key(self, x: Any, path: str) -> Key:
        if isinstance(x, LeafRef):
            if x.index in self.met:
                return Same(x.index)
            self.met.add(x.index)
            self.leaves[x.index].path = path
            return self.leaves[x.index].type
        if type(x) in LITERALS:
            return literal(x)
        found = children(x)
        if found is None:
            return self.constant(x, path)
        kind, inside, _ = found
        if id(x) in self.copies:
            return Node("same container", self.copies[id(x)])
        if is_mutable(x):
            self.containers.append((path, None))
            number = len(self.containers)
        keys = tuple(self.key(c, p) for c, p in zip(inside, paths(x, path), strict=True))
        if is_mutable(x):
            self.copies[id(x)] = number
        return Node(kind, keys)

    def constant(self, x: Any, path: str) -> Key:
        if type(x) is set:
            self.containers.append((path, None))
        return value_key(x)


def paths(x: Any, path: str) -> Iterator[str]:
    """Yields the expressions of the parts of a container over the parameters."""
    if isinstance(x, dict):
        yield from (f"{path}[{key!r}]" if type(key) in (str, int) else "" for key in x)
    elif field_names(type(x)) is not None:
        yield from (f"{path}.{name}" for name in attribute_names(x))
    else:
        yield from (f"{path}[{i}]" for i in range(len(children(x)[1])))  # type: ignore[index]
