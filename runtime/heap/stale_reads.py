"""Functions that the run calls, and that read what the trace has changed: the run writes that at
its end, so they would find what was there before."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import CellType, FunctionType
from typing import Any

from autograph.runtime.heap.callback_changes import (
    LOOKING_UP,
    Changes,
    changes_of,
    methods_of,
)
from autograph.runtime.heap.functions_of_run import known_of_run
from autograph.runtime.heap.locations import Contents, Global, HeapLocation
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.new_objects import is_new, is_young
from autograph.runtime.heap.reachability import globals_read, reachable_locations
from autograph.runtime.heap.rebuilt_functions import CALLING, is_holder, uses_symbols
from autograph.runtime.heap.uses_of_names import uses_of
from autograph.runtime.ir.closures import all_cells, bound_cells, cell_contents
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.graph import Equation
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.printer import qualified_name
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import containers_in, is_plain_container
from autograph.runtime.symbolic.source_locations import user_location


@dataclass
class Reads:
    """The locations, and the names of attributes, that functions may read by themselves."""

    locations: set[HeapLocation] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def changed(self, changed: Mapping[HeapLocation, Collection[Any]]) -> list[HeapLocation]:
        """Returns those of the changed locations that are read; of attributes, if one that has
        changed is."""
        every = not LOOKING_UP.isdisjoint(self.names)
        return [x for x, names in changed.items() if x in self.locations and (
            every or not (isinstance(x, Contents) and x.has_attributes)
            or not self.names.isdisjoint(names))]

    def parts(self, x: HeapLocation) -> Any:
        """Returns what is read of a location: of attributes, those whose names are known."""
        held = x.read()
        if isinstance(x, Contents) and x.has_attributes and LOOKING_UP.isdisjoint(self.names):
            return [part for name, part in held.items() if name in self.names]
        return held


def reads_of(changes: Changes, given: Collection[int] = ()) -> Reads:
    """Returns what functions read: global variables, attributes of functions and classes, and what
    these lead to; and what a closure cell leads to.

    given: the ids of the cells, objects and functions that the call makes over real values.
    """
    functions = [f for f in changes.reached if isinstance(f, FunctionType)
                 and not _is_ours(f.__globals__)]
    read: dict[HeapLocation, None] = {
        g: None for f in functions for g in globals_read(f) if not _is_ours(g.scope)}
    cells = [c.cell_contents for f in functions for _, c in bound_cells(f) if id(c) not in given]
    roots = [*cells, *(g.read() for g in list(read) if isinstance(g, Global)),
             *(x for x in changes.reached if isinstance(x, type)), *map(vars, functions)]
    found = reachable_locations(*(x for x in roots if id(x) not in given), read=read)
    return Reads({x for x in (*found, *read)
                  if not (isinstance(x, Contents) and id(x.owner) in given)},
                 {name for f in functions for name in uses_of(f.__code__).read})


def _is_ours(scope: Mapping[str, Any]) -> bool:
    """Returns True for the global variables of our modules, which converted code reads, too."""
    return str(scope.get("__name__")).partition(".")[0] == "autograph"


def refuse_stale_reads(changes: Changes, given: Collection[int] = ()) -> None:
    """Refuses functions that the run calls, if they read what the trace has changed.

    Raises:
      TracingError: they do.
    """
    here = trace.current_region()
    if here is not None and (changed := here.trace.changed_outside()):
        _refuse(reads_of(changes, given).changed(changed), user_location())


def refuse_symbolic_reads(changes: Changes) -> None:
    """Refuses functions that a library calls while the function is traced, if they read a value by
    themselves that only the run knows.

    Raises:
      TracingError: they do.
    """
    reads, seen = reads_of(changes), set[int]()
    _refuse([x for x in reads.locations if any(
        uses_symbols(leaf, seen) for leaf in all_leaves(reads.parts(x)))], user_location())


def note_kept(x: Any) -> None:
    """Notes a function, or an object with methods, that becomes a value of the graph: the run may
    call it at any time."""
    here = trace.current_region()
    if here is None or id(x) in here.trace.kept:
        return
    here.trace.kept[id(x)] = x
    is_called = isinstance(x, CALLING) or is_holder(x)
    changes = changes_of([x] if is_called else methods_of(type(x)))
    for f in [f for f in changes.reached if type(f) is FunctionType]:
        for name, cell in all_cells(f) if is_young(f) and known_of_run(f) is None else ():
            note_variable(f, name, cell)
    found = reads_of(changes)
    if not is_called:
        found.locations.update(reachable_locations(type(x), read={}))
    known = here.trace.read_by_kept = here.trace.read_by_kept or Reads()
    known.locations |= found.locations
    known.names |= found.names


def note_read_by_run(x: Any) -> None:
    """Notes an object to which the run may go by a weak reference, and what that leads to: it has
    to find there what plain Python would."""
    here = trace.current_region()
    if here is not None and x is not None:
        known = here.trace.read_by_kept = here.trace.read_by_kept or Reads()
        known.locations.update(reachable_locations(x, read={}))
        known.names |= LOOKING_UP


def note_variable(f: FunctionType, name: str, cell: CellType, is_copied: bool = False) -> None:
    """Notes what a variable holds of a function that the run may call at any time. `is_copied`:
    the run gives what it holds now to a function of its own."""
    here = trace.current_region()
    if here is not None:
        check_variable(cell_contents(cell))
        here.trace.kept_cells.append(
            (f, name, cell, cell_contents(cell), is_copied, user_location()))


def check_variable(held: Any) -> None:
    """Checks what a variable holds of a function that the traced function made: a container or an
    object that this made, too, has to be one of each run.

    Raises:
      SymbolicValueError: it holds such a one.
    """
    here = trace.current_region()
    for x in (*containers_in(held), *all_leaves(held)):
        if (is_new(x) or is_plain_container(x)) and not (
                here is not None and here.trace.allocations.is_from_outside(x)):
            need_object(x, "is a variable of a function that the run keeps")


def refuse_bound_later(run: trace.Trace) -> None:
    """Refuses functions that the run may call, and that use a variable of the traced function which
    was bound to something else later: each would find what the variable holds at the end. Those
    that a branch or an iteration makes are followed by the next attempt.

    Raises:
      TracingError: there is such a function.
    """
    here = trace.current_region()
    for f, name, cell, held, is_copied, where in run.kept_cells:
        _, made = run.functions_of_run.get(id(f), (f, None))
        born = None if made is None else made._handle.region
        is_seen = made is not None and (born is None or born.encloses(here))
        if (is_copied or not is_seen) and cell_contents(cell) is not held:
            if f.__code__ not in run.mode.late:
                run.request.late.add(f.__code__)
                continue
            raise TracingError(
                f"the function {qualified_name(f)} becomes a value that only the run knows, and "
                f"uses the variable {name}, which is bound to something else later"
                f"{at(where)}\n  hint: give it the value as a default: `{name}={name}`")


def refuse_kept_reads(run: trace.Trace, equation: Equation) -> None:
    """Refuses an equation that may call what was kept, or read an attribute that it has from its
    class, if that reads what the trace has changed.

    Raises:
      TracingError: it may.
    """
    if equation.op.effect and (changed := run.changed_outside()):
        names = {x for x in equation.args if type(x) is str}
        reads = Reads(run.read_by_kept.locations, run.read_by_kept.names | names)
        _refuse(reads.changed(changed), equation.location)


def _refuse(locations: list[HeapLocation], location: Location | None) -> None:
    for x in locations:
        what = f"the global variable {x.name}" if isinstance(x, Global) else (
            f"a {type(x.owner).__name__}" if isinstance(x, Contents) else "a variable")
        raise TracingError(
            f"a function that is called when the graph runs reads {what}, which the traced "
            f"function changes: it would find what was there before{at(location)}\n"
            "  hint: pass the value as an argument of that function")
