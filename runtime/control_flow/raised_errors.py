"""Raised errors: the exceptions that end a region or a trace, as operands of `raise_`."""

from __future__ import annotations

import sys
from itertools import chain
from traceback import walk_stack, walk_tb
from typing import Any

from autograph.own_attributes import own_state
from autograph.runtime.heap.escaping_objects import is_symbolic_object
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.ir.errors import EndlessError, TracingError, at
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ir.types import DYNAMIC, PY_NUMBERS, ArrayType
from autograph.runtime.ir.user_source import operands
from autograph.runtime.ops import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import raised_at
from autograph.runtime.symbolic.tensor import Tensor, lower


def raised(error: BaseException) -> tuple[Any, ...]:
    """Returns the operands of `raise_` for an error, whose message only the run may know."""
    if not is_symbolic_error(error):
        return error, error.__cause__  # that may be another one when it is raised again
    return type(error), error.__cause__, lower(list(error.args)), lower(own_state(error))


def record_error(error: BaseException, location: Location | None) -> None:
    """Records that an error is raised, as it was while tracing; its note shows what the line's
    variables are, which nothing else may need."""
    frame = location.frames[0] if location is not None and location.frames else {}
    names = operands(location) if location is not None else ()
    shown = [x for x in map(frame.get, dict.fromkeys(names)) if isinstance(x, Value) and (
        isinstance(x.type, ArrayType) or getattr(x.type, "cls", None) in PY_NUMBERS)]
    here = trace.current_region()
    itself = here is not None and here.trace.allocations.is_from_outside(error)
    options = {**({"shown": shown} if shown else {}), **({"itself": True} if itself else {})}
    record(OPS["raise_"], (error, error.__cause__) if itself else raised(error), options,
           types=(DYNAMIC,), location=location)


def forget_frames(error: BaseException | None, around: BaseException | None) -> None:
    """Takes the frames of the trace off a recorded error, and off those that were handled when it
    was raised: they hold symbolic values. `around` was handled before the trace or its region."""
    while error is not None and error is not around:
        error.__traceback__ = None
        error.__context__, error = None, error.__context__


def is_symbolic_error(error: BaseException) -> bool:
    """Returns True if a symbolic value is in an error's arguments or attributes, or in an object
    there."""
    return any(isinstance(x, (Tensor, StagedList)) or is_symbolic_object(x)
               for x in all_leaves([error.args, own_state(error)]))


def refuse_end_of_iterator(error: BaseException, region: Region) -> None:
    """Refuses a `__next__` that ends under a condition of the run: the loop of Python's that calls
    it would go on while the function is traced.

    Raises:
      EndlessError: the error is raised in such a method.
    """
    if isinstance(error, StopIteration) and any(
            frame.f_code.co_name == "__next__" for frame, _ in chain(
                walk_tb(error.__traceback__), walk_stack(sys._getframe(1)))):
        raise EndlessError(
            "a `__next__` raises StopIteration under a condition that only the run knows"
            f"{at(raised_at(error, region))}\n"
            "  hint: read the iterator in a `for` statement, or by `next` or `list`, in converted "
            "code; in the method, raise StopIteration outside of `try`") from None


def refuse_super(error: BaseException, region: Region) -> None:
    """Refuses `super()` of an object that only the run knows: Python finds another class in it.

    Raises:
      TracingError: the error is that of such a call.
    """
    message = error.args[0] if type(error) is TypeError and error.args else None
    if type(message) is str and message.startswith("super(type, obj): obj "):
        raise TracingError(
            f"super() is given an object that only the run knows{at(raised_at(error, region))}\n"
            "  hint: call the method by its class: Base.method(self, …)") from None
