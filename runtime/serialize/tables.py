"""The tables of a file: arrays, variables, types and spans, each once, which graphs refer to."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import LoadError, SaveError
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.types import ArrayType, Type
from autograph.runtime.ops.state import Storage
from autograph.runtime.serialize.arrays import Held, array_data, array_of
from autograph.runtime.serialize.dtypes import type_data, type_of_data
from autograph.runtime.serialize.fields import the_bool, the_dict, the_int, the_list, the_text
from autograph.runtime.serialize.nests import Classes, NestReader
from autograph.runtime.serialize.spans import SavedLocation, span_data, span_of
from autograph.runtime.symbolic.variables import Variable

MAX_ENTRIES = 10_000_000


class Table:
    """Data, each once, by number."""

    def __init__(self) -> None:
        self.data: list[Any] = []
        self.numbers: dict[Hashable, int] = {}
        self.held: list[Any] = []

    def number(self, key: Hashable, thing: Any, data: Callable[[], Any]) -> int:
        """Returns the number of a thing; `data` is asked for a new one."""
        if key not in self.numbers:
            self.data.append(None)
            self.held.append(thing)  # an id is an object's only as long as it lives
            number = self.numbers[key] = len(self.data) - 1
            self.data[number] = data()
        return self.numbers[key]


class TablesWriter:
    """Collects what the graphs of a file refer to.

    spans  False to leave source locations out.
    files  the contents of the arrays' members, in order.
    """

    def __init__(self, classes: Classes, spans: bool = True) -> None:
        self.classes = classes
        self.with_spans = spans
        self.arrays, self.types, self.spans, self.variables = Table(), Table(), Table(), Table()
        self.files: list[Held] = []
        self.members: dict[Hashable, int] = {}

    def type(self, t: Type) -> int:
        return self.types.number(_key(t), t, lambda: type_data(t))

    def span(self, location: Location | None) -> int | None:
        if location is None or not self.with_spans:
            return None
        data = span_data(location)
        return self.spans.number(data, data, lambda: list(data))

    def array(self, x: np.ndarray[Any, Any]) -> int:
        return self.arrays.number(id(x), x, lambda: array_data(x, self.member))

    def member(self, held: Held) -> int:
        """Returns the number of the member with some contents; equal contents are there once."""
        if held.key not in self.members:
            self.members[held.key] = len(self.files)
            self.files.append(held)
        return self.members[held.key]

    def variable(self, storage: Storage) -> int:
        return self.variables.number(id(storage), storage, lambda: self._variable(storage))

    def _variable(self, storage: Storage) -> Any:
        owner = storage.owner()
        if storage.array is None:
            raise SaveError(f"the variable {storage.name!r} has no value yet",
                            "call the function once, then save it")
        return {"name": storage.name, "type": self.type(storage.type),
                "trainable": owner is None or bool(owner.trainable),
                "array": self.array(storage.array)}

    def data(self) -> dict[str, Any]:
        """Returns the tables as plain data."""
        return {"arrays": self.arrays.data, "types": self.types.data, "spans": self.spans.data,
                "variables": self.variables.data}


def _key(t: Type) -> Hashable:
    """Returns a key that is equal for the same types only; a dtype's text tells titles apart."""
    return (t, repr(t.dtype), type(t.dtype)) if isinstance(t, ArrayType) else t


class Tables:
    """The tables that were read from a file."""

    def __init__(self, data: dict[str, Any], members: list[np.ndarray[Any, Any]],
                 classes: Classes) -> None:
        self.classes = classes
        self.types = [type_of_data(x, f"types[{i}]") for i, x in enumerate(_rows(data, "types"))]
        self.arrays = [array_of(x, members, f"arrays[{i}]")
                       for i, x in enumerate(_rows(data, "arrays"))]
        self.spans = [span_of(x, f"spans[{i}]") for i, x in enumerate(_rows(data, "spans"))]
        self.variables = [self._variable(x, f"variables[{i}]")
                          for i, x in enumerate(_rows(data, "variables"))]

    def reader(self) -> NestReader:
        return NestReader(self.arrays, self.classes)

    def type(self, x: Any, where: str) -> Type:
        return self.types[the_int(x, where, len(self.types))]

    def span(self, x: Any, where: str) -> SavedLocation | None:
        return None if x is None else self.spans[the_int(x, where, len(self.spans))]

    def variable(self, x: Any, where: str) -> Variable:
        return self.variables[the_int(x, where, len(self.variables))]

    def _variable(self, x: Any, where: str) -> Variable:
        the_dict(x, where, ("name", "type", "trainable", "array"))
        t, array = self.type(x["type"], where), self.arrays[
            the_int(x["array"], where, len(self.arrays))]
        fits = isinstance(t, ArrayType) and t.dtype == array.dtype and (
            ArrayType(t.dtype, t.shape).admits(array) if t.shape else t.shape is None
            or array.shape == ())
        if not fits:
            raise LoadError(f"the value of the variable is not of its type {t}", where)
        assert isinstance(t, ArrayType)
        made = Variable(array, t.dtype, the_text(x["name"], where),
                        the_bool(x["trainable"], where), t.shape)
        made.type = made.storage.type = t
        return made


def _rows(data: dict[str, Any], name: str) -> list[Any]:
    return the_list(data.get(name), name)
