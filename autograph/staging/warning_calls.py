"""`warnings.warn` in converted code: it counts the user's frames, and warns when the graph runs."""

from __future__ import annotations

import sys
import warnings
from functools import wraps
from types import FrameType
from typing import Any

from autograph.conversion.conversion_rules import is_block, is_generated, original_of
from autograph.runtime.ir.exception_tables import ROOT
from autograph.runtime.ir.types import PyType
from autograph.runtime.ops.op import Op
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import is_own
from autograph.runtime.symbolic.tensor import apply

BLOCKS = ("if_true", "if_false", "loop_body", "loop_test", "<lambda>")
"""How the names of the functions begin that conversion makes of the blocks of a function, where it
prints text; those that it compiles are named as the function."""


OPERATORS = "autograph.operators"
"""The package of the functions that call such blocks."""


class WarningLine:
    """The file, line, module and registry of warnings that a warning names."""

    __slots__ = ("filename", "line", "module", "registry")

    def __init__(self, filename: str, line: int, scope: dict[str, Any]) -> None:
        self.filename, self.line = filename, line
        self.module = scope.get("__name__") or "<string>"
        self.registry = scope.setdefault("__warningregistry__", {})

    def __repr__(self) -> str:
        return f"{self.filename}:{self.line}"


def user_frames(frame: FrameType | None) -> Any:
    """Yields the frame of each function of the user's on the stack, the innermost first, and None
    where those of the trace end. Of a converted function it is the frame of the block that runs."""
    inner: FrameType | None = None
    while frame is not None:
        if frame.f_globals.get("__name__") == ROOT:
            yield None
        elif not is_own(frame):
            code = frame.f_code
            block = is_block(code) or (code.co_name.startswith(BLOCKS) and _is_block(frame))
            inner = inner or frame
            if not block:
                yield inner
                inner = None
        frame = frame.f_back


def _is_block(frame: FrameType) -> bool:
    """Returns True for a block that conversion made; of printed text, one that we call."""
    code, caller = frame.f_code, frame.f_back
    if is_generated(code):
        return original_of(code) is None
    return code.co_name != "<lambda>" and caller is not None and is_own(caller) and (
        caller.f_globals.get("__package__") == OPERATORS)


def _line_of(frame: FrameType) -> WarningLine:
    return WarningLine(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)


def _found(level: int, skipped: tuple[str, ...], frame: FrameType | None) -> tuple[int, Any]:
    """Returns 0 and the where that a warning names; or, where that is among the callers of the
    traced function, how many levels are left, and None."""
    for found in user_frames(frame):
        if found is None:
            return level, None
        if skipped and found.f_code.co_filename.startswith(skipped):
            continue
        level -= 1
        if level <= 0:
            return 0, _line_of(found)
    return 0, WarningLine("sys", 1, vars(sys))


def _give(message: Any, category: Any, left: int, where: WarningLine | None, source: Any,
          skipped: tuple[str, ...]) -> None:
    if where is None:
        _, where = _found(left, skipped, sys._getframe(1))
    assert where is not None  # the stack of a run has no trace in it
    warnings.warn_explicit(message, category, where.filename, where.line, where.module,
                           where.registry, None, source)


WARN = Op("warnings.warn", _give, lambda *args: PyType(type(None)), "", (), onnx=None,
          effect="print", doc="`warnings.warn`, at a line of the user's")


class CaughtWarning(Warning):
    """Ends a run of the graph: a block of the function's that catches warnings gets one."""


def _give_up(message: Any, *_: Any) -> None:
    raise CaughtWarning(message)


WARN_IN_BLOCK = Op("warnings.warn in a block", _give_up, lambda *args: PyType(type(None)), "", (),
                   onnx=None, effect="raise",
                   doc="`warnings.warn` in a block that catches warnings: plain Python runs it")


@wraps(warnings.warn, updated=())
def _warn(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, *,
          skip_file_prefixes: tuple[str, ...] = ()) -> None:
    """Warn as Python does; in a trace, when the graph runs. In a block that catches warnings, which
    Python entered in this region, the warning is given at once: it is the block's."""
    if isinstance(message, Warning):
        category = type(message)
    elif category is None:
        category = UserWarning
    if not (isinstance(category, type) and issubclass(category, Warning)):
        warnings.warn(message, category, stacklevel=1)  # raises, in Python's words
    if skip_file_prefixes:
        stacklevel = max(2, stacklevel)
    left, where = _found(max(stacklevel, 1), skip_file_prefixes, sys._getframe(1))
    given = message, category, left, where, source, skip_file_prefixes
    here = trace.current_region()
    if here is None or here.filters is not warnings.filters:
        _give(*given)
    else:
        apply(WARN_IN_BLOCK if here.catches_warnings else WARN, *given)


WARNING_CALLS: dict[Any, Any] = {warnings.warn: _warn}
"""Function of `warnings` -> its replacement."""
