"""Functions that the run calls, and that read what the trace has changed: the run writes that at
its end, so they would find what was there before."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from autograph.runtime.heap.callback_changes import (
    LOOKING_UP,
    Changes,
    changes_of,
    methods_of,
)
from autograph.runtime.heap.locations import Contents, Global, HeapLocation
from autograph.runtime.heap.reachability import globals_read, reachable_locations, uses_of
from autograph.runtime.heap.rebuilt_functions import CALLING, is_holder, uses_symbols
from autograph.runtime.ir.closures import bound_cells
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.graph import Equation
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.symbolic import trace
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
    found = reads_of(changes_of([x] if is_called else methods_of(type(x))))
    if not is_called:
        found.locations.update(reachable_locations(type(x), read={}))
    known = here.trace.read_by_kept = here.trace.read_by_kept or Reads()
    known.locations |= found.locations
    known.names |= found.names


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
