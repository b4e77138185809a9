"""NumPy's error state while tracing: `np.errstate` for what is recorded."""

from __future__ import annotations

import sys
import threading
from contextlib import ContextDecorator
from typing import Any

import numpy as np

from autograph.runtime.ir.exception_tables import lets_exceptions_pass


class _Current(threading.local):
    settings: tuple[tuple[str, str], ...] = ()


_current = _Current()


def current_errstate() -> tuple[tuple[str, str], ...]:
    """Returns the settings of `np.errstate` that hold for what is recorded now."""
    return _current.settings


class errstate(ContextDecorator):
    """Sets `np.errstate` for what is recorded meanwhile, and for what is computed at once."""

    def __init__(self, **settings: Any) -> None:
        self._settings = settings

    def _recreate_cm(self) -> errstate:
        return errstate(**self._settings)

    def __enter__(self) -> None:
        if "raise" not in self._settings.values():  # a ufunc that raises has written by then
            lets_exceptions_pass(sys._getframe(1))
        self._outer, self._state = _current.settings, np.errstate(**self._settings)
        self._state.__enter__()
        _current.settings = tuple({**dict(self._outer), **self._settings}.items())

    def __exit__(self, *error: Any) -> None:
        _current.settings = self._outer
        self._state.__exit__(*error)
