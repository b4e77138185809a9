"""Source locations: the user's line that is running, found among the frames of the stack."""

from __future__ import annotations

import inspect
import sys
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from autograph.runtime.ir.call_frames import GENERATED
from autograph.runtime.ir.exception_tables import begin_of_region, root_scope
from autograph.runtime.ir.location import Location

if TYPE_CHECKING:
    from autograph.runtime.symbolic.region import Region


def user_location() -> Location | None:
    """Returns the location of the innermost frame of the user's code."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_own(frame):
            return location_of(frame.f_code, frame.f_lasti, frame.f_globals)
        frame = frame.f_back
    return None


Frames = tuple[list[FrameType], FrameType | None]
"""Frames of the user's code, the innermost first, and the frame of ours around all of them."""


MAX_CALLERS = 30
"""So many callers of a location in one region are remembered."""


def frames_inside(frame: FrameType | None, known: FrameType | None = None) -> Frames:
    """Returns the user's frames from one outwards in the region that runs there, or in the trace if
    it runs in no region, and the frame with which that began; None if there is no trace.

    Args:
      known: a frame around which nothing is asked but the callers: only those are returned.
    """
    root, begins, most = root_scope(), begin_of_region(), sys.maxsize
    found: list[FrameType] = []
    own: dict[int, bool] = {}  # by the globals' id: few modules have many frames of a recursion
    while frame is not None and len(found) < most and frame.f_code is not begins and (
            scope := frame.f_globals) is not root:
        if (ours := own.get(id(scope))) is None:
            ours = own[id(scope)] = is_own(frame)
        if not ours:
            found.append(frame)
        if frame is known:
            most = MAX_CALLERS + 1
        frame = frame.f_back
    return found, frame


def deep_frame(frames: list[FrameType]) -> FrameType | None:
    """Returns the outermost of the user's frames that are asked for at each equation, if there are
    more; those around it wait for it, as it is no generator's, which several can resume."""
    frame = frames[MAX_CALLERS] if len(frames) > MAX_CALLERS else None
    return None if frame is None or frame.f_code.co_flags & _RESUMED else frame


_RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def location_in(region: Region, inside: Frames | None = None) -> Location | None:
    """Returns the location of the innermost frame of the user's code in the trace that a region is
    of; it knows its callers in the trace. `inside`: the frames in the region, if they are known."""
    frames, end = inside or frames_inside(sys._getframe(1))
    while not frames and end is not None and end.f_code is begin_of_region():
        region = region.parent or region
        frames, end = frames_inside(end.f_back)
    if not frames:
        return None
    found = frames[0]
    return location_of(found.f_code, found.f_lasti, found.f_globals,
                       _called_by(frames[1:], end, region))


def callers(frame: FrameType, region: Region) -> Location | None:
    """Returns the location of the user's frame that called one that runs in a region; None if there
    is no trace: the callers are on the stack when the error is raised, then. Those of the region
    were looked up when it began."""
    return _called_by(*frames_inside(frame.f_back), region)


def _called_by(frames: list[FrameType], end: FrameType | None, region: Region) -> Location | None:
    """Returns the location in the innermost of the frames; it knows those around it."""
    if end is None:
        return None
    reached = end.f_code is begin_of_region() and len(frames) < MAX_CALLERS
    caller = region.called if reached else None
    for found in reversed(frames[:MAX_CALLERS]):
        caller = location_of(found.f_code, found.f_lasti, found.f_globals, caller)
    return caller


MAX_LOCATIONS = 4096
_locations: dict[tuple[int, int, int], Location] = {}


def location_of(code: CodeType, instruction: int, scope: dict[str, Any],
                caller: Location | None = None) -> Location:
    """Returns the location of an instruction: the same object for as long as it is remembered.

    A remembered location keeps its code and its caller alive, so their ids stay their own.
    """
    key = id(code), instruction, id(caller)
    found = _locations.get(key)
    if found is None:
        if len(_locations) >= MAX_LOCATIONS:
            _locations.clear()
        found = _locations[key] = Location(code, instruction, scope, caller)
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
    name: str = scope.get("__name__", "")
    if name in _own:
        return True
    if name.startswith("autograph."):
        _own.add(name)
        return True
    return GENERATED in scope


_own = {"autograph"}
"""The names of our modules whose frames were met: each equation asks for some."""


def raised_at(error: BaseException, region: Region | None = None) -> Location | None:
    """Returns where an exception was raised, in a region if any: the user's innermost frame in its
    traceback, with its callers in the trace. Inside NumPy it is the line that called it."""
    entry, found = error.__traceback__, None
    caller = None if region is None else callers(sys._getframe(), region)
    while entry is not None:
        if not is_own(entry.tb_frame) and not (found and _is_numpy(entry.tb_frame)):
            frame = entry.tb_frame
            found = Location(frame.f_code, entry.tb_lasti, frame.f_globals, found or caller)
        entry = entry.tb_next
    return found


def _is_numpy(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "numpy"
