"""What a program says about its loops to the compiler: `ag.set_loop_options`."""

from __future__ import annotations

from typing import Any

LOOP_OPTIONS = ("unroll", "maximum_iterations")
"""The options that the converted loop is given; there is nothing to do for the others."""


def set_loop_options(*, unroll: bool | None = None, maximum_iterations: Any = None,
                     shape_invariants: Any = None, parallel_iterations: int | None = None,
                     swap_memory: bool | None = None) -> None:
    """Options for the loop whose body begins with this call.

      unroll: for a `for` whose number of rounds is known while tracing: True records each round on
        its own, False records one loop or refuses; by default short loops are unrolled.
      maximum_iterations: the converted loop ends after so many rounds; looked at before the loop.
      shape_invariants: accepted and not needed: shapes that change are found while tracing.
      parallel_iterations, swap_memory: accepted and not needed: NumPy runs the rounds in order, in
        main memory.

    The compiler takes the call out of the loop. In a function that is not converted it does
    nothing. Anywhere but at the beginning of a loop, a function with loops that calls it is refused
    (UnsupportedSyntaxError).
    """


set_loop_options.__ag_directive__ = True  # type: ignore[attr-defined]
