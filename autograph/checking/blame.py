"""Finds the line of the plain function that gave something the value that it has at the end."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from autograph.checking.call_state import CallState
from autograph.checking.muting import muted
from autograph.checking.portraits import ERROR, Look, Portrait
from autograph.function.dispatcher import plainly
from autograph.libraries import is_library

Roots = Sequence[tuple[str, Any]]
MAX_LINES = 5000
"""So many lines are watched."""


def line_of_value(name: str, roots: Roots, before: CallState, run: Callable[[], Any]) -> str:
    """Returns the line after which what has this name changes no more; of a result the line that
    returns it, of an exception the line that raises it. Empty if there is none.

    Args:
      name: its name in portraits of the roots.
      roots: what the function can reach.
      before: the state in which the function is run; it is put back afterwards.
      run: runs the plain function.
    """
    watcher = LineWatcher(lambda: Portrait(roots, before).get(name))
    outer = sys.gettrace()
    try:
        with plainly(), muted():
            sys.settrace(watcher.call)
            run()
    except Exception as error:
        if name.startswith((ERROR, "the outcome")):
            watcher.last = innermost(error)
    finally:
        sys.settrace(outer)
        before.put_back()
    if watcher.last is None:
        return ""
    filename, line = watcher.last
    return f"{filename}:{line}: {linecache.getline(filename, line).strip()}"


def innermost(error: BaseException) -> tuple[str, int] | None:
    """Returns the file and line of the user's that an exception comes from."""
    found, step = None, error.__traceback__
    while step is not None:
        if is_users(step.tb_frame):
            found = step.tb_frame.f_code.co_filename, step.tb_lineno
        step = step.tb_next
    return found


def is_users(frame: FrameType) -> bool:
    return not is_library(frame.f_globals.get("__name__") or "")


class LineWatcher:
    """Looks, after each line of the user's, at what has some name."""

    def __init__(self, look: Callable[[], Look | None]) -> None:
        self.look = look
        self.last: tuple[str, int] | None = None
        self.at: tuple[str, int] | None = None
        self.count = 0
        self.value = look()

    def call(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self.line if is_users(frame) and self.count < MAX_LINES else None

    def line(self, frame: FrameType, event: str, arg: Any) -> Any:
        self.count += 1
        if self.count > MAX_LINES:
            return None
        if self.at is not None and event in ("line", "return"):
            self.compare()
        back = frame.f_back
        if event == "line":
            self.at = frame.f_code.co_filename, frame.f_lineno
        elif event == "return" and back is not None:
            self.at = back.f_code.co_filename, back.f_lineno
        return self.line

    def compare(self) -> None:
        now = self.look()
        if (now is None) != (self.value is None) or (
                now is not None and self.value is not None and now.differs(self.value)):
            self.last = self.at
        self.value = now
