"""NumPy's settings that equations need: how errors of floating point are treated, and arrays print.

Python sets them for a block of code or from a line on. A graph's equations run later, and may be in
another order: each carries the settings that held where it was recorded, if the program made them.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any

import numpy as np

Settings = tuple[tuple[str, Any], ...]
"""Names of settings, and their values: ("divide", "ignore"), ("precision", 3) …"""

UNCHANGED = nullcontext()
"""The context in which all settings are as they are."""

ERROR_WORDS = {"divide": "divide by zero", "over": "overflow", "under": "underflow",
               "invalid": "invalid value"}
"""The settings of `np.errstate`, and NumPy's words for these errors."""

ERROR_KINDS = tuple(ERROR_WORDS)
"""The settings of `np.errstate`; the others are those of `np.printoptions`."""


PRINT_OPTIONS = frozenset(np.get_printoptions()) - {"formatter", "override_repr"}
"""The settings of `np.printoptions` that are numbers, texts and None."""


def parts_of(settings: Settings) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Returns the contexts of NumPy's that make these settings: names and arguments."""
    errors = {k: v for k, v in settings if k in ERROR_KINDS}
    texts = {k: v for k, v in settings if k not in ERROR_KINDS}
    if len(errors) == len(ERROR_KINDS) and len(set(errors.values())) == 1:
        errors = {"all": errors["divide"]}
    return tuple((name, part) for name, part in (("errstate", errors), ("printoptions", texts))
                 if part)


def applied(settings: Settings) -> AbstractContextManager[Any]:
    """Returns a context in which the settings hold."""
    if not settings:
        return UNCHANGED
    stack = ExitStack()
    for name, part in parts_of(settings):
        stack.enter_context(getattr(np, name)(**part))
    return stack


def tells(settings: Settings) -> bool:
    """Returns True if the program asked to be told of floating-point errors, each time."""
    return any(kind in ERROR_KINDS and how in ("warn", "print", "log") for kind, how in settings)


def is_silent(settings: Settings) -> bool:
    """Returns True if all that the settings say is that floating-point errors are ignored."""
    return all(kind in ERROR_KINDS and how == "ignore" for kind, how in settings)


def raises(settings: Settings) -> bool:
    """Returns True if a floating-point error raises under the settings."""
    return any(kind in ERROR_KINDS and how == "raise" for kind, how in settings)
