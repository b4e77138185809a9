"""`ag.checkpoint`, which computes again instead of remembering."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from autograph.gradients.engine import Fn
from autograph.gradients.forward import read_converted
from autograph.gradients.rules import Call, attached
from autograph.runtime.differentiate.cotangents import as_tensor, is_array_like, zeros_for
from autograph.runtime.differentiate.recording import (
    Recording,
    has_cotangent,
    is_source,
    own,
    result_of,
)
from autograph.runtime.differentiate.segments import record_in_segments
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.pytree import flatten, map_nest
from autograph.runtime.ir.visitor import rename_values
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.variables import read_all
from autograph.traceback_filter import hiding_frames

F = TypeVar("F", bound=Callable[..., Any])


@hiding_frames
def checkpoint(f: F) -> F:
    """Returns a function whose derivative computes it again, instead of keeping what it computed.

    The gradients are the same, but for the order in which a loop adds their parts. In a loop,
    only the arguments of f are kept for each iteration. If f itself is a loop of n iterations,
    the memory that its derivative needs grows as sqrt(n): the loop runs in segments, and one
    segment at a time keeps its iterations.

    Args:
      f: a function that draws no random numbers and changes nothing, and reads variables outside of
        its loops and branches; what it prints is printed once.

    Returns:
      A function that returns what f returns.

    >>> import numpy as np
    >>> import autograph as ag
    >>> ag.grad(lambda x: np.sum(checkpoint(np.sin)(x)))(np.zeros(2))
    array([1., 1.])
    """
    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not trace.tracing():
            return f(*args, **kwargs)
        given = tuple(map_nest(read_all, a) for a in (args, kwargs))
        converted = read_converted(f)

        def fn(args: Any, kwargs: Any) -> Any:
            return converted(*args, **kwargs)

        return _recorded(fn, given, True)

    return cast(F, call)


def _recorded(fn: Fn, args: tuple[Any, ...], segments: bool) -> Any:
    """Records a call whose derivative computes it again; what the function takes from around itself
    is one more argument to the rule."""
    call = Call(fn, args)
    y, reads = result_of(call.made), call.reads_first()
    outside = call.outside(y)
    around = tuple(Tensor(v) for v in outside if is_array_like(v.type))
    return attached(fn, y, (*args, around), lambda y_bar: _again(
        fn, args, around, y_bar, segments, reads), [
            v for v in outside if not is_array_like(v.type)])


def _checkpointed(fn: Fn, args: tuple[Any, ...]) -> Any:
    """Records a segment of a loop, whose derivative runs it again."""
    return _recorded(fn, args, False)


def _again(fn: Fn, args: tuple[Any, ...], around: tuple[Tensor, ...], y_bar: Any, segments: bool,
           reads: list[Equation]) -> Any:
    """Records the function again, without its prints, and pulls cotangents back through it; its
    loops in segments if asked to."""
    recording = Recording(args)
    y = result_of(fn(*recording.mark(args)))
    equations = recording.region.graph.equations
    known, new = _read_before(equations[recording.start:], reads)
    bad = [e for e in new if e.has_effect and e.op.effect not in ("print", "raise")]
    if bad:
        raise NotDifferentiable(f"ag.checkpoint runs a function twice, and this one has the effect "
                                f"{bad[0].op.name!r}\n  hint: do that outside of it")
    equations[recording.start:] = left = [e for e in new if e.op.effect != "print"]
    if segments:
        del equations[recording.start:]
        record_in_segments(left, _checkpointed)
    targets: dict[Any, Any] = {}
    for leaf, g in zip(flatten(y), flatten(y_bar), strict=True):
        if has_cotangent(leaf):
            value = as_tensor(leaf).read()
            value = known.get(value, value)
            targets[value] = g if value not in targets else targets[value] + g
    sources = [*recording.sources, *(x.read() for x in around)]
    found = iter([zeros_for(v) if g is None else g for v, g in zip(sources, own(
        recording.pull_back(targets, sources)), strict=True)])
    return tuple(map_nest(lambda x: next(found) if is_source(x) else None, a)
                 for a in (*args, around))


def _read_before(new: list[Equation], reads: list[Equation]
                 ) -> tuple[dict[Value, Value], list[Equation]]:
    """Returns the values that the first run read from variables by those that another run reads,
    and the equations of that run without its reads: variables may have been assigned since."""
    again = [e for e in new if e.op.effect == "read"]
    if [(e.op, e.args) for e in again] != [(e.op, e.args) for e in reads]:
        return {}, new
    known = {e.outputs[0]: first.outputs[0] for e, first in zip(again, reads, strict=True)}
    rest = [e for e in new if e not in again]
    rename_values(Graph("", (), rest), dict(known))
    return known, rest
