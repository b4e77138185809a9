"""NumPy's error state while tracing: `np.errstate` for what is recorded."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


class _Current(threading.local):
    settings: tuple[tuple[str, str], ...] = ()


_current = _Current()


def current_errstate() -> tuple[tuple[str, str], ...]:
    """Returns the settings of `np.errstate` that hold for what is recorded now."""
    return _current.settings


@contextmanager
def errstate(**settings: Any) -> Iterator[None]:
    """Sets `np.errstate` for what is recorded meanwhile, and for what is computed at once."""
    outer = _current.settings
    _current.settings = tuple({**dict(outer), **settings}.items())
    try:
        with np.errstate(**settings):
            yield
    finally:
        _current.settings = outer
