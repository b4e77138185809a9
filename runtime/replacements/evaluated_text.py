"""Text that `eval` or `exec` runs while a function is traced: no conversion sees what it does.

It runs at once if it only computes, by operators and by functions that do, and of nothing but local
variables. All else would be done when the trace is made, and not by each run, and is refused.
"""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dis import get_instructions
from functools import wraps
from types import BuiltinFunctionType, CodeType, FrameType, ModuleType
from typing import Any

import numpy as np

from autograph.extension_points import POINTS
from autograph.runtime.ir.code_answers import by_code
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.replacements.outside_world import names_in
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor

COMPUTING: tuple[Any, ...] = (
    abs, bool, complex, divmod, float, int, len, max, min, pow, range, round, sum, tuple)
"""Python's functions and classes that only compute."""

DOING = ("DELETE_", "IMPORT_", "LOAD_BUILD_CLASS", "GET_", "STORE_ATTR", "STORE_GLOBAL",
         "STORE_SLICE", "STORE_SUBSCR", "CALL_FUNCTION_EX")
"""The beginnings of the names of instructions that change something, or go through iterators."""


def of_text(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of `eval` or `exec`, which runs text in the frame of its caller."""

    @wraps(function, updated=())
    def replacement(source: Any, /, globals: Any = None, locals: Any = None, **more: Any) -> Any:
        frame = sys._getframe(1)
        known = frame.f_globals if globals is None else globals
        own = locals if locals is not None else (
            variables_of(frame) if globals is None else globals)
        if trace.tracing():
            _check(function, source, known, own)
        return function(source, known, own, **more)

    return replacement


def variables_of(frame: FrameType) -> dict[str, Any]:
    """Returns what `locals()` gives in a frame, without the name that a conversion adds: from
    Python 3.13 on, a copy."""
    found: dict[str, Any] = (
        frame.f_locals if sys.version_info < (3, 13) else dict(frame.f_locals))
    for name in frame.f_code.co_freevars:
        if found.get(name) is POINTS.operators():
            del found[name]
    return found


def _check(function: Callable[..., Any], source: Any, known: Any, own: Any) -> None:
    """Refuses text that may do more than compute."""
    code = source
    with suppress(SyntaxError, TypeError, ValueError):  # the function says it in Python's words
        if type(source) is not CodeType:
            text = source.lstrip(" \t") if isinstance(source, str) else source
            code = compile(text, "<string>", function.__name__)
    if type(code) is not CodeType or (found := _beyond_computing(code, known, own)) is None:
        return
    raise TracingError(
        f"the text that {function.__name__}() runs {found}: no conversion sees what it does"
        f"{at(user_location())}\n  hint: write the text as code of the function, or call "
        f"{function.__name__}() in a function that is called with ag.py_function")


def _beyond_computing(code: CodeType, known: Mapping[str, Any], own: Mapping[str, Any]
                      ) -> str | None:
    """Returns what code does besides computing, in words; None if that is all it does."""
    done = _instructions(code)
    if any(name.startswith(DOING) for name in done):
        return "may change something"
    calls = any(name.startswith("CALL") for name in done)
    for path in names_in(code)[0]:
        if not _is_value(path, known, own, calls):
            return f"uses {'.'.join(path)}"
    return None


def _is_value(path: tuple[str, ...], known: Mapping[str, Any], own: Mapping[str, Any],
              calls: bool) -> bool:
    """Returns True for a local variable, a constant of a module, and a function that computes.
    Where code calls something, a local variable or its method may be what it calls."""
    first, *rest = path
    is_own = first in own
    x = own[first] if is_own else known.get(first, vars(builtins).get(first))
    while rest and type(x) is ModuleType:
        x, is_own = vars(x).get(rest.pop(0)), False
    if type(x) in CONSTANTS or _computes(x):
        return True
    return is_own and not (calls and (rest or (callable(x) and not isinstance(x, Tensor))))


CONSTANTS = frozenset({int, float, complex, bool, str, type(None), ModuleType})


def _computes(x: Any) -> bool:
    return isinstance(x, np.ufunc) or any(x is f for f in COMPUTING) or (
        isinstance(x, type) and issubclass(x, np.generic)) or (
        type(x) is BuiltinFunctionType and x.__self__ is math)


@by_code
def _instructions(code: CodeType) -> frozenset[str]:
    """Returns the names of the instructions of code."""
    return frozenset(i.opname for i in get_instructions(code))
