"""Lasting effects: what of a run cannot be undone, so that the function cannot run a second time.

What a run does to the caller's arrays, containers and objects is put back (`rollback`). What it
does to an object of its own, a generator of random numbers or an iterator that it made, ends with
it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import Any

from autograph.own_attributes import held
from autograph.runtime.heap.objects import build
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.types import ArrayType, PyType, is_number
from autograph.runtime.ops import OPS
from autograph.runtime.ops.attributes import GETATTR
from autograph.runtime.ops.opaque import FUNCTION_MODULES, VALUE_MODULES
from autograph.runtime.ops.state import IS_END, NEXT
from autograph.runtime.tensor_methods.entered_objects import ENTER, LEAVE

INSIDE = frozenset({"", "raise", "read", "store"})
"""Effects that are undone, or are none."""

READABLE = (list, tuple, dict, set, frozenset, deque, range, str, bytes, bytearray)
"""Classes of containers of which each iterator is a new object, and runs no code of the user's."""

MAKES = OPS["make_generator"]


def may_run_again(graph: Graph) -> bool:
    """Returns True if the function may run once more after a run of its graph raised.

    That is so if nothing that the graph does lasts.
    """
    own: set[Value] = set()
    for e in graph.walk():
        if _makes_its_own(e, own):
            own.update(e.outputs)
        elif _lasts(e, own):
            return False
    return True


def _lasts(e: Equation, own: Collection[Value]) -> bool:
    op = e.op
    if op.effect in INSIDE or op in (GETATTR, IS_END):  # to look something up does nothing
        return op.lasts
    if op.lasts:
        return True
    if op in (NEXT, ENTER, LEAVE) or op.effect == "random":
        return not any(type(x) is Value and x in own for x in e.args)
    return not _computes(e)


def _makes_its_own(e: Equation, own: Collection[Value]) -> bool:
    """Returns True if an equation makes an object of the run's that others change: a generator of
    random numbers of numbers alone, an iterator over a container of Python's or an array, or an
    object whose attributes the trace knows."""
    if e.op.kernel is build:
        return True
    if e.op is MAKES:
        return not e.kwargs and all(_is_plain(x) or (
            type(x) is Value and x in own) for x in flatten(e.args[1:]))
    first = e.args[0] if e.args else None
    return e.op.kernel is iter and type(first) is Value and len(e.args) == 1 and (
        isinstance(first.type, ArrayType) or (
            isinstance(first.type, PyType) and first.type.cls in READABLE))


def _is_plain(x: Any) -> bool:
    """Returns True for a number, an array, a text or None, as a constant or as a value."""
    if type(x) is not Value:
        return x is None or isinstance(x, (bool, int, float, str))
    return isinstance(x.type, ArrayType) or (isinstance(x.type, PyType) and is_number(x.type))


def _computes(e: Equation) -> bool:
    """Returns True for a function of Python's library that computes values from values, if it is
    given none of the user's functions. Decimals have a context, which the program may change."""
    module = str(held(e.op.kernel, "__module__") or "").partition(".")[0]
    return module in (*VALUE_MODULES, *FUNCTION_MODULES) and module != "decimal" and not any(
        callable(x) for x in flatten((e.args, e.kwargs)) if type(x) is not Value)
