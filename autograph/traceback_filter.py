"""Takes autograph's own frames out of the tracebacks of errors that pass through it."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import ParamSpec, TypeVar

from autograph.suggestions import nearest

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

OURS = (os.path.join(os.path.dirname(__file__), ""), "<dispatch of ", "<graph of ")
"""How the file names of our code objects begin."""

ITEMS = "<items>"
"""The first parameter of a block that is compiled alone; no name of the user's is like it."""

GENERATED = "__generated__"
"""A global variable of the generated code that has the user's file name."""

FILTERED = "__ag_filtered__"
"""The attribute of an exception with a long traceback: the id of the entry from which on it holds
none of our frames."""

ADDED_TO_ERRORS = frozenset({"__notes__", FILTERED})
"""The attributes that we add to exceptions."""

FEW = 50
"""A traceback of so few entries is looked at again at each level."""

hiding = os.environ.get("AUTOGRAPH_TRACEBACK_FILTERING", "1") != "0"


def hide() -> None:
    """Drops our frames from the traceback of the exception that is being handled, and the frames
    around the code of a block, which are frames of the same call in plain Python.

    Called in an `except` block that ends with a bare `raise`. That `raise` adds no entry for its
    own frame, so in the traceback the user's frame follows that of the caller. Of a deep recursion
    each call looks only at the entries that are new since the last one.
    """
    error = sys.exception()
    if hiding and error is not None:
        filter_frames(error)
        context = error.__context__
        if context is not None and (caught := context.__traceback__) is not None:
            filter_frames(context)
            if context.__traceback__ is None or (  # it was raised and handled among ourselves
                    is_ours(caught.tb_frame) and type(context) is type(error)):
                error.__context__ = None


def filter_frames(error: BaseException) -> None:
    """Drops our frames from the traceback of an exception; remembers it if that is a long one."""
    known = getattr(error, FILTERED, None)
    error.__traceback__, new = filtered(users(error.__traceback__), known)
    if new > FEW or known is not None:
        BaseException.__setattr__(error, FILTERED, id(error.__traceback__))


def hiding_frames(f: Callable[P, R]) -> Callable[P, R]:
    """Returns the function for users: errors that pass through it have no frames of ours, and that
    of an argument that there is not names the nearest one."""

    @functools.wraps(f)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return f(*args, **kwargs)
        except TypeError as error:
            name = next((name for name in kwargs if str(error).endswith(UNEXPECTED % name)), None)
            if name is not None and error.__traceback__ and error.__traceback__.tb_next is None:
                error.args = f"{error}\n  hint: {way_out(name, f)}",
            hide()
            raise
        except BaseException:
            hide()
            raise

    return called


UNEXPECTED = "got an unexpected keyword argument '%s'"
"""How Python's message of an argument that a function does not have ends."""


def way_out(name: str, f: Callable[..., object]) -> str:
    """Returns which arguments of a function there are instead of one that there is not.

    >>> way_out("cls", hiding_methods), way_out("x", hiding_methods)
    ('there is cls', 'there are cls, left')
    """
    known = [x for x in inspect.signature(f).parameters if x not in ("self", "ignored")]
    near = nearest(name, known)
    return f"there is {near}" if near else f"there are {', '.join(known)}"


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


def filtered(entry: TracebackType | None, known: int | None) -> tuple[TracebackType | None, int]:
    """Returns a traceback without our frames, in which a function that runs a block of its own has
    one entry; and how many entries were looked at.

    Args:
      known: the id of the entry that an earlier call gave as the first: what follows is filtered.
    """
    first = last = None
    new = 0
    while entry is not None and id(entry) != known:
        new += 1
        inner = entry.tb_next
        while inner is not None and is_ours(inner.tb_frame):
            inner = inner.tb_next
        if inner is None or not is_block(inner.tb_frame.f_code, entry.tb_frame.f_code):
            first = first or entry
            last = _followed(last, entry)
        entry = inner
    _followed(last, entry)
    return first or entry, new


def _followed(last: TracebackType | None, entry: TracebackType | None) -> TracebackType | None:
    """Sets what follows an entry, if it is another one: Python looks for cycles. Returns that."""
    if last is not None and last.tb_next is not entry:
        last.tb_next = entry
    return entry


def is_block(code: CodeType, outer: CodeType) -> bool:
    """Returns True if the compiler made the code of a block or an expression of the code around it:
    it has the name of the user's function then, which a function in it would not have."""
    return code.co_qualname == outer.co_qualname and (
        code.co_varnames[:1] == (ITEMS,) or _holds(outer, code))


def _holds(outer: CodeType, code: CodeType) -> bool:
    return any(c is code or _holds(c, code) for c in outer.co_consts if isinstance(c, CodeType))


def is_ours(frame: FrameType) -> bool:
    """Returns True for frames of autograph, of its data classes, and of generated code."""
    name, scope = frame.f_code.co_filename, frame.f_globals
    return GENERATED in scope or name.startswith(OURS) or (
        name == "<string>" and str(scope.get("__name__")).startswith("autograph."))


def users(entry: TracebackType | None) -> TracebackType | None:
    """Returns the first entry of a traceback that is not ours, or of a context manager of ours."""
    while entry is not None and (is_ours(entry.tb_frame)
                                 or entry.tb_frame.f_code.co_filename == contextlib.__file__):
        entry = entry.tb_next
    return entry


def set_hiding(on: bool) -> None:
    """Sets whether tracebacks show the user's frames only."""
    global hiding
    hiding = on
