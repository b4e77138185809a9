"""Copies that equations make of the containers that their operands hold.

A container of Python's among the operands of an equation is made anew when the graph runs. Where
the result may hold it, as that of `chosen + [e]` does, who knows the original can tell it from the
copy: it is noted like the copies that joins make (`joined_copies`). An object, set or deque that
the function made would be one and the same in all runs and iterations: it has to be an object of
the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autograph.runtime.heap.hidden_state import check_shared, note_chosen
from autograph.runtime.heap.joined_copies import Copy, items_of, with_identity
from autograph.runtime.heap.joined_tuples import note_held_tuples
from autograph.runtime.heap.kept_functions import made_by_function
from autograph.runtime.heap.made_arrays import check_copied
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.run_time_containers import refuse_known
from autograph.runtime.heap.tuples_of_run import is_tuple, value_of
from autograph.runtime.ir.graph import PLAIN, Value
from autograph.runtime.ir.pytree import all_leaves, children, map_until
from autograph.runtime.ir.types import CONTAINERS
from autograph.runtime.ops import OPS, Op
from autograph.runtime.ops.state import NEXT
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container, parts_of
from autograph.runtime.symbolic.tensor import Tensor


def note_operands(op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any],
                  values: Sequence[Value]) -> None:
    """Notes which containers an equation copies into its results.

    Raises:
      SymbolicValueError, TracingError: it would hold an object that the function made as a
        constant.
    """
    here = trace.current_region()
    held = tuple(_held(op, (*args, *kwargs.values())))
    if not held or here is None:
        return
    for x in all_leaves(held):
        if op is not NEXT:
            note_chosen(x)
        if made_by_function(x) or (
                is_plain_container(x) and not here.trace.allocations.is_from_outside(x)):
            need_object(x, "is made by the function, and held by what only the run knows")
        check_copied(x)
        if op is OPS["list_of"] or op is OPS["construct"]:
            check_shared(x)
    note_held_tuples(with_identity(held, is_tuple), values)
    copied = tuple(with_identity(held))
    for x in copied if op.effect == "store" else ():
        refuse_known(x)
    known = not here.trace.mode.sites.instrumented or any(
        map(here.trace.allocations.is_known, copied))
    for value in values if copied else ():
        ways = tuple((object(), 0) for _ in copied)
        here.trace.copies.note(Copy(copied, ways, None, value, known,
                                    tuple(map(items_of, (*copied, None)))))


def tuples_as_values(op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the operands of an operation with values of the run in place of the tuples that it
    may put into its results."""
    keeps = _keeps(op, args) and op is not OPS["construct"]
    return tuple([x if isinstance(x, Tensor) or type(x) in PLAIN else _with_values(x, keeps)
                  for x in args])


def _with_values(x: Any, keeps: bool) -> Any:
    if keeps or not isinstance(x, (tuple, list, dict)):
        return map_until(value_of, x, is_tuple) if keeps or isinstance(x, (list, dict)) else x
    found = children(x)
    return x if found is None else found[2]([map_until(value_of, v, is_tuple) for v in found[1]])


def _keeps(op: Op, operands: Sequence[Any]) -> bool:
    """Returns True if an operation may put its operands into its result, not what is in them."""
    if op is OPS["construct"] and issubclass(operands[0], CONTAINERS):
        return False
    return bool((op.holds_operands and not op.takes_items) or op.effect == "call" or (
        op.effect == "store" and not op.augmented))


def _held(op: Op, operands: Sequence[Any]) -> Iterator[Any]:
    """Yields what an operation may put into its result: its operands, or what is in them."""
    keeps = _keeps(op, operands)
    for x in operands:
        if not (isinstance(x, Tensor) or type(x) in PLAIN):
            yield from (x,) if keeps else parts_of(x) or ()
