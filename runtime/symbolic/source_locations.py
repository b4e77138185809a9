"""Source locations: the user's line that is running, found among the frames of the stack."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import CodeType, FrameType
from typing import Any

from autograph.runtime.ir.call_frames import GENERATED
from autograph.runtime.ir.exception_tables import root_scope
from autograph.runtime.ir.location import Location


def user_location(within: Mapping[str, Any] | None = None) -> Location | None:
    """Returns the location of the innermost frame of the user's code.

    With `within`, the search ends at a frame with these globals.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        scope = frame.f_globals
        if scope is within:
            return None
        if _own.get(id(scope)) is not scope and not is_own(frame):
            return location_of(frame.f_code, frame.f_lasti, scope)
        frame = frame.f_back
    return None


MAX_LOCATIONS = 4096
_locations: dict[tuple[int, int], Location] = {}


def location_of(code: CodeType, instruction: int, scope: dict[str, Any]) -> Location:
    """Returns the location of an instruction: the same object for as long as it is remembered.

    A remembered location keeps its code alive, so the code's id stays its own.
    """
    key = id(code), instruction
    found = _locations.get(key)
    if found is None:
        if len(_locations) >= MAX_LOCATIONS:
            _locations.clear()
        found = _locations[key] = Location(code, instruction, scope)
    return found


def repeated_code(times: int) -> CodeType | None:
    """Returns the outermost function of the trace that has at least so many calls of itself
    running."""
    found: dict[int, list[FrameType]] = {}  # by the code's id: the code itself is slow to hash
    root = root_scope()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals is not root:
        frames = found.pop(id(frame.f_code), [])
        frames.append(frame)
        found[id(frame.f_code)] = frames  # the outermost last
        frame = frame.f_back
    return next((frames[0].f_code for frames in reversed(found.values())
                 if len(frames) >= times and not is_own(frames[0])), None)


def is_own(frame: FrameType) -> bool:
    """Returns True if a frame runs autograph's code."""
    scope = frame.f_globals
    if _own.get(id(scope)) is scope:
        return True
    name: str = scope.get("__name__", "")
    if name == "autograph" or name.startswith("autograph."):
        _own[id(scope)] = scope
        return True
    return GENERATED in scope


_own: dict[int, dict[str, Any]] = {}
"""The globals of our modules, by their ids: each equation asks for some frames."""


def raised_at(error: BaseException) -> Location | None:
    """Returns where an exception was raised: the user's innermost frame in its traceback."""
    entry, found = error.__traceback__, None
    while entry is not None:
        if not is_own(entry.tb_frame):
            frame = entry.tb_frame
            found = Location(frame.f_code, entry.tb_lasti, frame.f_globals)
        entry = entry.tb_next
    return found
