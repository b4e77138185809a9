"""Runs a command again whenever one of its files changes, by looking at their times."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable

from autograph.syntax.verbosity import many

INTERVAL = 0.3
"""Seconds between two looks."""

State = dict[str, tuple[int, int]]


def watch(run: Callable[[], int], files: Callable[[], Iterable[str]],
          sleep: Callable[[float], None] = time.sleep) -> int:
    """Calls `run` now and after every change of the files, until Ctrl-C ends it: that gives 130.

    Where there is no file, there is nothing to wait for: the result is that of `run`.
    """
    try:
        while True:
            before = state(files())
            code = run()
            if not before:
                return code
            print(f"watching {many(len(before), 'file')}; Ctrl-C ends",
                  file=sys.stderr)
            while state(files()) == before:
                sleep(INTERVAL)
    except KeyboardInterrupt:
        return 130


def state(files: Iterable[str]) -> State:
    """The time of the last change and the size of each file that is there."""
    found: State = {}
    for file in files:
        try:
            status = os.stat(file)
        except OSError:
            continue
        found[file] = status.st_mtime_ns, status.st_size
    return found
