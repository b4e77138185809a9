"""Takes autograph's own frames out of the tracebacks of errors that pass through it."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from types import FrameType, FunctionType, TracebackType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

OURS = (os.path.join(os.path.dirname(__file__), ""), "<dispatch of ", "<graph of ")
"""How the file names of our code objects begin."""

GENERATED = "__generated__"
"""A global variable of the generated code that has the user's file name."""

hiding = os.environ.get("AUTOGRAPH_TRACEBACK_FILTERING", "1") != "0"


def hide() -> None:
    """Drops our frames at both ends of the traceback of the exception that is being handled.

    Called in an `except` block that ends with a bare `raise`. That `raise` adds no entry for its
    own frame, so in the traceback the user's frame follows that of the caller. Frames of ours that
    lie deeper were dropped by the calls of `hide` further inside.
    """
    error = sys.exception()
    if hiding and error is not None:
        error.__traceback__ = users(error.__traceback__)
        if error.__traceback__ is not None and is_ours(innermost(error.__traceback__).tb_frame):
            cut(error.__traceback__)


def hiding_frames(f: Callable[P, R]) -> Callable[P, R]:
    """Returns the function for users: errors that pass through it have no frames of ours."""

    @functools.wraps(f)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return f(*args, **kwargs)
        except BaseException:
            hide()
            raise

    return called


def hiding_methods(cls: C, *left: str) -> C:
    """Makes the methods of a class, those for users and operators, hide our frames.

    Args:
      cls: the class, which is the result.
      left: methods that we call ourselves, and often: they stay as they are.
    """
    for name, f in list(vars(cls).items()):
        if isinstance(f, FunctionType) and is_for_users(name) and name not in left:
            setattr(cls, name, hiding_frames(f))
    return cls


def is_for_users(name: str) -> bool:
    """Returns True for the names of public and of special methods, but not of `__ag_…__`.

    `__enter__` looks at the frame that called it.
    """
    return not name.startswith(("__ag_", "__enter__")) if name[-2:] == "__" else name[0] != "_"


def innermost(entry: TracebackType) -> TracebackType:
    """Returns the last entry of a traceback."""
    while (following := entry.tb_next) is not None:
        entry = following
    return entry


def cut(entry: TracebackType | None) -> None:
    """Cuts off the frames of ours at the inner end of a traceback."""
    last = None
    while entry is not None:
        if not is_ours(entry.tb_frame):
            last = entry
        entry = entry.tb_next
    if last is not None:
        last.tb_next = None


def is_ours(frame: FrameType) -> bool:
    """Returns True for frames of autograph and of generated code."""
    return GENERATED in frame.f_globals or frame.f_code.co_filename.startswith(OURS)


def users(entry: TracebackType | None) -> TracebackType | None:
    """Returns the first entry of a traceback that is not ours."""
    while entry is not None and is_ours(entry.tb_frame):
        entry = entry.tb_next
    return entry


def set_hiding(on: bool) -> None:
    """Sets whether tracebacks show the user's frames only."""
    global hiding
    hiding = on
