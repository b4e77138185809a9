"""`ag.checkpoint`, which computes again instead of remembering."""

from __future__ import annotations

import functools
from typing import Any

from autograph.gradients.engine import Fn
from autograph.gradients.forward import read_converted
from autograph.gradients.rules import attached
from autograph.runtime.differentiate.cotangents import as_tensor, zeros_for
from autograph.runtime.differentiate.recording import (
    Recording,
    has_cotangent,
    is_differentiable,
    own,
    result_of,
)
from autograph.runtime.differentiate.segments import record_in_segments
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.pytree import flatten, map_nest
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.variables import read_all
from autograph.traceback_filter import hiding_frames


@hiding_frames
def checkpoint(f: Fn) -> Fn:
    """Returns a function whose derivative computes it again, instead of keeping what it computed.

    The gradients are the same, but for the order in which a loop adds their parts. In a loop,
    only the arguments of f are kept for each iteration. If f itself is a loop of n iterations,
    the memory that its derivative needs grows as sqrt(n): the loop runs in segments, and one
    segment at a time keeps its iterations.

    Args:
      f: a function that draws no random numbers and changes nothing; what it prints is printed
        once.

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

        return attached(fn(*given), given, lambda y_bar: _again(fn, given, y_bar, True))

    return call


def _checkpointed(fn: Fn, args: tuple[Any, ...]) -> Any:
    """Records a segment of a loop, whose derivative runs it again."""
    return attached(fn(*args), args, lambda y_bar: _again(fn, args, y_bar, False))


def _again(fn: Fn, args: tuple[Any, ...], y_bar: Any, segments: bool) -> Any:
    """Records the function again, without its prints, and pulls cotangents back through it; its
    loops in segments if asked to."""
    recording = Recording()
    y = result_of(fn(*recording.mark(args)))
    equations = recording.region.graph.equations
    new = equations[recording.start:]
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
            targets[value] = g if value not in targets else targets[value] + g
    found = iter([zeros_for(v) if g is None else g for v, g in zip(recording.sources, own(
        recording.pull_back(targets, recording.sources)), strict=True)])
    return tuple(map_nest(lambda x: next(found) if is_differentiable(x) else None, a)
                 for a in args)
