"""Functions that a branch or an iteration makes with values of its own, and leaves: they are values
that only the run knows.

A function whose variables, defaults or bound arguments hold such values cannot be the one that the
trace made, as its values end with the region. So the region makes it at its end, with what it leads
to (`piece`): each run of the region, and so each iteration, makes another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from autograph.runtime.heap.escaping_objects import is_symbolic_object, parts_of
from autograph.runtime.heap.functions_of_run import (
    known_of_run,
    maker_of,
    note_of_run,
    recording_in,
)
from autograph.runtime.heap.kept_functions import refuse_unseen_changes
from autograph.runtime.heap.new_objects import is_young
from autograph.runtime.heap.piece import Node, made_together, node_of
from autograph.runtime.heap.rebuilt_functions import CALLING, given_to, is_holder, uses_symbols
from autograph.runtime.heap.stale_reads import check_variable, note_variable
from autograph.runtime.ir.closures import all_cells, bound_cells, cell_contents
from autograph.runtime.ir.pytree import LEAVES, all_leaves
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.tensor import Tensor

OfRegion = dict[int, tuple[Any, Tensor]]
"""By id: what a region made, and the value that stands for it."""


def made_by_region(functions: Iterable[Any], region: Region, is_iteration: bool) -> OfRegion:
    """Returns what stands, outside of a region, for functions that it leaves and that hold values
    of it, or in an iteration any values; and for what is made with them.

    Raises:
      TracingError: one of them changes what the trace follows.
      SymbolicValueError: one leads to a container that has to be an object of the graph.
    """
    left = region.trace.mode.left
    functions = [f for f in functions if _code_of(f) not in region.trace.mode.late]
    found = [f for f in functions if any(True for _ in _symbols_in(f))]
    older = {id(f): (f, made_now(f)) for f in found if _code_of(f) in left and is_young(f)
             and not is_young(f, region)}
    older |= {id(f): (f, made) for f in functions if _code_of(f) in left
              and (made := known_of_run(f)) is not None}
    roots = [f for f in found if is_young(f, region) and (
        is_iteration or _code_of(f) in left or any(_ends_with(x, region) for x in _symbols_in(f)))]
    members = _members(roots, region)
    own = {n for n, (x, _) in members.items() if type(x) is CellType and is_young(x, region)}
    return older | (_made(members, own) if roots else {})


def made_now(f: Any) -> Any:
    """Returns the value of the run that stands for a function that holds symbolic values, and is an
    operand; any other function as it is."""
    here = trace.current_region()
    if here is None or not _is_function(f) or known_of_run(f) is not None or not (
            is_young(f) and uses_symbols(f, set())) or _code_of(f) in here.trace.mode.late:
        return f
    maker = maker_of(f, here)
    with recording_in(maker if all(_is_of(x, maker) for x in _symbols_in(f)) else here):
        made = _made(_members([f], maker), ())
    note_of_run(made)
    return made[id(f)][1]


def _made(members: dict[int, tuple[Any, Node]], own: Collection[int]) -> OfRegion:
    """Records what makes the members; `own` has the ids of the variables that end with a region.

    Raises:
      SymbolicValueError: they lead to a container or an object that has to be one of the graph.
    """
    for _, node in members.values():
        for part in node.parts:
            if id(part) not in members:
                check_variable(part)
    for x, _ in members.values():
        if _is_function(x) and not _is_of_value(x):
            refuse_unseen_changes(x, own)
            for name, cell in all_cells(x) if type(x) is FunctionType else ():
                if id(cell) not in own:
                    note_variable(x, name, cell, is_copied=True)
    return made_together(members, lambda x: x, lambda x: known_of_run(x) is None)


def leave(f: Any) -> None:
    """Makes sure that a function which holds symbolic values is a value of the run where a region
    leaves it: asks for another trace, in which it is one, or makes it, if this is that trace."""
    here = trace.current_region()
    code = _code_of(f)
    if here is None or code is None or code in here.trace.mode.late or (
            known_of_run(f) is not None or not uses_symbols(f, set())):
        return
    if code in here.trace.mode.left and type(f) is FunctionType:
        made_now(f)
    else:
        here.trace.request.left.add(code)


def _code_of(f: Any) -> CodeType | None:
    """Returns the code of a function, or of that behind a partial function or method."""
    while isinstance(f, (partial, MethodType)):
        f = f.func if isinstance(f, partial) else f.__func__
    return f.__code__ if type(f) is FunctionType else None


def _ends_with(x: Any, region: Region) -> bool:
    """Returns True for a symbolic value that a region made, or one in it."""
    return not _is_of(x, region.parent)


def _is_of(x: Any, region: Region | None) -> bool:
    """Returns True for a symbolic value that a region has, as it or one around it made it."""
    born = x._handle.region
    return born is not None and born.encloses(region)


def _symbols_in(f: Any) -> Iterator[Tensor]:
    """Yields the symbolic values that a function holds, in objects, too."""
    pending, seen = [f], dict[int, Any]()
    while pending:
        x = pending.pop()
        if isinstance(x, Tensor):
            yield x
        elif id(x) in seen or type(x) in LEAVES:
            continue
        seen[id(x)] = x
        if _is_function(x):
            held = [c.cell_contents for _, c in bound_cells(x)]
            pending += all_leaves([held, given_to(x)]) if known_of_run(x) is None else ()
        elif isinstance(x, list):
            pending += list.__iter__(x)
        elif is_symbolic_object(x):
            pending += all_leaves(list(parts_of(x)))


def _members(roots: list[Any], region: Region) -> dict[int, tuple[Any, Node]]:
    """Returns what is made together: the functions, and the variables and functions that they lead
    to and that hold symbolic values, or that the region made."""
    found: dict[int, tuple[Any, Node]] = {}
    pending = list(roots)
    while pending:
        x = pending.pop()
        if id(x) not in found:
            kept = {id(c) for _, c in all_cells(x) if not _is_made(c, region)} if (
                type(x) is FunctionType) else ()
            found[id(x)] = x, node_of(x, kept, lambda part: part)
            pending += [part for part in found[id(x)][1].parts if _is_made(part, region)]
    return found


def _is_made(x: Any, region: Region) -> bool:
    if type(x) is CellType:
        return is_young(x, region) or uses_symbols(cell_contents(x), set())
    return _is_function(x) and known_of_run(x) is None and (
        uses_symbols(x, set()) or any(is_young(c, region) for _, c in bound_cells(x)))


def _is_function(x: Any) -> bool:
    return isinstance(x, CALLING) or is_holder(x)


def _is_of_value(x: Any) -> bool:
    """Returns True for a method of a value of the run."""
    return isinstance(x, MethodType) and isinstance(x.__self__, Tensor)
