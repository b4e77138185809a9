"""The objects by which the system tells a process its arguments, environment and input."""

from __future__ import annotations

import sys
from typing import Any

from autograph.operators.dispatch import active
from autograph.traceback_filter import hide

GIVEN = (("os", "environ"), ("os", "environb"), ("sys", "argv"), ("sys", "orig_argv"),
         ("sys", "stdin"))
"""The modules and names under which Python's library holds it."""


def name_of(x: Any) -> tuple[str, str] | None:
    """Returns the module and the name of an object that the system gives, or None.

    >>> name_of(sys.argv), name_of([])
    (('sys', 'argv'), None)
    """
    return next((where for where in GIVEN if x is getattr(
        sys.modules[where[0]], where[1], GIVEN)), None)


def given(x: Any) -> Any:
    """Returns `x`; a symbolic value while a trace is made, if the system gives it: each run of the
    graph asks for it.

    Args:
      x: the value of an attribute or a global variable.

    >>> given(sys.argv) is sys.argv
    True
    """
    backend = active()
    if backend is None or (where := name_of(x)) is None:
        return x
    try:
        return backend.given(*where)
    except BaseException:
        hide()
        raise
