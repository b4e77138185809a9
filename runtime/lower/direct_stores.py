"""Direct stores: `x[:k] += v` and `np.add(x, v, out=x)` as one operation into memory that is
there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.lower.plan import Plan
from autograph.runtime.ops.elementwise import POWER
from autograph.runtime.ops.indexing import INTO, SETITEM
from autograph.runtime.ops.stores import STORE_ITEM, STORED_INTO
from autograph.runtime.ops.views import UPDATE_VIEW
from autograph.runtime.optimize.stored_values import is_same_view, path_of

STORES = (SETITEM, UPDATE_VIEW, STORE_ITEM)


@dataclass(frozen=True)
class DirectStore:
    """A store whose value is computed by the equation before it, into the very elements.

    operation  that equation: of a ufunc, or a call with `out=` the view.
    view       an operand that is the view through which the store goes; None if none is.
    """

    operation: Equation
    view: Value | None


def direct_stores(graph: Graph, plan: Plan, uses: Counter[Value], written: AbstractSet[Equation]
                  ) -> dict[Equation, DirectStore]:
    """Finds the stores of a block that the equation before them can do itself.

    These are stores that the user wrote as one operation (`+=`, `out=`), whose result nothing else
    uses, in memory that may be overwritten. NumPy takes care of operands that overlap it.

    Args:
      graph: the block.
      plan: which stores are in place.
      uses: how often each value is used.
      written: equations that are written in another form.
    """
    makers = {e.outputs[0]: e for e in graph.equations if e.op.view and len(e.outputs) == 1}
    found = {}
    for operation, store in pairwise(graph.equations):
        if store.op in STORES and store.args[1] == INTO and (
                store in plan.inplace or store.op is STORE_ITEM):
            fits = written.isdisjoint((operation, store)) and is_value_of(operation, store, uses)
            if fits and operation.settings == store.settings:
                found[store] = DirectStore(operation, view_of(operation, store, makers))
    return found


def is_value_of(operation: Equation, store: Equation, uses: Counter[Value]) -> bool:
    """Returns True if an equation is an elementwise operation made for a store alone, and gives
    the array's own dtype."""
    made = operation.outputs[0] if len(operation.outputs) == 1 else None
    if made is None or made is not store.args[2] or uses[made] != 1:
        return False
    if operation.op is STORED_INTO:
        return store.op is UPDATE_VIEW
    if operation.kwargs or operation.op.ufunc is None or operation.op is POWER:
        return False
    old, new = store.args[0].type, made.type
    return isinstance(old, ArrayType) and isinstance(new, ArrayType) and (
        old.dtype is not None and old.dtype == new.dtype and not old.scalar)


def view_of(operation: Equation, store: Equation, makers: dict[Value, Equation]) -> Value | None:
    """Returns the operand that is the view of the store's array through which it goes."""
    path = path_of(store)
    return next((x for x in operation.inputs if path and is_same_view(
        x, store.args[0], path, makers)), None)
