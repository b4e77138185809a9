"""`ag.debugging`: checks of values, and whether tracebacks show autograph's own frames."""

from autograph import traceback_filter
from autograph.function import config
from autograph.runtime.api.debugging import Assert as Assert
from autograph.runtime.api.debugging import assert_all_finite as assert_all_finite
from autograph.runtime.api.debugging import assert_equal as assert_equal
from autograph.runtime.api.debugging import assert_greater as assert_greater
from autograph.runtime.api.debugging import assert_greater_equal as assert_greater_equal
from autograph.runtime.api.debugging import assert_less as assert_less
from autograph.runtime.api.debugging import assert_less_equal as assert_less_equal
from autograph.runtime.api.debugging import assert_near as assert_near
from autograph.runtime.api.debugging import assert_negative as assert_negative
from autograph.runtime.api.debugging import assert_non_negative as assert_non_negative
from autograph.runtime.api.debugging import assert_non_positive as assert_non_positive
from autograph.runtime.api.debugging import assert_none_equal as assert_none_equal
from autograph.runtime.api.debugging import assert_positive as assert_positive
from autograph.runtime.api.debugging import assert_rank as assert_rank
from autograph.runtime.api.debugging import assert_shape as assert_shape
from autograph.runtime.api.debugging import assert_type as assert_type
from autograph.runtime.api.debugging import check_numerics as check_numerics


def __dir__() -> list[str]:
    return sorted(name for name, x in globals().items()
                  if callable(x) and not name.startswith("_"))


def enable_check_numerics() -> None:
    """Makes an operation of a graph that first gives an infinity or a NaN raise, on the user's
    line.

    Graphs run many times slower meanwhile. `disable_check_numerics()` ends it.

    Raises (in the calls of decorated functions):
      CheckError: an operation gave an Inf or NaN.
    """
    config.check_numerics(True)


def disable_check_numerics() -> None:
    """Makes graphs run unchecked again, as from the start."""
    config.check_numerics(False)


def disable_traceback_filtering() -> None:
    """Makes tracebacks show autograph's own frames; AUTOGRAPH_TRACEBACK_FILTERING=0 does so,
    too."""
    traceback_filter.set_hiding(False)


def enable_traceback_filtering() -> None:
    """Makes tracebacks show the user's frames only, as from the start."""
    traceback_filter.set_hiding(True)


def is_traceback_filtering_enabled() -> bool:
    """Returns True if autograph's own frames are left out of tracebacks.

    >>> is_traceback_filtering_enabled()
    True
    """
    return traceback_filter.hiding
