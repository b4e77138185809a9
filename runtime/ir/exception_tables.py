"""Exception tables: tells if code runs under a `try` or `with` of the traced function."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from opcode import opmap
from types import CodeType, FrameType
from typing import Any
from weakref import WeakKeyDictionary

from autograph.runtime.ir.call_frames import GENERATED
from autograph.runtime.ir.code_answers import by_code
from autograph.runtime.ir.location import MAX_CALLERS, Location

_PUSH_EXC_INFO, _BEFORE_WITH = opmap["PUSH_EXC_INFO"], opmap["BEFORE_WITH"]
ROOT = "autograph.runtime.functions.attempt"
"""The module whose frame starts a trace; what is outside it is the caller's business."""

REGIONS = "autograph.runtime.control_flow.traced_regions"
"""The module whose frame starts a region of it."""


@cache
def root_scope() -> dict[str, Any]:
    """The globals of the frames that start a trace; a process may have traced nothing yet."""
    return import_module(ROOT).__dict__


@cache
def region_scope() -> dict[str, Any]:
    """The globals of the frames that start a region."""
    return sys.modules[REGIONS].__dict__


@cache
def begin_of_region() -> CodeType:
    """The code of the function that starts a region."""
    code: CodeType = region_scope()["trace_region"].__code__
    return code


def under_handler(in_region: bool = False) -> bool:
    """Returns True if an exception raised here would meet a handler inside the traced function.

    With `in_region`, only handlers inside the innermost region count; where a region begins, that
    is the one around it.
    """
    root, end = root_scope(), region_scope() if in_region else None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals is end:
        frame = frame.f_back
    while frame is not None:
        scope, code = frame.f_globals, frame.f_code
        if scope is root or scope is end:
            return False
        if code.co_exceptiontable and not _is_ours(scope) and _is_covered(code, frame.f_lasti):
            return True
        frame = frame.f_back
    return False


def is_covered(frame: FrameType) -> bool:
    """Returns True if an exception raised in a frame of the user's would meet a handler in it."""
    code = frame.f_code
    return bool(code.co_exceptiontable) and _is_covered(code, frame.f_lasti)


def may_be_handled(location: Location | None) -> bool:
    """Returns True if an exception that is raised at a location of a trace may meet a handler of
    the user's, there or in one of the callers; some of these may not be known."""
    count = 0
    while location is not None:
        if not location.in_trace or _is_covered(location.code, location.instruction):
            return True
        location, count = location.caller, count + 1
    return not 0 < count < MAX_CALLERS


def _is_ours(scope: dict[str, Any]) -> bool:
    """Returns True for the globals of autograph's modules and of generated code."""
    return GENERATED in scope or scope.get("__name__", "").startswith("autograph.")


_transparent: WeakKeyDictionary[CodeType, set[int]] = WeakKeyDictionary()
"""The handlers of `with` blocks that let every exception pass, by their offsets."""


def lets_exceptions_pass(frame: FrameType) -> None:
    """Enters the `with` block that the frame is about to begin: it handles no exception."""
    if frame.f_code.co_code[frame.f_lasti] != _BEFORE_WITH:
        return  # an ExitStack or a decorator asks
    later = [(start, target) for start, _, target in entries(frame.f_code)
             if start > frame.f_lasti]
    if later:
        _transparent.setdefault(frame.f_code, set()).add(min(later)[1])


def _is_covered(code: CodeType, offset: int) -> bool:
    """Returns True if the exception table sends an exception here to a handler of the user's."""
    target = _handler(code, offset)
    while target is not None and target in _transparent.get(code, ()):
        again = _handler(code, target)  # what cleans up after it
        target = again if again is None else _handler(code, again)
    return target is not None and code.co_code[target] == _PUSH_EXC_INFO


def _handler(code: CodeType, offset: int) -> int | None:
    """Returns the offset at which Python goes on if an exception is raised at another."""
    return next((target for start, end, target in entries(code)
                 if start <= offset < end), None)


@by_code
def entries(code: CodeType) -> list[tuple[int, int, int]]:
    """(start, end, target) of the ranges in a code object's exception table (CPython's format)."""
    numbers = list(_numbers(code.co_exceptiontable))
    return [(start * 2, (start + length) * 2, target * 2) for start, length, target in zip(
        numbers[::4], numbers[1::4], numbers[2::4], strict=True)]


def _numbers(table: bytes) -> Iterator[int]:
    """The numbers of the table: six bits a byte, the seventh bit says that more follow."""
    value = 0
    for byte in table:
        value = value << 6 | byte & 63
        if not byte & 64:
            yield value
            value = 0
