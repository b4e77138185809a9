"""The settings of the process that code in C takes, whatever it is given: how arrays print, and the
context of `decimal`. What a trace computes of constants depends on them.

What a function asks for by name is a captured value (a variable of a module, and what the object
holds of which it is a method), or is asked by each run (a function that is given nothing).
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from autograph.runtime.signatures.cache_keys import Key
from autograph.runtime.symbolic.numpy_settings import STATES

_texts: list[tuple[Any, Key]] = []
"""The state of NumPy of which the key of the print options was made last, and that key."""


def settings_of_process() -> Key:
    """Returns a key of these settings as they are now.

    >>> was = settings_of_process()
    >>> with np.printoptions(precision=3):
    ...     settings_of_process() == was
    False
    >>> settings_of_process() == was
    True
    """
    return _print_options(), _decimal_context()


def _print_options() -> Key:
    state = [x.get(None) for x in STATES]
    if not STATES or not _texts or any(
            a is not b for a, b in zip(_texts[0][0], state, strict=True)):
        _texts[:] = [(state, tuple((k, repr(v)) for k, v in np.get_printoptions().items()))]
    return _texts[0][1]


def _decimal_context() -> Key:
    decimal = sys.modules.get("decimal")
    if decimal is None:
        return ()
    now = decimal.getcontext()
    return (now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, repr(now.traps))
