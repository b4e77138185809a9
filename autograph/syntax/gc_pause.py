"""Lets Python's collector of cycles wait while trees and graphs are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_waits() -> Iterator[None]:
    """No collection for the time of a `with` block, unless the program has turned them off anyway.

    A first call allocates thousands of nodes and keeps most of them: looking for cycles meanwhile
    takes a tenth of its time and finds nothing. If blocks of several threads overlap, the first to
    end lets the collector go on.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
