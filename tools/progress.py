"""A progress bar on stderr, for a person who has waited for more than a second."""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO, TypeVar

T = TypeVar("T")

PATIENCE = 1.0
"""Seconds before anything is shown."""
WIDTH = 24
CHUNK = 1 << 24
"""Bytes of a file that are read between two looks at the clock."""


def progress(items: Iterable[T], total: int, name: Callable[[T], str] = str,
             quiet: bool = False, stream: TextIO | None = None,
             clock: Callable[[], float] = time.monotonic) -> Iterator[T]:
    """The items, one by one, with a bar on a terminal if there are several and they take long."""
    stream = stream or sys.stderr
    if quiet or total < 2 or not stream.isatty():
        yield from items
        return
    start, shown = clock(), False
    try:
        for number, item in enumerate(items, 1):
            if clock() - start > PATIENCE:
                shown = True
                stream.write("\r\033[K" + bar(number, total, name(item)))
                stream.flush()
            yield item
    finally:
        if shown:
            stream.write("\r\033[K")
            stream.flush()


class Reading(io.BufferedReader):
    """A file that is open for reading, with a bar on a terminal while that takes long."""

    def __init__(self, path: str, stream: TextIO | None = None,
                 clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(io.FileIO(path))
        self._path = path
        self._terminal = stream or sys.stderr
        self._clock, self._start, self._shown = clock, clock(), False
        self._size = os.fstat(self.fileno()).st_size

    def read(self, size: int | None = -1, /) -> bytes:
        left = self._size if size is None or size < 0 else size
        parts = []
        while left > 0 and (part := super().read(min(left, CHUNK))):
            parts.append(part)
            left -= len(part)
            self._show()
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _show(self) -> None:
        if self._terminal.isatty() and self._clock() - self._start > PATIENCE:
            self._shown = True
            done, total = (x >> 20 for x in (self.tell(), self._size))
            self._terminal.write("\r\033[K" + bar(done, max(total, 1), f"MB of {self._path}"))
            self._terminal.flush()

    def close(self) -> None:
        if self._shown and not self.closed:
            self._terminal.write("\r\033[K")
            self._terminal.flush()
        super().close()


def bar(number: int, total: int, name: str) -> str:
    """One line of progress, no wider than the terminal.

    >>> bar(1, 2, "a.py")
    '[============            ] 1/2 a.py'
    """
    done = WIDTH * number // total
    room = shutil.get_terminal_size().columns - 1
    return f"[{'=' * done}{' ' * (WIDTH - done)}] {number}/{total} {name}".rstrip()[:room]
