"""Source locations: the user's line that is running, found among the frames of the stack."""

from __future__ import annotations

import inspect
import sys
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from autograph.libraries import is_python
from autograph.runtime.ir.call_frames import GENERATED
from autograph.runtime.ir.exception_tables import begin_of_region, is_covered, root_scope
from autograph.runtime.ir.location import MAX_CALLERS, Location
from autograph.runtime.ir.location import Frames as Variables
from autograph.runtime.symbolic.frame_variables import frame_variables

if TYPE_CHECKING:
    from autograph.runtime.symbolic.region import Region


def user_location() -> Location | None:
    """Returns the location of the innermost frame of the user's code, which Python's frozen modules
    are not; None where a trace is made and none of its code runs: what called the traced function
    is none of that."""
    frame: FrameType | None = sys._getframe(1)
    root = root_scope()
    while frame is not None and frame.f_globals is not root:
        if not is_own(frame) and not _is_frozen(frame):
            return location_of(frame.f_code, frame.f_lasti, frame.f_globals)
        frame = frame.f_back
    return None


def location_outside_library() -> Location | None:
    """Returns the same, but for the code of NumPy and of Python's library, as that of
    `copy.deepcopy`."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (is_own(frame) or _is_numpy(frame)
                                 or is_python(frame.f_globals.get("__name__", ""))):
        frame = frame.f_back
    return None if frame is None else location_of(frame.f_code, frame.f_lasti, frame.f_globals)


class Caller:
    """Where one of the user's frames in a region was called, with the callers around that.

    It does not change while the frame runs: a frame that is no generator's remembers it, as what
    traces its lines, which nothing else does. A debugger that begins meanwhile may ask it to.

    location  the user's line that called, with its callers; None: there is none in the trace.
    count     the number of the user's frames around it in the region.
    covered   True if a handler of the user's is around the call, in the region.
    called    the line that the region begins at.
    """

    __slots__ = ("called", "count", "covered", "location")

    def __init__(self, location: Location | None, count: int, covered: bool,
                 called: Location | None) -> None:
        self.location = location
        self.count = count
        self.covered = covered
        self.called = called

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Caller:
        return self


def user_frame(frame: FrameType | None) -> tuple[FrameType | None, FrameType | None]:
    """Returns the user's frame from one outwards in the region that runs there, or in the trace if
    it runs in no region; without one None, and the frame with which that began, if there is any."""
    root, begins = root_scope(), begin_of_region()
    while frame is not None:
        if (scope := frame.f_globals) is root or frame.f_code is begins:
            return None, frame
        if frame.f_trace.__class__ is Caller or (
                id(scope) not in _own_scopes and not is_own(frame)):
            return frame, None
        frame = frame.f_back
    return None, None


def caller_of(frame: FrameType, region: Region) -> Caller:
    """Returns where a frame of the user's in a region was called."""
    inner: list[FrameType] = []
    known: Any = frame.f_trace
    while known.__class__ is not Caller or known.called is not region.called:
        inner.append(frame)
        outer, end = user_frame(frame.f_back)
        if outer is None:
            begun = end is not None and end.f_code is begin_of_region()
            known = _noted(frame, Caller(region.called if begun else None, 0, False, region.called))
            inner.pop()
            break
        frame = outer
        known = frame.f_trace
    for called in reversed(inner):
        known = _noted(called, _called_from(frame, known))
        frame = called
    return known  # type: ignore[no-any-return]


def _called_from(frame: FrameType, around: Caller) -> Caller:
    """Returns where a frame was called that one of the user's called; `around`: where that was."""
    count = around.count + 1
    location = around.location if count < MAX_CALLERS else _latest(frame.f_back, MAX_CALLERS - 1)
    return Caller(location_of(frame.f_code, frame.f_lasti, frame.f_globals, location), count,
                  around.covered or is_covered(frame), around.called)


def _latest(frame: FrameType | None, count: int) -> Location | None:
    """Returns the location of the user's frame from one outwards; it knows so many with itself."""
    frames: list[FrameType] = []
    found, _ = user_frame(frame)
    while found is not None and len(frames) < count:
        frames.append(found)
        found, _ = user_frame(found.f_back)
    caller = None
    for found in reversed(frames):
        caller = location_of(found.f_code, found.f_lasti, found.f_globals, caller)
    return caller


def _noted(frame: FrameType, caller: Caller) -> Caller:
    """Has a frame remember its caller, unless several can resume it, or a debugger watches it."""
    if not frame.f_code.co_flags & _RESUMED and sys.gettrace() is None and (
            frame.f_trace is None or frame.f_trace.__class__ is Caller):
        frame.f_trace = caller
    return caller


_RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def location_in(region: Region) -> Location | None:
    """Returns the location of the innermost frame of the user's code in the trace that a region is
    of; it knows its callers in the trace."""
    found, region = _innermost(sys._getframe(1), region)
    return None if found is None else located(found, caller_of(found, region))


def variables_in(region: Region) -> Variables:
    """Returns what the variables are at that location, and in the frames around it."""
    return variables_from(*_innermost(sys._getframe(1), region))


def callers(frame: FrameType, region: Region) -> tuple[Location | None, Variables]:
    """Returns the location of the user's frame that called one that runs in a region, and what its
    variables are; None if there is no trace: the callers are on the stack when the error is raised,
    then. Those of the region were looked up when it began."""
    found, end = user_frame(frame.f_back)
    if found is not None:
        return located(found, caller_of(found, region)), variables_from(found, region)
    begun = end is not None and end.f_code is begin_of_region()
    return (region.called, region.around) if begun else (None, ())


def variables_from(frame: FrameType | None, region: Region) -> Variables:
    """Returns what the variables of a frame are, and of those around it that a location knows."""
    found: list[dict[str, Any]] = []
    end = None
    while frame is not None and len(found) <= MAX_CALLERS:
        found.append(frame_variables(frame))
        frame, end = user_frame(frame.f_back)
    begun = end is not None and end.f_code is begin_of_region()
    return (*found, *(region.around if begun else ()))


def _innermost(frame: FrameType | None, region: Region) -> tuple[FrameType | None, Region]:
    """Returns the user's frame from one outwards in a region, or in the first around it that has
    one, and that region."""
    found, end = user_frame(frame)
    while found is None and end is not None and end.f_code is begin_of_region():
        region = region.parent or region
        found, end = user_frame(end.f_back)
    return found, region


def located(frame: FrameType, caller: Caller) -> Location:
    """Returns the location that runs in a frame of the user's."""
    return location_of(frame.f_code, frame.f_lasti, frame.f_globals, caller.location)


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


def forget_locations() -> None:
    """Forgets the locations of traces that are over: they keep the code and its module alive."""
    _locations.clear()


def repeated_calls(times: int) -> list[list[FrameType]]:
    """Returns, for each function of the trace that has at least so many calls of itself running,
    the frames of these, the innermost first; the outermost function first."""
    found: dict[int, list[FrameType]] = {}  # by the code's id: the code itself is slow to hash
    root = root_scope()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals is not root:
        frames = found.pop(id(frame.f_code), [])
        frames.append(frame)
        found[id(frame.f_code)] = frames  # the outermost last
        frame = frame.f_back
    return [frames for frames in reversed(found.values())
            if len(frames) >= times and not is_own(frames[0])]


def is_own(frame: FrameType) -> bool:
    """Returns True if a frame runs autograph's code."""
    scope = frame.f_globals
    if id(scope) in _own_scopes:
        return True
    name: str = scope.get("__name__", "")
    if name == "autograph" or name.startswith("autograph."):
        if getattr(sys.modules.get(name), "__dict__", None) is scope:
            _own_scopes[id(scope)] = scope
        return True
    return GENERATED in scope


_own_scopes: dict[int, dict[str, Any]] = {}
"""By id: the globals of our modules whose frames were met: each equation asks for some."""


def raised_at(error: BaseException, region: Region | None = None) -> Location | None:
    """Returns where an exception was raised, in a region if any: the user's innermost frame in its
    traceback, with its callers in the trace. Inside NumPy it is the line that called it."""
    entry, found = error.__traceback__, None
    caller, variables = (None, ()) if region is None else callers(sys._getframe(), region)
    while entry is not None:
        if not (is_own(entry.tb_frame) or _is_frozen(entry.tb_frame)
                or (found and _is_numpy(entry.tb_frame))):
            frame = entry.tb_frame
            found = Location(frame.f_code, entry.tb_lasti, frame.f_globals, found or caller)
            variables = (frame_variables(frame), *variables)
        entry = entry.tb_next
    return found and found.with_frames(variables)


def _is_frozen(frame: FrameType) -> bool:
    """Returns True for code of one of Python's frozen modules, which has no lines."""
    return frame.f_code.co_filename.startswith("<frozen ")


def _is_numpy(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "numpy"
