"""`ag.stop_gradient`: a value that is a constant to gradients."""

from __future__ import annotations

from typing import TypeVar, cast

from autograph.gradients.taped import plain_nest
from autograph.runtime.differentiate.recording import is_differentiable
from autograph.runtime.ir.pytree import map_nest
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import apply
from autograph.runtime.symbolic.variables import read_all
from autograph.traceback_filter import hiding_frames

T = TypeVar("T")


@hiding_frames
def stop_gradient(nest: T) -> T:
    """Returns the nest, as a constant to gradients.

    Args:
      nest: an array, a number, or a nest of them.

    >>> import autograph as ag
    >>> ag.grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    if not trace.tracing():
        return cast("T", plain_nest(read_all(nest)))
    return cast("T", map_nest(lambda x: apply("stop_gradient", x) if is_differentiable(x) else x,
                              read_all(nest)))
