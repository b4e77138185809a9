"""Modules as plain data: the tree of their attributes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Protocol

from autograph.decorated import gives_traces
from autograph.runtime.ir.errors import LoadError, SaveError
from autograph.runtime.serialize.fields import (
    deeper,
    shown,
    tagged,
    the_dict,
    the_int,
    the_list,
    the_name,
    the_text,
)
from autograph.runtime.serialize.loaded import LoadedFunction, LoadedModule
from autograph.runtime.serialize.nests import NestWriter
from autograph.runtime.serialize.tables import Tables, TablesWriter
from autograph.runtime.symbolic.module import Module
from autograph.runtime.symbolic.variables import Variable

CALL = "__call__"
"""The one special method that a file keeps."""

OURS = ("_name", "_left_out", "_made_with")
"""Attributes of a module that are none of the user's."""


class Functions(Protocol):
    """Writes functions."""

    def number(self, f: Any, signatures: Any = None) -> int: ...


class ModuleWriter:
    """Writes modules, each once; they may refer to one another.

    signatures  by the names of methods of the first module: what to trace them for.
    """

    def __init__(self, tables: TablesWriter, functions: Functions, signatures: Mapping[str, Any]
                 ) -> None:
        self.tables = tables
        self.functions = functions
        self.signatures = signatures
        self.rows: list[Any] = []
        self.numbers: dict[int, int] = {}
        self.held: list[Module] = []

    def number(self, module: Module) -> int:
        """Returns the number of a module in the file."""
        if id(module) not in self.numbers:
            number = self.numbers[id(module)] = len(self.rows)
            self.rows.append(None)
            self.held.append(module)
            self.rows[number] = self.row(module, self.signatures if not number else {})
        return self.numbers[id(module)]

    def row(self, module: Module, signatures: Mapping[str, Any]) -> dict[str, Any]:
        attributes, left_out = [], []
        for name in signatures:
            if not gives_traces(getattr(module, name, None)):
                raise SaveError(f"{module.name} has no function {name!r} with @ag.function",
                                "the keys of `signatures` are names of methods")
            if name.startswith("__") and name != CALL:
                raise SaveError(f"{name} of {module.name} is a special method; a file keeps "
                                "__call__ alone", "give what it does a name of its own")
        for name, x in attributes_of(module, signatures):
            if name != CALL and hasattr(LoadedModule, name):
                raise SaveError(f"{module.name} has an attribute {name!r}, which is a name that "
                                "loaded modules have of their own", "give it another name")
            data = self.attribute(x, signatures.get(name))
            if data is None:
                left_out.append([name, f"an object of class {type(x).__name__}"])
            else:
                attributes.append([name, data])
        left_out += [list(pair) for pair in getattr(module, "_left_out", {}).items()]
        row: dict[str, Any] = {"name": module.name, "attributes": attributes}
        return {**row, "left_out": left_out} if left_out else row

    def attribute(self, x: Any, signatures: Any = None) -> Any:
        """Returns an attribute as plain data; None if a file cannot hold it."""
        if isinstance(x, Variable):
            return {"variable": self.tables.variable(x.storage)}
        if isinstance(x, Module):
            return {"module": self.number(x)}
        if gives_traces(x):
            return {"function": self.functions.number(x, signatures)}
        if type(x) in (list, tuple):
            inside = [self.attribute(part) for part in x]
            return None if None in inside else {type(x).__name__: inside}
        if type(x) is dict and all(type(k) is str for k in x):
            pairs = [[k, self.attribute(v)] for k, v in x.items()]
            return None if any(v is None for _, v in pairs) else {"dict": pairs}
        try:
            return {"constant": NestWriter(self.tables.array, self.tables.classes).nest(x)}
        except SaveError:
            return None


def attributes_of(module: Module, asked: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yields the names and values of a module's attributes, and of its methods that are asked for
    or traced."""
    yield from ((name, x) for name, x in vars(module).items() if name not in OURS)
    for name in dir(type(module)):
        if name in vars(module) or (name.startswith("__") and name != CALL):
            continue
        found = getattr(type(module), name, None)
        if gives_traces(found):
            method = getattr(module, name)
            if name in asked or method.experimental_get_tracing_count() or getattr(
                    method, "input_signature", None):
                yield name, method


class ModuleReader:
    """Reads the modules that a `ModuleWriter` wrote."""

    def __init__(self, tables: Tables, functions: list[LoadedFunction]) -> None:
        self.tables = tables
        self.functions = functions
        self.modules: list[LoadedModule] = []

    def all(self, data: Any) -> list[LoadedModule]:
        rows = the_list(data, "modules")
        for number, row in enumerate(rows):
            where = f"modules[{number}]"
            the_dict(row, where, ("name", "attributes"), ("left_out",))
            pairs = [the_list(p, where, 2) for p in the_list(row.get("left_out", []), where)]
            self.modules.append(LoadedModule(the_text(row["name"], where), {
                the_name(k, where): the_text(v, where) for k, v in pairs}))
        for number, row in enumerate(rows):
            self.fill(self.modules[number], row["attributes"], f"modules[{number}]")
        return self.modules

    def fill(self, module: LoadedModule, rows: Any, where: str) -> None:
        for row in the_list(rows, where):
            name, data = the_list(row, where, 2)
            the_name(name, where)
            if name in vars(module) or (name != CALL and hasattr(LoadedModule, name)):
                raise LoadError(f"the attribute {shown(name)} is there twice", where)
            vars(module)[name] = self.attribute(data, f"{where}.{name}")
        if not isinstance(vars(module).get(CALL), (LoadedFunction, type(None))):
            raise LoadError(f"{CALL} is no function", where)

    def attribute(self, x: Any, where: str, depth: int = 0) -> Any:
        tag, held = tagged(x, where)
        depth = deeper(depth, where)
        match tag:
            case "variable":
                return self.tables.variable(held, where)
            case "module":
                return self.modules[the_int(held, where, len(self.modules))]
            case "function":
                return self.functions[the_int(held, where, len(self.functions))]
            case "list" | "tuple":
                items = [self.attribute(part, where, depth) for part in the_list(held, where)]
                return items if tag == "list" else tuple(items)
            case "dict":
                pairs = [the_list(p, where, 2) for p in the_list(held, where)]
                return {the_text(k, where): self.attribute(v, where, depth) for k, v in pairs}
            case "constant":
                reader = self.tables.reader()
                reader.where = where
                return reader.constant(held)
        raise LoadError(f"{shown(tag)} is no attribute", where)
