"""Logs what the compiler does, at the level that `ag.set_verbosity` or AUTOGRAPH_VERBOSITY sets."""

from __future__ import annotations

import builtins
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from autograph.traceback_filter import hiding_frames

if TYPE_CHECKING:
    import logging  # most programs log nothing: it is loaded for those that do

CONVERSIONS, CODE, PASSES = 1, 2, 3
"""The levels: 1 logs what is converted and what is not; 2 also the converted text; 3 also the
source, and the text after every pass that changed it."""

_also_to_stdout = False
_level = 0


@hiding_frames
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much is logged about conversions: 0 (nothing, as from the start) to 3.

    Messages go to the logger "autograph", at level INFO. Those of level 1 go there at level DEBUG
    in any case: `logging.getLogger("autograph").setLevel(logging.DEBUG)` shows them. If the program
    has not set up logging, they go to `sys.stderr`. The environment variable AUTOGRAPH_VERBOSITY
    sets the level at the start.

    Args:
      level: 1 logs what is converted, what is left as it is, and why; and every trace, with its
        signature, size and time, and the reason for it. 2 also logs the converted source; 3 also
        the source before and after each pass.
      alsologtostdout: if True, the messages are printed to `sys.stdout` as well.

    Raises:
      TypeError: the level is no number.
      ValueError: it is none from 0 to 3.

    >>> set_verbosity(0)
    """
    if not isinstance(level, int):
        raise TypeError(f"the level is a number from 0 to 3, not {level!r}")
    if not 0 <= level <= 3:
        raise ValueError(f"the level is a number from 0 to 3, not {level}")
    global _level, _also_to_stdout
    _level, _also_to_stdout = level, alsologtostdout
    if level > 0:
        import logging

        if not logger().hasHandlers():
            logger().addHandler(_to_stderr())
        logger().setLevel(logging.INFO)


def logger() -> logging.Logger:
    """Returns the logger that messages go to."""
    import logging

    return logging.getLogger("autograph")


def _to_stderr() -> logging.Handler:
    """Returns what writes to what `sys.stderr` is at the moment, and leaves it to the program's own
    handlers."""
    import logging

    class Stderr(logging.StreamHandler[TextIO]):
        def emit(self, record: logging.LogRecord) -> None:
            if not logging.getLogger().handlers:
                self.stream = sys.stderr
                super().emit(record)

    made = Stderr()
    made.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    return made


def is_logged(level: int) -> bool:
    """Returns True if messages of a level are logged."""
    if _level >= level:
        return True
    if level > 1 or _here.is_logging or "logging" not in sys.modules:
        return False
    import logging

    with _logging():
        return logger().isEnabledFor(logging.DEBUG)


def log(level: int, message: str, *arguments: object) -> None:
    """Logs a message if its level is on; nothing about functions that logging itself converts."""
    if _here.is_logging or not is_logged(level):
        return
    import logging

    with _logging():
        logger().log(logging.INFO if _level >= level else logging.DEBUG, message, *arguments)
        if _level >= level and _also_to_stdout:
            builtins.print(message % arguments)


class _Here(threading.local):
    """Tells if this thread is in the program's logging, whose handlers may run converted code."""

    is_logging = False


_here = _Here()


@contextmanager
def _logging() -> Iterator[None]:
    _here.is_logging = True
    try:
        yield
    finally:
        _here.is_logging = False


@hiding_frames
def trace(*args: object) -> None:
    """Prints the arguments while a function is traced; never recorded in a graph.

    Args:
      args: any values; a symbolic one is shown with its type.

    >>> trace("tracing", 3)
    tracing 3
    """
    builtins.print(*args)


set_verbosity(int(os.environ.get("AUTOGRAPH_VERBOSITY") or 0))


def many(count: int, noun: str) -> str:
    """A count with its noun.

    >>> many(1, "trace"), many(1200, "node")
    ('1 trace', '1,200 nodes')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"
