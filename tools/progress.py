"""A progress bar on stderr, for a person who has waited for more than a second."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO, TypeVar

T = TypeVar("T")

PATIENCE = 1.0
"""Seconds before anything is shown."""
WIDTH = 24


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


def bar(number: int, total: int, name: str) -> str:
    """One line of progress, no wider than the terminal.

    >>> bar(1, 2, "a.py")
    '[============            ] 1/2 a.py'
    """
    done = WIDTH * number // total
    room = shutil.get_terminal_size().columns - 1
    return f"[{'=' * done}{' ' * (WIDTH - done)}] {number}/{total} {name}".rstrip()[:room]
