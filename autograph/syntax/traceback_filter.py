"""Takes autograph's own frames out of the tracebacks of errors that pass through it."""

from __future__ import annotations

import os
import sys
from types import FrameType, TracebackType

OURS = (os.path.join(os.path.dirname(os.path.dirname(__file__)), ""), "<dispatch of ", "<graph of ")
"""How the file names of our code objects begin."""

GENERATED = "__generated__"
"""Among the globals of those that have the user's file name (see the runtime's `users_lines`)."""

hiding = os.environ.get("AUTOGRAPH_TRACEBACK_FILTERING", "1") != "0"


def hide() -> None:
    """Drop the outermost frames of the traceback that is being handled as long as they are ours,
    and the innermost below the user's line.

    For an `except` block that goes on with a bare `raise`: that adds no entry for its own frame, so
    the caller's frame is followed by the user's. What lies deeper was hidden further inside.
    """
    error = sys.exception()
    if hiding and error is not None:
        error.__traceback__ = users(error.__traceback__)
        cut(error.__traceback__)


def cut(entry: TracebackType | None) -> None:
    """Let a traceback end on the user's line if what follows is ours alone."""
    last = None
    while entry is not None:
        if not is_ours(entry.tb_frame):
            last = entry
        entry = entry.tb_next
    if last is not None:
        last.tb_next = None


def is_ours(frame: FrameType) -> bool:
    return GENERATED in frame.f_globals or frame.f_code.co_filename.startswith(OURS)


def users(entry: TracebackType | None) -> TracebackType | None:
    """The first entry of a traceback that is not ours."""
    while entry is not None and is_ours(entry.tb_frame):
        entry = entry.tb_next
    return entry


def set_hiding(on: bool) -> None:
    """Whether tracebacks show the user's frames only."""
    global hiding
    hiding = on
