"""Defines `ag.set_loop_options`, with which a program tells the compiler how to stage a loop."""

from __future__ import annotations

from typing import Any

from autograph.traceback_filter import hiding_frames

LOOP_OPTIONS = ("unroll", "maximum_iterations")
"""The options that the converted loop is given; there is nothing to do for the others."""


@hiding_frames
def set_loop_options(*, unroll: bool | None = None, maximum_iterations: Any = None,
                     shape_invariants: Any = None, parallel_iterations: int | None = None,
                     swap_memory: bool | None = None) -> None:
    """Sets options for the loop whose body begins with this call.

    The compiler takes the call out of the loop. In a function that is not converted it does
    nothing.

    Args:
      unroll: for a `for` whose number of iterations is known while tracing: True records each
        iteration on its own, False records one loop or refuses; by default short loops are
        unrolled.
      maximum_iterations: an integer: the converted loop ends after so many iterations; looked at
        before the loop.
      shape_invariants: accepted and not needed: shapes that change are found while tracing.
      parallel_iterations: accepted and not needed: NumPy runs the iterations in order.
      swap_memory: accepted and not needed: memory is main memory.

    Raises (when the function is converted):
      UnsupportedSyntaxError: the call stands anywhere but at the beginning of a loop.

    >>> for i in range(2):
    ...     set_loop_options(maximum_iterations=10)
    """


set_loop_options.__ag_directive__ = True  # type: ignore[attr-defined]
