"""Limits of regions: how deep branches and loops nest, and how often Python runs one that records.

What goes beyond is refused: it is a function that calls itself, or a loop that comes to no end.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import starmap
from types import FrameType
from typing import Any

import numpy as np

from autograph.runtime.ir.call_frames import locals_of
from autograph.runtime.ir.errors import EndlessError, TracingError, at
from autograph.runtime.ir.trace_signals import RetraceWithCalls
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.frame_variables import LITERALS, SYMBOLIC
from autograph.runtime.symbolic.source_locations import repeated_calls, user_location

MAX_DEPTH = 500
"""The greatest depth to which branches and loops may be nested."""

DEEP = 6
"""From this depth on, a function that calls itself as often is looked for."""

LOOKED = frozenset([*range(2, DEEP * 5, 2), *(DEEP * 2**k for k in range(10))])
"""The depths at which it is looked for: each time, all that runs is looked at. Often at first, as
what was traced by then is traced again."""

OFTEN = 40
"""A function that calls itself as often is looked for where many branches and loops follow each
other: one that raises where it ends nests none."""

COUNTED = frozenset(64 * 2**k for k in range(20))
"""The numbers of branches and loops of one region after which it is looked for."""


def refuse_recursion() -> None:
    """Look for a function that calls itself, where a branch or a loop begins.

    Raises:
      RetraceWithCalls: branches and loops are nested deeply, or many, because a function calls
        itself; the trace has to be made again with calls.
      TracingError: it calls itself on Python objects, other ones each time; or the program nests
        too many branches.
    """
    here = trace.current_region()
    if here is None:
        return
    here.begun += 1
    deep = here.depth in LOOKED or here.depth > MAX_DEPTH
    if not deep and here.begun not in COUNTED:
        return
    calls = repeated_calls(2 if deep else OFTEN)
    found = next((frames[0].f_code for frames in calls
                  if len(frames) >= DEEP or _are_alike(*frames[:2])), None)
    if found is not None and here.trace.mode.level_of(found) < 2:
        here.trace.request.recursion = found
        raise RetraceWithCalls(found.co_qualname)
    if here.depth > MAX_DEPTH and not calls:
        raise TracingError(
            f"branches and loops are nested more than {MAX_DEPTH} deep{at(user_location())}\n"
            "  hint: an early return nests what follows it, as does each `elif` and operand of an "
            "`and`; loop over the cases, or split the function")
    if here.depth > MAX_DEPTH:
        raise TracingError(
            f"a function calls itself on a symbolic value{at(user_location())}\n"
            "  hint: pass what decides when to stop as a Python number, write a loop, or call "
            "the function as ag.converted(f)(…)")


def _are_alike(inner: FrameType, outer: FrameType) -> bool:
    """Returns True for two calls of a function that the trace cannot tell from each other: their
    arguments are symbolic values of the same types, and the same numbers and texts. The next call
    would be so, too."""
    code = inner.f_code
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    first, second = locals_of(inner, names), locals_of(outer, names)
    pairs = [(first.get(name, ...), second.get(name, ...)) for name in names]
    return any(type(x) in SYMBOLIC for x, _ in pairs) and all(starmap(_is_alike, pairs))


def _is_alike(x: Any, y: Any) -> bool:
    if type(x) is not type(y):
        return False
    if type(x) in SYMBOLIC:
        return bool(x._handle.value.type == y._handle.value.type)
    return x is y if isinstance(x, np.ndarray) else type(x) in LITERALS and bool(x == y)


MAX_ITERATIONS = 2000
"""A loop that Python runs, and that an exception may end, may record in so many iterations."""


def note_iteration(test: Hashable, raises: bool = False) -> None:
    """Count an iteration of a loop that Python runs while the function is traced.

    Raises:
      EndlessError: there were very many, each recorded something, and an exception may be what
        ends the loop: what it reads `raises` at its end, or the function has a handler.
    """
    here = trace.current_region()
    if here is None or not (raises or here.trace.handled):
        return
    recorded = len(here.graph.equations)
    iterations, before = here.trace.iterations.get(test, (0, recorded))
    here.trace.iterations[test] = iterations + 1, before
    if min(iterations, recorded - before) > MAX_ITERATIONS:
        raise EndlessError(
            f"a loop that Python runs while the function is traced does not end after "
            f"{MAX_ITERATIONS} iterations{at(user_location())}\n"
            "  hint: let a condition end the loop, not an exception")
