"""Tracebacks of what a graph raises: they end on the user's line, though no frame of it runs."""

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
    """A finished frame that a traceback shows as the user's function, at any of its instructions.

    Python looks up line and columns of an entry in its frame's code object: this one has the names
    and the line table of the user's, and is long enough to have the instruction.
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


def point_to(location: Location, place: TracebackType) -> None:
    """Add the user's line after the entry of the graph and those of the ops that it called."""
    while place.tb_next is not None and _is_own(place.tb_next):
        place = place.tb_next
    place.tb_next = TracebackType(
        place.tb_next, frame_of(location), location.instruction, location.line)


def _is_own(place: TracebackType) -> bool:
    frame = place.tb_frame
    return GENERATED in frame.f_globals or frame.f_code.co_filename.startswith(OWN)


def drop_own(error: BaseException) -> None:
    """Take the frames at the end of a traceback that are ours: those below the user's line."""
    last = place = error.__traceback__
    while place is not None:
        if not _is_own(place):
            last = place
        place = place.tb_next
    if last is not None and not _is_own(last):
        last.tb_next = None
