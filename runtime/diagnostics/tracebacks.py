"""Tracebacks of errors in graphs: they end on the user's line, though no frame of it runs."""

from __future__ import annotations

import os
import sys
from dis import opmap
from types import FrameType, FunctionType, TracebackType

from autograph.runtime.ir.call_frames import GENERATED
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.user_source import function_at

OWN = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
NO_OPERATION = bytes([opmap["NOP"], 0])


def frame_of(location: Location) -> FrameType:
    """Returns a finished frame that a traceback shows as the user's function.

    Python looks up the line and the columns of an entry in its frame's code object: this one has
    the names and the line table of the user's function, and is long enough for the instruction.
    """
    code, own = location.code, _this_frame.__code__
    name = function_at(location).name
    padding = NO_OPERATION * (location.instruction // 2 + 1)
    shown = own.replace(
        co_code=own.co_code + padding, co_filename=code.co_filename, co_name=name,
        co_qualname=name, co_firstlineno=code.co_firstlineno,
        co_linetable=code.co_linetable)
    frame: FrameType = FunctionType(shown, {"sys": sys})()
    return frame


def _this_frame() -> FrameType:
    return sys._getframe()


def point_to(location: Location, entry: TracebackType) -> None:
    """Adds the user's line to a traceback, after the entries of the graph and of its ops."""
    while entry.tb_next is not None and _is_own(entry.tb_next):
        entry = entry.tb_next
    entry.tb_next = TracebackType(
        entry.tb_next, frame_of(location), location.instruction, location.line)


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
