"""Functions that become values of the graph: those with effects that the trace cannot see.

They are refused. A function that the trace calls has its effects recorded. One that is an operand
of an equation is called by Python when the graph runs, out of the trace's sight: what it binds,
sets or changes there is not what the trace goes on with. Each operand passes by here, whatever the
construct.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from autograph.runtime.heap.callback_changes import Changes, changes_of
from autograph.runtime.heap.callbacks import CALLING, is_holder, uses_symbols
from autograph.runtime.heap.objects import contents_of, is_instance, is_library, is_object
from autograph.runtime.heap.reachability import uses_of
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.printer import qualified_name
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.symbolic.allocation_sites import containers_in, parts_of
from autograph.runtime.symbolic.source_locations import user_location


def is_chosen_by_branches(x: Any) -> bool:
    """Returns True for a container or an object that holds a function or a class, and for an object
    whose methods change what the trace follows."""
    held = contents_of(x).values() if is_instance(x) else parts_of(x) or ()
    return any(isinstance(v, (type, *CALLING)) or is_holder(v) for v in flatten(list(held))) or (
        is_instance(x) and bool(_unseen_changes(type(x))))


def refuse_unseen_changes(x: Any) -> None:
    """Refuses a function or a class as a value of the graph if it, or a method, changes what the
    trace follows.

    Raises:
      TracingError: it rebinds variables, sets attributes, or changes containers or arrays that it
        has from outside its body.
    """
    if not (isinstance(x, (type, *CALLING)) or is_holder(x)):
        return
    what = _unseen_changes(x)
    if what:
        raise TracingError(
            f"{_name(x)} {what}, and becomes a value that only the run knows: the trace could not "
            f"follow what a call of it does{at(user_location())}\n  hint: choose the function by "
            "`if` statements, or by an index into a list display of functions; or return the value "
            "instead of changing state")


def _name(x: Any) -> str:
    if isinstance(x, type):
        return f"a method of the class {qualified_name(x)}"
    return f"the function {qualified_name(x)}" if isinstance(x, FunctionType) else (
        f"a function in a {type(x).__name__}")


def _unseen_changes(x: Any) -> str:
    """Names what a function, or the methods of a class, do to state outside; "" for nothing."""
    if isinstance(x, type) and is_library(x.__module__ or ""):
        return ""
    changes = changes_of([x])
    if not changes:
        return ""
    if changes.cells or changes.globals:
        return "rebinds variables from outside"
    objects = [o for o in changes.reached if is_instance(o) or is_object(o)]
    stored = _stored(changes)
    if any(name in stored for o in objects for name in _attributes(o)):
        return "sets attributes of an object from outside"
    held = [*changes.reached, *(v for o in objects for v in _attributes(o).values())]
    return "may change a container or an array from outside" if changes.contents and (
        any(uses_symbols(f, set()) for f in (x, *changes.functions))
        or any(map(_is_followed, held))) else ""


def _stored(changes: Changes) -> set[str]:
    """Returns the names of the attributes that functions set in objects which are there: `__init__`
    sets those of a new one."""
    functions = [f for f in changes.reached if isinstance(f, FunctionType)]
    return changes.attributes.intersection(
        name for f in functions if f.__name__ != "__init__" for name in uses_of(f.__code__).stored)


def _attributes(x: Any) -> dict[str, Any]:
    return {**contents_of(x), **vars(x)} if hasattr(x, "__dict__") else contents_of(x)


def _is_followed(x: Any) -> bool:
    """Returns True for what holds a container of Python's, or a known array. A symbolic value that
    a global variable holds is an object of the graph: a call of the function finds it there."""
    return next(containers_in(x), None) is not None or any(
        isinstance(v, np.ndarray) for v in flatten(x))
