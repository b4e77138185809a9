"""Debuggers step through the user's code: they pass autograph's frames by, and do not list them.

`pdb`, `ipdb`, IPython and `pytest --pdb` are built on `bdb.Bdb`, which asks `stop_here` at every
line, and shows what `get_stack` finds.
"""

from __future__ import annotations

import linecache
from functools import cache, wraps
from types import FrameType, TracebackType
from typing import Any

from autograph import traceback_filter
from autograph.libraries import is_no_file, library_of
from autograph.traceback_filter import is_ours

Stack = list[tuple[FrameType, int]]


def is_passed_by(frame: FrameType | None) -> bool:
    """Returns True for a frame of ours, and for one of a library that ours called.

    What a user's function calls is stepped into, as without autograph.
    """
    while frame is not None and traceback_filter.hiding:
        if is_ours(frame):
            return True
        if _has_users_line(frame):
            return False
        frame = frame.f_back
    return False


def _has_users_line(frame: FrameType) -> bool:
    filename = frame.f_code.co_filename
    if is_no_file(filename):  # a prompt or a cell; or code that a library made
        if filename == "<string>" and frame.f_globals.get("__name__") != "__main__":
            return False  # Python 3.13 keeps the text of `python -c` under this name
        return linecache.getline(filename, frame.f_lineno) != ""
    return library_of(filename) is None


@cache
def let_debuggers_pass() -> None:
    """Has Python's debugger base class pass our frames by. Once is enough."""
    from bdb import Bdb  # of use to those who decorate a function

    stop_here, get_stack = Bdb.stop_here, Bdb.get_stack

    @wraps(stop_here)
    def stop_at_users(self: Bdb, frame: FrameType) -> bool:
        return not is_passed_by(frame) and stop_here(self, frame)

    @wraps(get_stack)
    def users_stack(self: Bdb, frame: FrameType | None, entry: TracebackType | None
                    ) -> tuple[Stack, int]:
        stack, current = get_stack(self, frame, entry)
        shown = [i for i, (f, _) in enumerate(stack) if i == current or not is_passed_by(f)]
        return [stack[i] for i in shown], shown.index(current) if stack else current

    changed: Any = Bdb
    changed.stop_here, changed.get_stack = stop_at_users, users_stack
