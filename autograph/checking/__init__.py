"""`ag.check`: plain Python, rewritten, traced, optimised and generated code, side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.traceback_filter import hiding_frames

if TYPE_CHECKING:
    from autograph.checking.stages import Check


@hiding_frames
def check(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Check:
    """Calls a function at every stage of its way to generated code, and compares the outcomes.

    Every stage gets copies of the arguments and finds the variables, arrays and containers outside
    the function as the first one did; afterwards they are as they were. Results (values, dtypes,
    shapes, types), exceptions and changed arguments are compared exactly; results of a function
    with `fast_math` to nine digits.

    Args:
      f: a function, decorated with `ag.function` or not.
      args: positional arguments to call it with: arrays, numbers, any objects.
      kwargs: keyword arguments to call it with.

    Returns:
      A report, false if any two stages differ. Printed, it names the first line and equation at
      which they do.

    Raises:
      ConversionError: the function cannot be converted. Anything that is raised while tracing, if
        the plain function raises nothing, is reported as a difference.

    >>> bool(check(lambda x: x + 1, 2.0))
    True
    """
    from autograph.checking.stages import check_stages

    if f is None:
        raise TypeError("ag.check takes a function, and what to call it with, not None\n"
                        "  hint: write ag.check(f, x)")
    return check_stages(f, args, kwargs)
