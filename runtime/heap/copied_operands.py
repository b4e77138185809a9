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
from autograph.runtime.heap.made_arrays import check_copied
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.run_time_containers import made_by_function, refuse_known
from autograph.runtime.ir.graph import PLAIN, Value
from autograph.runtime.ir.pytree import all_leaves
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
    copied = tuple(with_identity(held))
    for x in copied if op.effect == "store" else ():
        refuse_known(x)
    known = not here.trace.mode.sites.instrumented or any(
        map(here.trace.allocations.is_known, copied))
    for value in values if copied else ():
        ways = tuple((object(), 0) for _ in copied)
        here.trace.copies.note(Copy(copied, ways, None, value, known,
                                    tuple(map(items_of, (*copied, None)))))


def _held(op: Op, operands: Sequence[Any]) -> Iterator[Any]:
    """Yields what an operation may put into its result: its operands, or what is in them."""
    keeps = (op.holds_operands and not op.takes_items) or op.effect == "call" or (
        op.effect == "store" and not op.augmented)
    if op is OPS["construct"] and issubclass(operands[0], CONTAINERS):
        keeps = False
    for x in operands:
        if not (isinstance(x, Tensor) or type(x) in PLAIN):
            yield from (x,) if keeps else parts_of(x) or ()
