"""Functions that a function makes and returns: every run makes new ones over its own values.

A function with variables of the function around it, a method of a new object, or a partial function
would else hold symbolic values, or share its variables with the functions of other calls.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from types import CellType, FunctionType, MethodType
from typing import Any

from autograph.runtime.heap.callback_changes import changes_of
from autograph.runtime.heap.callbacks import need_contents
from autograph.runtime.heap.escaping_objects import (
    is_new_iterator,
    is_new_view,
    parts_of_new,
)
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import is_known, is_object
from autograph.runtime.heap.rebuilt_functions import (
    CALLING,
    Callbacks,
    is_holder,
    rebuilt,
    uses_symbols,
)
from autograph.runtime.ir.closures import all_cells
from autograph.runtime.ir.pytree import children
from autograph.runtime.symbolic.allocation_sites import is_plain_container, parts_of
from autograph.runtime.symbolic.tensor import Tensor, apply


def made_by_run(nests: Iterable[Any], outside: Iterable[Any], known: Collection[int]
                ) -> dict[int, tuple[Any, Tensor]]:
    """Returns, by id, the functions in what leaves a function that every run has to make, and the
    symbolic value of each.

    nests: what leaves.
    outside: what the function and its arguments led to before.
    known: the ids of the containers, and of the objects' attributes, that were there before.

    Raises:
      SymbolicValueError, RetraceByReference: what such a function changes has to be an object of
        the graph: the trace has to be made again.
    """
    before = {id(x): x for x in outside}
    cells = {id(cell) for x in before.values() if isinstance(x, FunctionType)
             for _, cell in all_cells(x)}
    left = _left(nests, known)
    found = [f for f in left.values() if _is_function(f) and id(f) not in before
             and _is_of_run(f, cells)]
    if not found:
        return {}
    changes = changes_of(found)
    for x in changes.reached:
        if id(x) in left and not is_known(x, known) and (is_plain_container(x) or is_object(x)):
            need_object(x, "leaves the function, and is held by a function that leaves it, too")
    changes.cells = {n: cell for n, cell in changes.cells.items() if n not in cells}
    callbacks = Callbacks(changes, kept=cells)
    references = callbacks.replaced_in(found)
    if changes.contents:
        need_contents(found)
    made = rebuilt(callbacks, references)
    return {id(f): (f, apply("getitem", made, number)) for number, f in enumerate(found)}


def _left(nests: Iterable[Any], known: Collection[int]) -> dict[int, Any]:
    """Returns, by id, what is in some nests and in the new objects there; not what functions hold.
    """
    seen: dict[int, Any] = {}
    pending = list(nests)
    while pending:
        x = pending.pop()
        if id(x) in seen or isinstance(x, Tensor):
            continue
        seen[id(x)] = x
        if is_new_view(x, known) or is_new_iterator(x) or _is_function(x):
            continue
        pending += parts_of_new(x, known) or parts_of(x) or (children(x) or ((), ()))[1]
    return seen


def _is_function(x: Any) -> bool:
    return (isinstance(x, CALLING) or is_holder(x)) and not is_new_iterator(x) and not (
        isinstance(x, MethodType) and isinstance(x.__self__, Tensor))


def _is_of_run(f: Any, outside: Collection[int]) -> bool:
    """Returns True for a function that holds symbolic values, or changes what is its own.

    outside: the ids of the closure cells that were there before.
    """
    if uses_symbols(f, set()):
        return True
    own: list[CellType] = [cell for _, cell in all_cells(f) if id(cell) not in outside]
    return bool(own) and bool(changes_of([f]))
