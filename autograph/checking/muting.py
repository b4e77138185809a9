"""Discards what one thread prints."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Muted:
    """Standard output, but for what the thread prints that made this."""

    def __init__(self, stream: Any) -> None:
        self.stream, self.thread = stream, threading.get_ident()

    def write(self, text: str) -> int:
        if threading.get_ident() == self.thread:
            return len(text)
        return self.stream.write(text)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def muted(on: bool = True) -> Iterator[None]:
    """Discards, if `on`, what this thread prints in the block."""
    outer = sys.stdout
    if on:
        sys.stdout = _Muted(outer)
    try:
        yield
    finally:
        sys.stdout = outer
