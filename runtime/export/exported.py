"""The program of a signature, as an export takes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from autograph.decorated import gives_traces
from autograph.runtime.export.boundness import with_flags
from autograph.runtime.export.kinds import NoForm
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.finished_program import finish_program
from autograph.runtime.heap.named_locations import told
from autograph.runtime.ir.errors import ExportError
from autograph.runtime.ir.frame_state import Given
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import map_nest
from autograph.runtime.optimize.effects_and_exceptions import HANDLE_OUTSIDE, first_handled
from autograph.runtime.references.programs import program_by_value
from autograph.runtime.references.targets import NotByValue

T = TypeVar("T")


def concrete_of(function: Any, written: str, *args: Any, **kwargs: Any) -> ConcreteFunction:
    """Returns the trace to export; `written` shows how the call is written.

    Raises:
      ExportError: what is given is no function that has traces.
    """
    if isinstance(function, ConcreteFunction):
        return function
    if not gives_traces(function):
        what = getattr(function, "__name__", f"an object of class {type(function).__name__!r}")
        raise ExportError(f"{what} has no graph", f"write {written}: f has @ag.function")
    return function.get_concrete_function(*args, **kwargs)  # type: ignore[no-any-return]


def in_full_if_needed(export: Callable[[ConcreteFunction], T], concrete: ConcreteFunction) -> T:
    """Exports a function; if that is refused, then with the longer graph that it has without
    containers as objects."""
    try:
        return export(concrete)
    except ExportError:
        if concrete.in_full is None:
            raise
        return export(concrete.in_full())


def _changed(concrete: ConcreteFunction, program: Program) -> tuple[str, Location | None]:
    """Returns which object of the caller's a program changes, "" for none, and the line."""
    for number, nest in program.refill:
        path = concrete.bound.containers[number][0]
        return f"{path}, a list, dict or object", program.line_that_makes(nest)
    for target, nest in program.locations:
        return f"{told(target)}, outside the function", program.line_that_makes(nest)
    return "", None


def exported_program(concrete: ConcreteFunction, target: str, program: Program | None = None
                     ) -> Program:
    """Returns the program of a signature as other engines can have it: by value.

    Args:
      concrete: the trace of the signature.
      target: the engine, for messages.
      program: its program, if that has other inputs than the trace.

    Raises:
      ExportError: it changes what is not an array among the arguments.
    """
    program = program or concrete.program
    found, where = _changed(concrete, program)
    if not found and program.by_reference:
        try:
            program = program_by_value(program.before or program)
            finish_program(program, False, False)
        except NotByValue as error:
            where = error.location
            found = f"objects or arrays in place, in a way that has no form by value: {error}"
    if found:
        raise ExportError(f"{concrete.name} changes {found}, which {target} cannot",
                          "return new values", where)
    handled = first_handled(program)
    if handled is not None or program.catches:
        raise ExportError(f"{concrete.name} has a handler (`try`, `with`): if this line raises or "
                          f"warns, plain Python runs instead, which {target} does not have",
                          HANDLE_OUTSIDE, handled and handled.location)
    try:
        graph = with_flags(program.graph)
    except NoForm as error:
        raise ExportError(f"{concrete.name} has no form in {target}: {error}",
                          error.hint) from error
    return replace(program, graph=graph, result=map_nest(
        lambda x: concrete.bound.container(x.number, program.graph.inputs) if isinstance(
            x, Given) else x, program.result))
