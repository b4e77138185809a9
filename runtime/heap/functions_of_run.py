"""Functions that become values of the graph, and of which each call has another one: those that
the function makes, and those among its arguments that are made anew for each call.

The trace goes on with its own, whose calls it records. The value of the run that stands for it is
an input, or made by an equation in the region that made the function, once: it is what the run
puts into containers, and what the function is wherever it is an operand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import CellType, FunctionType
from typing import Any

from autograph.runtime.heap.escaping_objects import refuse_hidden_operand
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.new_objects import how_to_define, is_new, is_new_key, is_young
from autograph.runtime.ir.closures import bound_cells, cell_contents
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ops.opaque import pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import containers_in, is_plain_container
from autograph.runtime.symbolic.record import nameless
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply


def of_run(f: Any) -> Any:
    """Returns the value that stands for a function if each call has another one; else what it is
    given."""
    here = trace.current_region()
    if type(f) is not FunctionType or here is None:
        return f
    made = here.trace.functions_of_run
    if id(f) not in made and "<locals>" in f.__qualname__ and is_young(f):
        made[id(f)] = f, _made(f, maker_of(f, here))
    found = known_of_run(f)
    return f if found is None else found


def made_by_run(f: Any) -> Any:
    """Returns the value that stands for a function already; else the function."""
    here = trace.current_region()
    return f if here is None else here.trace.functions_of_run.get(id(f), (f, f))[1]


def note_of_run(made: dict[int, tuple[Any, Tensor]]) -> None:
    """Notes the values of the run that stand for what escapes, by id: for functions that are also
    in what the run makes otherwise."""
    here = trace.current_region()
    if here is not None:
        here.trace.functions_of_run |= {
            number: (f, t) for number, (f, t) in made.items() if type(f) is FunctionType}


def known_of_run(f: Any) -> Tensor | None:
    """Returns the value of the run that stands for a function; None if there is none.

    Raises:
      TracingError, SymbolicValueError: it has to be an input, or was made in a branch or loop.
    """
    here = trace.current_region()
    if here is None or type(f) is not FunctionType:
        return None
    if id(f) in here.trace.functions_of_run:
        made: Tensor = here.trace.functions_of_run[id(f)][1]
        if made._handle.region is None or made._handle.region.encloses(here):
            return made
        raise TracingError(
            f"the function {f.__name__}, which a branch or loop makes and keeps, is used after it"
            f"{at(user_location())}\n  hint: define the function before the branch or loop")
    if id(f) in here.trace.allocations.arguments:
        need_object(f, "is a value of the graph, and may be another one in the next call")
    return None


def maker_of(f: FunctionType, here: Region) -> Region:
    """Returns the innermost region that made a function."""
    while here.parent is not None and not is_young(f, here):
        here = here.parent
    return here


def _made(f: FunctionType, maker: Region) -> Tensor:
    """Records what makes another function like one, of the same cells but for those that hold
    functions which each call makes."""
    refuse_hidden_operand(f)
    inner = {id(cell): cell for _, cell in bound_cells(f) if _is_held(cell.cell_contents, f)}
    make, parts = how_to_define(f, {id(cell) for cell in f.__closure__ or ()} - inner.keys())
    with recording_in(maker), nameless():
        parts = [apply(pure(CellType), of_run(inner[id(x)].cell_contents))
                 if id(x) in inner else x for x in parts]
        made: Tensor = apply(pure(make), *parts)
    return made


@contextmanager
def recording_in(region: Region) -> Iterator[None]:
    """Records into a region around the one that is traced, or into that one."""
    here, trace.current.region = trace.current_region(), region
    try:
        yield
    finally:
        trace.current.region = here


def _is_held(x: Any, f: FunctionType) -> bool:
    """Returns True for what a variable of a function holds if it is another function that each call
    makes.

    Raises:
      SymbolicValueError: it is a container or object that each call makes.
    """
    for part in (*containers_in(x), *all_leaves(x)):
        if is_new(part) or is_plain_container(part):
            need_object(part, "is a variable of a function that the run keeps")
    return x is not f and is_new_key(x) and f not in map(cell_contents, x.__closure__ or ())
