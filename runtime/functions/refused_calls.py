"""Functions that are not converted and that refused a symbolic value: the graph calls them.

Python's library, and code without a text, run as they are while a function is traced; often that
works. Where one asks for a value that only the run knows, the function is traced once more, and
its call is one opaque operation.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from inspect import CO_GENERATOR
from types import FrameType, FunctionType, TracebackType
from typing import Any

from autograph.libraries import is_library, is_python
from autograph.runtime.heap.hidden_state import CLOSES
from autograph.runtime.ir.errors import TracingError, is_about_tensors
from autograph.runtime.ir.location import Location
from autograph.runtime.symbolic.source_locations import is_own
from autograph.runtime.symbolic.trace import Trace
from autograph.runtime.symbolic.trace_mode import RESUMES, Decision, key_of


def close_refused_call(run: Trace, error: BaseException) -> None:
    """Requests that the graph call what refused a symbolic value, if it is not converted: the
    classes whose methods were running, and if they are closed already, the function."""
    if not (isinstance(error, TracingError) or is_about_tensors(error)):
        return
    generators = {
        entry.tb_frame.f_code for entry in _entries(error.__traceback__)
        if entry.tb_frame.f_code.co_flags & CO_GENERATOR and not is_own(entry.tb_frame)}
    run.request.generators |= generators - run.mode.generators
    run.request.resumed |= {
        *map(key_of, generators & run.mode.generators), *vars(error).get(RESUMES, ())
    } - run.mode.resumed
    where, frames = _refusing(error)
    if CLOSES in vars(error):
        found = {vars(error)[CLOSES]} - {None} - run.mode.closed
    else:
        found = {x for x in map(_class_of, frames) if x is not None} - run.mode.closed or {
            x.f_code for x in frames[:1]} - run.mode.closed
    if found:
        run.request.closed |= found
        run.request.reasons.append(Decision(
            where, "at run time", "Python's library asks for values that only the run knows"))


def _refusing(error: BaseException) -> tuple[Location | None, list[FrameType]]:
    """Returns the user's line that called what refused, and the frames of what it called; none if
    the user's own code refused."""
    where: Location | None = None
    found: list[FrameType] = []
    for entry in _entries(error.__traceback__):
        frame = entry.tb_frame
        if is_own(frame) or _module_of(frame).partition(".")[0] in PASSED_OVER:
            continue
        if not _is_as_written(frame):
            where, found = Location(frame.f_code, entry.tb_lasti, frame.f_globals), []
        elif where is not None:
            found.append(frame)
    return where, found


def _entries(entry: TracebackType | None) -> Iterator[TracebackType]:
    while entry is not None:
        yield entry
        entry = entry.tb_next


PASSED_OVER = frozenset({"numpy", "contextlib"})
"""Modules whose frames are not looked at: NumPy's functions have records or replacements, and code
of ours uses context managers."""


def _is_as_written(frame: FrameType) -> bool:
    """Returns True for code that nothing converts: of a library, or without a text."""
    name = frame.f_code.co_filename
    text = "".join(linecache.getlines(name))
    own = frame.f_code.co_name.strip("<>")  # Python 3.13 gives all that `exec` runs `-c`'s text
    return is_library(_module_of(frame)) or not text or (name == "<string>" and own not in text)


def _module_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__") or "")


def _class_of(frame: FrameType) -> type | None:
    """Returns the class of a library's whose method, or class method, runs in a frame."""
    code = frame.f_code
    owner = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    cls = owner if isinstance(owner, type) else type(owner)
    method: Any = getattr(cls, code.co_name, None)
    function = getattr(method, "__func__", method)
    return cls if type(function) is FunctionType and function.__code__ is code and is_python(
        cls.__module__) else None
