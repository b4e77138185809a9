"""Programs as plain data, and back: a graph, its signature, its result, and what it writes."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.constant_state import with_constant_state
from autograph.runtime.heap.named_locations import NamedLocation, told
from autograph.runtime.ir.errors import LoadError, SaveError
from autograph.runtime.ir.graph import Equation, Value, leaves
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import children
from autograph.runtime.optimize.effects_and_exceptions import HANDLE_OUTSIDE, first_handled
from autograph.runtime.serialize.fields import (
    the_bool,
    the_dict,
    the_int,
    the_list,
    the_text,
)
from autograph.runtime.serialize.graphs import OUTSIDE, GraphReader, GraphWriter
from autograph.runtime.serialize.signatures import signature_data, signature_of
from autograph.runtime.serialize.tables import Tables, TablesWriter
from autograph.runtime.signatures.binding import PERSISTENT, Bound

REQUIRED = ("name", "parameters", "arguments", "leaves", "graphs", "result")
OPTIONAL = ("write_back", "refill", "ordered", "by_reference", "raises", "pending_containers",
            "views", "maybe_arguments", "compares", "atomic")


@dataclass
class Signature:
    """A program and the signature that it is for: what a traced function is made of."""

    name: str
    program: Program
    bound: Bound
    parameters: list[inspect.Parameter]
    atomic: bool = False
    state: tuple[NamedLocation, ...] = ()


def signature_of_trace(concrete: ConcreteFunction) -> Signature:
    """Returns the parts of a traced function."""
    program, bound = with_constant_state(concrete)
    state = concrete.state.locations if concrete.state is not None else ()
    return Signature(concrete.name, program, bound, concrete.parameters, concrete.atomic, state)


def program_data(tables: TablesWriter, s: Signature) -> dict[str, Any]:
    """Returns a traced function as plain data.

    Args:
      tables: collects the arrays, variables, types and source locations.
      s: the traced function.

    Returns:
      Nested dicts, lists, strings and numbers, as JSON holds them.

    Raises:
      SaveError: it needs something when it runs that a file cannot hold.
    """
    try:
        return _program_data(tables, s)
    except SaveError as error:
        if not error.message.startswith(s.name):
            raise SaveError(f"{s.name}: {error.message}", error.hint, error.location) from None
        raise


def _program_data(tables: TablesWriter, s: Signature) -> dict[str, Any]:
    p = s.program
    _refuse(s)
    data = {"name": s.name, **signature_data(tables, s.bound, s.parameters)}
    writer = GraphWriter(tables, p.graph)
    data["graphs"] = writer.all()
    if p.views:
        data["views"] = [writer.equation(e) for e in p.views]
    data["result"] = writer.nest(p.result)
    more = {
        "write_back": [[writer.value(v), writer.nest(x)] for v, x in p.write_back],
        "refill": [[number, writer.nest(x)] for number, x in p.refill],
        "ordered": list(p.ordered), "by_reference": p.by_reference, "raises": p.raises,
        "pending_containers": sorted(p.pending_containers),
        "maybe_arguments": [writer.value(v) for v in p.maybe_arguments], "compares": p.compares,
        "atomic": s.atomic or p.handled}  # what was written before an error is not in the graph
    data.update((k, x) for k, x in more.items() if x)
    return data


def _refuse(s: Signature) -> None:
    """Refuses programs that need the user's source when they run."""
    p = s.program
    for target, nest in p.locations:
        raise SaveError(f"it changes {told(target)}, outside the function", OUTSIDE,
                        p.line_that_makes(nest))
    if p.catches:
        raise SaveError("a block of it catches warnings: where the graph would warn, plain Python "
                        "runs, which the file does not have", "use `with np.errstate(…)`")
    if PERSISTENT in s.bound.nest:
        names = " and ".join(told(x) for x in s.state) or "values"
        raise SaveError(f"it keeps {names} outside the function from call to call", OUTSIDE,
                        _line_of_state(s))
    handled = first_handled(p)
    if handled is not None:
        raise SaveError("if this line raises, its handler (`try`, `with`) is run as plain Python, "
                        "which the file does not have", HANDLE_OUTSIDE, handled.location)


def _line_of_state(s: Signature) -> Location | None:
    """Returns the line that changes what the function keeps from call to call, or reads it."""
    graph = s.program.graph
    kept = {v for v, leaf in zip(graph.inputs, s.bound.leaves, strict=False)
            if leaf.hint.startswith(PERSISTENT)}
    uses = [e for e in graph.walk() if not kept.isdisjoint(leaves((e.args, e.kwargs)))]
    changes = [e for e in uses if e.op.effect]
    return next((e.location for e in (*changes, *uses) if e.location is not None), None)


def signature_from(x: Any, tables: Tables, where: str) -> Signature:
    """Returns the traced function that `program_data` wrote, after all of it has been checked.

    Raises:
      LoadError: it is not what `program_data` writes.
    """
    the_dict(x, where, REQUIRED, OPTIONAL)
    name = the_text(x["name"], where)
    bound, parameters = signature_of(x, tables, where)
    reader = GraphReader(tables, len(bound.containers))
    graph = reader.all(x["graphs"], f"{where}.graphs")
    inputs = [leaf.graph_type for leaf in bound.leaves]
    if [v.type for v in graph.inputs] != inputs:
        raise LoadError("the graph takes other types than the signature has", where)
    views = tuple(_view(reader, row, where) for row in the_list(x.get("views", []), where))
    nests = reader.nests
    nests.where = f"{where}.result"
    program = Program(graph, nests.nest(x["result"]), given=len(bound.containers), views=views)
    nests.where = where
    program.write_back = tuple(
        (_input(program, nests.value(v)), nests.nest(atom)) for v, atom in (
            the_list(row, where, 2) for row in the_list(x.get("write_back", []), where)))
    program.refill = tuple(
        (the_int(number, where, program.given), nests.nest(nest)) for number, nest in (
            the_list(row, where, 2) for row in the_list(x.get("refill", []), where)))
    program.ordered = tuple(the_int(n, where, len(graph.inputs))
                            for n in the_list(x.get("ordered", []), where))
    program.by_reference = the_bool(x.get("by_reference", False), where)
    program.compares = the_bool(x.get("compares", False), where)
    program.raises = the_bool(x.get("raises", False), where)
    program.pending_containers = frozenset(
        the_int(n, where, program.given) for n in the_list(x.get("pending_containers", []), where))
    program.maybe_arguments = tuple(
        nests.value(v) for v in the_list(x.get("maybe_arguments", []), where))
    reader.verify(where)
    _check_atoms(program, where)
    program.traced = graph
    return Signature(name, program, bound, parameters, the_bool(x.get("atomic", False), where))


def _view(reader: GraphReader, x: Any, where: str) -> Equation:
    made = reader.equation(x, f"{where}.views")
    if made.regions or not made.op.view:
        raise LoadError("no step to a view", where)
    return made


def _input(program: Program, v: Value) -> Value:
    if v not in program.graph.inputs:
        raise LoadError("only an argument can be written", program.graph.name)
    return v


def _check_atoms(program: Program, where: str) -> None:
    """Refuses a write of a container's parts to an array, and to a container that is no nest."""
    for _, atom in program.write_back:
        if not isinstance(atom, Value) and children(atom) is not None:
            raise LoadError("an array is given the parts of a container", where)
    known = {*program.graph.inputs, *(v for view in program.views for v in view.outputs)}
    known.update(x for x in program.graph.outputs if isinstance(x, Value))
    if not known.issuperset(program.taken()):
        raise LoadError("a result is no output of the graph", where)
