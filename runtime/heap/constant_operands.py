"""Constants among the operands of equations: what may be one, and what has to be an object of the
graph."""

from __future__ import annotations

from typing import Any
from weakref import ref

from autograph.runtime.heap.escaping_objects import is_new_iterator, refuse_hidden_operand
from autograph.runtime.heap.functions_of_regions import made_now
from autograph.runtime.heap.functions_of_run import known_of_run
from autograph.runtime.heap.iterators import Cursor
from autograph.runtime.heap.kept_functions import (
    changes_by_operations,
    made_by_function,
    refuse_unseen_changes,
)
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import as_operand, contents_of, is_instance
from autograph.runtime.heap.rebuilt_functions import CALLING
from autograph.runtime.heap.run_time_containers import has_tensor
from autograph.runtime.heap.selected_objects import SelectedObject, as_value
from autograph.runtime.heap.stale_reads import note_read_by_run
from autograph.runtime.heap.streams import STREAMS, refuse_stream
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import (
    LEAVES,
    all_leaves,
    children,
    field_names,
    is_frozen,
    is_mutable_data_class,
)
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container, parts_of
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, lower
from autograph.runtime.symbolic.variables import Itself


def check_constant(x: Any) -> Any:
    """Returns an operand that is a constant. An immutable object that holds symbolic values is made
    by the graph; a mutable one has to be an object of the graph."""
    if type(x) is Itself:
        return x.variable
    if type(x) in STREAMS and trace.tracing() and not trace.from_outside(x):
        refuse_stream(x)
    if type(x) not in LEAVES and (isinstance(x, Cursor) or is_new_iterator(x)):
        raise TracingError(
            "an iterator that the function made is handed to an operation of the graph: each run "
            f"would read on where the one before stopped{at(user_location())}\n"
            "  hint: hand over a list of its items, or read it in a loop of your own")
    refuse_unseen_changes(x)
    if (made := known_of_run(x)) is not None:
        return lower(made)
    if isinstance(x, CALLING) and type(made := made_now(x)) is Tensor:
        return lower(made)
    refuse_hidden_operand(x)
    for part in all_leaves(x) if type(x) not in LEAVES else ():
        if changes_by_operations(part):
            need_object(part, "is an operand, and has a special method that changes it")
    if isinstance(x, ref):
        note_read_by_run(x())
    if is_mutable_data_class(x) and _is_argument(x):
        need_object(x, "is an operand, and belongs to the caller")
    if is_plain_container(x) and _holds_tensors(list(parts_of(x) or ())):
        need_object(x, "is an operand, and holds values that are known only when the graph runs")
    named = isinstance(x, tuple)
    if not (named or is_instance(x)) or not _holds_tensors(_inside(x)):
        return x
    if named or is_frozen_data(x):
        _, inside, rebuild = children(x) or ((), [], tuple)
        return as_operand(rebuild([lower(v) for v in inside]),
                          lambda op, args: record(op, args, {})[0])
    need_object(x, "is used as one constant, but holds values that are known only when the graph "
                   "runs")


def chosen_operand(x: SelectedObject) -> Tensor:
    """Returns the operand for one of several objects that a branch chose. One that the function
    made of symbolic values has to be an object of the graph: a copy would be another object."""
    pending: list[Any] = [x]
    while pending:
        part = pending.pop()
        if type(part) is SelectedObject:
            pending += part.parts()[1:]
        elif made_by_function(part) and not is_frozen_data(part) and _holds_tensors(_inside(part)):
            need_object(part, "is one of several objects that an operation takes, but holds values "
                              "that are known only when the graph runs")
    return as_value(x)  # type: ignore[no-any-return]


def is_frozen_data(x: Any) -> bool:
    """Returns True for an object of a frozen data class, of which a copy is as good."""
    return field_names(type(x)) is not None and is_frozen(type(x))


def _holds_tensors(values: list[Any]) -> bool:
    """Returns True if there is a symbolic value among some, in their containers, or in objects in
    them that the function made; or a function for which a value of the run stands."""
    pending, seen = [values], dict[int, Any]()
    while pending:
        values = pending.pop()
        if has_tensor(values) or any(known_of_run(x) is not None for x in all_leaves(values)):
            return True
        new = {id(x): x for x in all_leaves(values) if type(x) not in LEAVES
               and id(x) not in seen and made_by_function(x)}
        seen |= new
        pending += map(_inside, new.values())
    return False


def _is_argument(x: Any) -> bool:
    here = trace.current_region()
    return here is not None and id(x) in here.trace.allocations.before


def _inside(x: Any) -> list[Any]:
    found = children(x)
    return list(contents_of(x).values()) if found is None else found[1]
