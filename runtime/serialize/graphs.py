"""Graphs as plain data, and back: every value, op, type and constant is checked on the way in."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.errors import GraphError, LoadError, SaveError
from autograph.runtime.ir.frame_state import OutsideLocation
from autograph.runtime.ir.graph import (
    CALL,
    Equation,
    Graph,
    Value,
    graphs_in,
    regions_of,
)
from autograph.runtime.ir.numpy_settings import ERROR_KINDS, PRINT_OPTIONS, Settings
from autograph.runtime.ir.types import Type, type_of
from autograph.runtime.ir.verifier import check
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.state import Storage
from autograph.runtime.serialize.fields import (
    MAX_DEPTH,
    shown,
    the_bool,
    the_dict,
    the_int,
    the_list,
    the_name,
    the_text,
)
from autograph.runtime.serialize.method_calls import as_method_call, methods_looked_up
from autograph.runtime.serialize.nests import NestWriter
from autograph.runtime.serialize.ops import check_use, op_data, op_of
from autograph.runtime.serialize.tables import Tables, TablesWriter

CALLS = OPS[CALL]
TREATMENTS = ("ignore", "warn", "raise", "print", "log", "call")


class GraphWriter(NestWriter):
    """Writes a graph and those that it calls."""

    def __init__(self, tables: TablesWriter, graph: Graph) -> None:
        super().__init__(tables.array, tables.classes)
        self.tables = tables
        self.graphs = graphs_in(graph)
        self.looked_up = methods_looked_up(self.graphs)
        self.targets: dict[int, Any] = {}
        self.depth = 0

    def all(self) -> list[Any]:
        """Returns the graphs as plain data, the one that is run first."""
        return [self.graph(g) for g in self.graphs]

    def bind(self, values: tuple[Value, ...]) -> list[Any]:
        """Numbers values; returns their types and names."""
        for v in values:
            self.numbers[v] = len(self.numbers)
        return [[self.tables.type(v.type), v.hint if v.hint.isidentifier() else ""]
                for v in values]

    def graph(self, graph: Graph) -> dict[str, Any]:
        data: dict[str, Any] = {"name": graph.name, "inputs": self.bind(graph.inputs)}
        if graph.captures:
            data["captures"] = [[*self.bind((v,))[0], *self.captured(x)]
                                for v, x in graph.captures.items()]
        data["equations"] = [self.equation(as_method_call(e, self.looked_up))
                             for e in graph.equations
                             if self.looked_up.keys().isdisjoint(e.outputs)]
        data["outputs"] = self.nests(graph.outputs)
        return data

    def captured(self, x: Any) -> list[Any]:
        """Returns an array or variable that a graph refers to."""
        if isinstance(x, Storage):
            return ["variable", self.tables.variable(x)]
        return ["constant", self.nest(x)]

    def equation(self, e: Equation) -> dict[str, Any]:
        """Returns an equation as plain data.

        Raises:
          SaveError: with the user's line.
        """
        try:
            wrong = check_use(e)
            if wrong:
                raise SaveError(f"{e.op.name}: {wrong}", "write it with NumPy's functions")
            return self.parts(e)
        except SaveError as error:
            if error.location is None and e.location is not None:
                raise SaveError(error.message, error.hint, e.location) from None
            raise

    def parts(self, e: Equation) -> dict[str, Any]:
        data: dict[str, Any] = {"op": op_data(e), "args": self.nests(e.args)}
        if e.kwargs:
            data["kwargs"] = [[k, self.nest(v)] for k, v in e.kwargs.items()]
        if e.callee is not None:
            data["callee"] = self.graphs.index(e.callee)
        elif e.regions:
            data["regions"] = self.regions(e)
        if e.settings:
            data["errstate"] = [list(pair) for pair in e.settings]
        if e.pending_writes is not None:
            data["pending"] = [[self.target(t), self.nest(nest)] for t, nest in e.pending_writes]
        if e.pinned:
            data["pinned"] = True
        if (span := self.tables.span(e.location)) is not None:
            data["span"] = span
        data["outputs"] = self.bind(e.outputs)
        return data

    def regions(self, e: Equation) -> list[Any]:
        if self.depth == MAX_DEPTH:
            raise SaveError(f"branches and loops are nested more than {MAX_DEPTH} deep", FLATTER)
        self.depth += 1
        found = [self.graph(r) for r in regions_of(e)]
        self.depth -= 1
        return found

    def target(self, t: Any) -> Any:
        """Returns what a pending write is made to: an input, or one of the caller's containers."""
        if isinstance(t, OutsideLocation):
            raise SaveError("it changes something outside the function", OUTSIDE)
        return t if isinstance(t, int) else self.nest(t)


OUTSIDE = "pass what it changes as an argument and return it, or keep it in an ag.Variable"

FLATTER = ("each `elif` and each early return nests what follows it: look the case up in a list or "
           "an array, or leave part of them to a function with @ag.function")


class GraphReader:
    """Reads the graphs that a `GraphWriter` wrote."""

    def __init__(self, tables: Tables, given: int) -> None:
        self.tables = tables
        self.nests = tables.reader()
        self.nests.given = given
        self.graphs: list[Graph] = []
        self.depth = 0

    def all(self, data: Any, where: str) -> Graph:
        """Returns the graph that is run; those that it calls are in its equations.

        Raises:
          LoadError: something in it is not as a graph has it.
        """
        rows = the_list(data, where)
        if not 1 <= len(rows) <= 10_000:
            raise LoadError("there is no graph", where)
        self.graphs = [Graph("") for _ in rows]
        visible: list[Value | None] = []
        for number, (graph, x) in enumerate(zip(self.graphs, rows, strict=True)):
            self.fill(graph, x, f"{where}[{number}]", top=not number)
            visible = visible or list(self.nests.values)
            self.hide(0, len(self.nests.values))  # a graph sees none of another one's values
        self.nests.values[:len(visible)] = visible
        return self.graphs[0]

    def verify(self, where: str) -> None:
        """Checks the types of everything.

        Raises:
          LoadError: a type rule gives another type than the file says, or an op gets something else
            than it takes.
        """
        try:
            check(self.graphs[0])
        except GraphError as error:
            raise LoadError(str(error).partition("\n")[0], where) from None
        except RecursionError:
            raise LoadError("nested too deeply", where) from None
        except Exception as error:
            raise LoadError(f"the graph is not well formed: {type(error).__name__}: "
                            f"{shown(str(error))}", where) from None
        if len(graphs_in(self.graphs[0])) != len(self.graphs):
            raise LoadError("a graph is never called", where)

    # -- values -----------------------------------------------------------------------------------

    def bind(self, rows: Any, where: str) -> tuple[Value, ...]:
        """Makes values of these types and names; they get the next numbers."""
        made = []
        for row in the_list(rows, where):
            number, hint = the_list(row, where, 2)
            made.append(self.new(number, hint, where))
        return tuple(made)

    def new(self, number: Any, hint: Any, where: str) -> Value:
        made = Value(self.tables.type(number, where), "" if hint == "" else the_name(hint, where))
        self.nests.values.append(made)
        return made

    def hide(self, start: int, stop: int) -> None:
        """Makes the values of a region that has ended invisible."""
        self.nests.values[start:stop] = [None] * (stop - start)

    # -- graphs -----------------------------------------------------------------------------------

    def fill(self, graph: Graph, x: Any, where: str, top: bool = False) -> None:
        the_dict(x, where, ("name", "inputs", "equations", "outputs"),
                 ("captures",) if top else ())
        self.nests.where = where
        graph.name = the_text(x["name"], where)
        graph.inputs = self.bind(x["inputs"], where)
        for row in the_list(x.get("captures", []), where):
            number, hint, kind, held = the_list(row, where, 4)
            value = self.new(number, hint, where)
            graph.captures[value] = self.captured(kind, held, value.type, where)
        for number, row in enumerate(the_list(x["equations"], where)):
            graph.equations.append(self.equation(row, f"{where}.{number}"))
        self.nests.where = where
        graph.outputs = tuple(self.nests.nests(x["outputs"]))

    def captured(self, kind: Any, held: Any, t: Type, where: str) -> Any:
        if kind == "variable":
            storage = self.tables.variable(held, where).storage
            if t != type_of(storage):
                raise LoadError("a variable has no such type", where)
            return storage
        found = self.nests.constant(held) if kind == "constant" else None
        if not isinstance(found, (np.ndarray, np.generic)) or type_of(found) != t:
            raise LoadError("a captured array is not of its type", where)
        return found

    def equation(self, x: Any, where: str) -> Equation:
        the_dict(x, where, ("op", "args", "outputs"), (
            "kwargs", "callee", "regions", "errstate", "pending", "pinned", "span"))
        self.nests.where = where
        args = tuple(self.nests.nests(x["args"]))
        kwargs = self.keywords(x.get("kwargs", []), where)
        pending = self.pending(x["pending"], where) if "pending" in x else None
        regions = tuple(self.regions(x, where))
        self.nests.where = where
        outputs = self.bind(x["outputs"], where)
        op = op_of(x["op"], tuple(v.type for v in outputs), where)
        if ("callee" in x) != (op is CALLS) or ("regions" in x) != (
                bool(op.regions) and op is not CALLS):
            raise LoadError(f"{op.name} has other regions", where)
        made = Equation(op, args, kwargs, outputs, regions,
                        self.tables.span(x.get("span"), where),
                        self.settings(x.get("errstate", []), where), pending,
                        "pinned" in x and the_bool(x["pinned"], where))
        if wrong := check_use(made):
            raise LoadError(f"{op.name}: {wrong}", where)
        return made

    def keywords(self, rows: Any, where: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for row in the_list(rows, where):
            name, nest = the_list(row, where, 2)
            if the_name(name, where) in found:
                raise LoadError(f"{shown(name)} is given twice", where)
            found[name] = self.nests.nest(nest)
        return found

    def regions(self, x: dict[str, Any], where: str) -> list[Graph]:
        if "callee" in x:
            return [self.graphs[the_int(x["callee"], where, len(self.graphs))]]
        made: list[Graph] = []
        for number, row in enumerate(the_list(x.get("regions", []), where)):
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise LoadError(f"regions are nested more than {MAX_DEPTH} deep", where)
            graph, start = Graph(""), len(self.nests.values)
            self.fill(graph, row, f"{where}.region {number}")
            self.hide(start, len(self.nests.values))
            self.depth -= 1
            made.append(graph)
        return made

    def settings(self, rows: Any, where: str) -> Settings:
        found: dict[str, Any] = {}
        for row in the_list(rows, where):
            key, x = the_list(row, where, 2)
            name = the_text(key, where)
            kinds = ERROR_KINDS if name == "all" else (name,)
            if x in TREATMENTS if kinds[0] in ERROR_KINDS else (
                    name in PRINT_OPTIONS and type(x) in (str, int, bool, type(None))):
                found.update(dict.fromkeys(kinds, x))
            else:
                raise LoadError("NumPy has no such setting", where)
        return tuple(found.items())

    def pending(self, rows: Any, where: str) -> tuple[tuple[Any, Any], ...]:
        found = []
        for row in the_list(rows, where):
            target, nest = the_list(row, where, 2)
            owner = the_int(target, where, self.nests.given) if type(target) is int else (
                self.nests.value(target))
            found.append((owner, self.nests.nest(nest)))
        return tuple(found)
