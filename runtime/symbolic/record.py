"""Recording: appends equations to the current region, with types, names and locations."""

from __future__ import annotations

import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from autograph.runtime.ir.errors import EndlessError, EscapedTensorError, TracingError, at
from autograph.runtime.ir.exception_tables import is_covered, under_handler
from autograph.runtime.ir.graph import (
    CONSTANTS,
    Equation,
    Graph,
    Value,
    leaves,
    map_leaves,
    map_unless_constant,
)
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.numpy_settings import tells
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, Type, operand_type
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.views import UPDATE_VIEW
from autograph.runtime.symbolic.numpy_settings import current_settings
from autograph.runtime.symbolic.source_locations import (
    caller_of,
    location_in,
    location_of,
    user_frame,
    user_location,
    variables_from,
    variables_in,
)
from autograph.runtime.symbolic.trace import current, current_region, pin_last

MAX_EQUATIONS = 100_000
"""The largest number of equations in a region; a loop without an end makes more."""

INDEXED = (GETITEM, SETITEM, UPDATE_VIEW)


def record(op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any],
           regions: tuple[Graph, ...] = (), types: tuple[Type, ...] | None = None,
           hints: Sequence[str] = (), location: Location | None = None) -> tuple[Value, ...]:
    """Appends an equation to the current region; returns its outputs.

    The outputs' types come from the op's type rule, their names from the variables that the user
    binds the result to, and the location from the user's innermost frame, unless they are given.
    `args` and `kwargs` are nests of values and constants (no tensors).
    """
    here = current.region
    if here is None:
        raise EscapedTensorError(
            "a symbolic value is used outside the function that was traced with it")
    if types is None:
        types = _inferred(op, args, kwargs)
    frame, _ = user_frame(sys._getframe(1))
    caller = None if frame is None else caller_of(frame, here)
    if not here.trace.handled:
        here.trace.handled = under_handler(here.unhandled) if (
            frame is None or caller is None or not here.unhandled) else (
            caller.covered or is_covered(frame))
        here.unhandled = True
    given = location or _given.location
    location = given or (
        location_in(here) if frame is None or caller is None else location_of(
            frame.f_code, frame.f_lasti, frame.f_globals, caller.location))
    if warnings.filters is not here.trace.root.filters:  # in a block that catches warnings
        here.trace.note_block(location)
    if _given.location is None and not _given.nameless:
        hints = hints or (location.targets if location is not None else ())
    if len(hints) != len(types):
        hints = ("",) * len(types)
    outputs = (Value(types[0], hints[0]),) if len(types) == 1 else tuple(map(Value, types, hints))
    made = Equation(op, args, kwargs, outputs, regions, location, current_settings())
    instrumented = here.trace.mode.sites.instrumented
    made.pinned = (instrumented or bool(made.settings)) and _is_pinned(made, instrumented)
    if here.trace.before_recording is not None:
        here.trace.before_recording(made)
    if location is not None and given is None and (
            made.pending_writes is not None or here.trace.calls):  # it may raise
        made.location = location.with_frames(
            variables_in(here) if frame is None else variables_from(frame, here))
    check_time()
    if len(here.graph.equations) >= MAX_EQUATIONS:
        _refuse_more_equations()
    here.graph.equations.append(made)
    return outputs


def _is_pinned(e: Equation, instrumented: bool) -> bool:
    """Returns True for an equation that may tell something, or change an operand unseen: it stays
    where it is."""
    if e.settings and tells(e.settings):
        return True
    return (instrumented  # an iterator, or an object that its method changes
            and (e.op.takes_items or not e.op.holds_operands)
            and any(v.type == DYNAMIC for v in leaves(e.args[:1] if e.regions else e.inputs)
                    if isinstance(v, Value)))


def _refuse_more_equations() -> NoReturn:
    raise EndlessError(
        f"{MAX_EQUATIONS} operations stand one behind the other: a loop that Python runs while "
        f"the function is traced comes to no end{at(user_location())}\n"
        "  hint: let a condition on an array end it, not an exception")


class _Given(threading.local):
    location: Location | None = None
    nameless = False
    until: float = 0
    may_end: Callable[[], bool] = bool
    recorded = 0


_given = _Given()


@contextmanager
def recorded_at(location: Location | None) -> Iterator[None]:
    """Gives what is recorded meanwhile this location, and no names; None changes nothing."""
    outer = _given.location
    _given.location = location or outer
    try:
        yield
    finally:
        _given.location = outer


@contextmanager
def nameless() -> Iterator[None]:
    """Gives what is recorded meanwhile no names: it is not what the user's line binds."""
    outer, _given.nameless = _given.nameless, True
    try:
        yield
    finally:
        _given.nameless = outer


MAX_SECONDS = 10
"""A call that plain Python can run waits so long for its trace, in processor time."""

CHECKED = 16
"""After so many steps the clock is read."""


@contextmanager
def limited_time(may_end: Callable[[], bool] | None) -> Iterator[None]:
    """Gives the trace that is made meanwhile `MAX_SECONDS`, if it may end then; None: it may not.
    """
    outer = _given.until, _given.may_end
    if may_end is not None and not _given.until:
        _given.until, _given.may_end = time.thread_time() + MAX_SECONDS, may_end
    try:
        yield
    finally:
        _given.until, _given.may_end = outer


def check_time() -> None:
    """Ends a trace that has taken all its time; asked after each step of one.

    Raises:
      EndlessError: it has.
    """
    if not _given.until:
        return
    _given.recorded += 1
    if _given.recorded % CHECKED or time.thread_time() < _given.until:
        return
    _given.until = 0
    if _given.may_end():
        raise EndlessError(
            f"its trace is not done after {MAX_SECONDS} seconds{at(user_location())}\n"
            "  hint: trace a smaller part; or make the trace before the first call, however long "
            "it takes, with get_concrete_function")


def maker(value: Value) -> Equation | None:
    """Returns the equation that made a value, in the current region or in one around it."""
    here = current_region()
    while here is not None:
        for e in reversed(here.graph.equations):
            if value in e.outputs:
                return e
        here = here.parent
    return None


def _inferred(op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Type, ...]:
    """Returns the outputs' types.

    Where the type rule refuses, the function itself is called: what it raises is raised. If it
    takes such operands after all, the result is dynamic.
    """
    try:
        named = map_leaves(_type_leaf, dict(kwargs)) if kwargs else {}
        found = op.infer(*[
            x.type if type(x) is Value and type(x.type) is ArrayType
            else x if type(x) in CONSTANTS else map_unless_constant(_type_leaf, x)
            for x in args], **named)
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        if isinstance(error, TracingError):
            raise
        own = raised_by(op, args, kwargs, error)
        if own is not None:
            _keep_other_errors(op, args, kwargs)
            raise own.with_traceback(None) from None
        return (DYNAMIC,)
    return found if isinstance(found, tuple) else (found,)


def _keep_other_errors(op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Records an operation that is certain to raise, if its index is the run's: NumPy looks at that
    first, and may raise another error for it."""
    here = current_region()
    if here is not None and op in INDEXED and any(
            isinstance(x, Value) for x in leaves((args[1], *args[3:]))):
        record(op, args, kwargs, types=(DYNAMIC,))
        pin_last()


def raised_by(op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any],
              otherwise: Exception) -> Exception | None:
    """Returns what an op's function raises on arrays of the operands' types, or None.

    The result is `otherwise` if the types are not known.
    """
    try:
        given = map_leaves(_stand_in, (args, dict(kwargs)))
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            op.kernel(*given[0], **given[1])
    except (EscapedTensorError, TracingError, RecursionError, MemoryError):
        return otherwise
    except Exception as error:
        return error
    return None


def _stand_in(leaf: Any) -> Any:
    if not isinstance(leaf, Value):
        return leaf
    t = leaf.type
    if isinstance(t, ArrayType) and t.is_static and t.dtype is not None and t.shape is not None:
        made = np.ones([d for d in t.shape if isinstance(d, int)], t.dtype)
        return made[()] if t.scalar else made
    if isinstance(t, PyType) and t.cls in (bool, int, float, complex, str):
        return t.cls(1)
    raise TracingError("not known")


def _type_leaf(leaf: Any) -> Any:
    if not isinstance(leaf, Value):
        return leaf
    t = leaf.type
    return t if type(t) is ArrayType else operand_type(t)
