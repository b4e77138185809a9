"""Tracebacks of errors in graphs: they end on the user's line, though no frame of it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import lru_cache
from types import CodeType, FunctionType, TracebackType
from typing import Any

from autograph.runtime.diagnostics.line_tables import line_table
from autograph.runtime.ir.call_frames import GENERATED
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.user_source import function_at, scope_at

OWN = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


def entry_of(location: Location, variables: Mapping[str, Any]) -> TracebackType:
    """Returns a traceback's entry, with a finished frame, that shows a line of the user's function.

    Every instruction of the frame's code has the location's line and columns; the code has the
    name, the file and the first line of the user's function, the frame its globals and `variables`.
    """
    shown = _code_at(location, tuple(variables))
    function = FunctionType(shown, {} if location.scope is None else location.scope)
    tracer = sys.gettrace()
    try:
        sys.settrace(None)  # nothing of the user's runs here
        function(*variables.values())
    except ZeroDivisionError as error:
        entry = error.__traceback__ and error.__traceback__.tb_next
        error.__traceback__ = None
        assert entry is not None
        return entry
    finally:
        sys.settrace(tracer)
    raise AssertionError("the function raises")


@lru_cache(maxsize=1024)
def _code_at(location: Location, variables: tuple[str, ...]) -> CodeType:
    """Returns code that fails on the user's line."""
    own, name = _failing.__code__, function_at(location).name
    first, _ = scope_at(location)
    return own.replace(
        co_filename=location.filename, co_name=name, co_qualname=name, co_firstlineno=first,
        co_varnames=variables, co_argcount=len(variables), co_nlocals=len(variables),
        co_linetable=line_table([(location.span, len(own.co_code) // 2)], first))


def _failing() -> object:
    return 1 / 0


def point_to(location: Location, entry: TracebackType, variables: Mapping[str, Any]) -> None:
    """Adds the user's line to a traceback, after the entries of the graph and of its ops."""
    while entry.tb_next is not None and _is_own(entry.tb_next):
        entry = entry.tb_next
    made = entry_of(location, variables)
    made.tb_next = entry.tb_next
    entry.tb_next = made


def _is_own(entry: TracebackType) -> bool:
    frame = entry.tb_frame
    return GENERATED in frame.f_globals or frame.f_code.co_filename.startswith(OWN)


def drop_own(error: BaseException) -> None:
    """Removes autograph's own frames from the end of a traceback, below the user's line."""
    last = entry = error.__traceback__
    while entry is not None:
        if not _is_own(entry):
            last = entry
        entry = entry.tb_next
    if last is not None and not _is_own(last):
        last.tb_next = None
