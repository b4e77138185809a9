"""Call frames: tells if Python unpacks, compares or subscripts a value at the moment."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable
from dis import opmap, opname
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_OPTIMIZED
from types import FrameType
from typing import Any

from autograph.runtime.ir.types import ArrayType, Type, class_name


def locals_of(frame: FrameType, names: Iterable[str] | None = None) -> dict[str, Any]:
    """Returns the local variables of a frame, or those of some names, of which the frame itself
    keeps nothing: before Python 3.13 it would keep what it hands out, and with it the exception
    whose traceback holds the frame. Where its code calls `locals` that is the program's own dict:
    none are returned."""
    if sys.version_info < (3, 13) and not KEEPING.isdisjoint(frame.f_code.co_names):
        return {}
    shown = frame.f_locals
    local = dict(shown) if names is None else {n: shown[n] for n in names if n in shown}
    if type(shown) is dict:
        shown.clear()
    return local


KEEPING = frozenset({"locals", "vars", "dir", "eval", "exec"})
"""Names of functions that look at the variables of their caller."""


def kept_as_it_is(frame: FrameType | None) -> str:
    """Returns what to do where the user's code that runs in a frame is not converted as it looks at
    its own variables, to which a conversion would add; nothing where that is not so."""
    while frame is not None and frame.f_code.co_name in COMPREHENSIONS:
        frame = frame.f_back
    if frame is None or not is_asked_by_user(frame):
        return ""
    code = frame.f_code
    inside = [c for c in code.co_consts if getattr(c, "co_name", "") in COMPREHENSIONS]
    named = {name for c in (code, *inside) for name in c.co_names}
    viewer = min(KEEPING & named, default="")
    if viewer == "locals" and _is_converted(frame) and "without_own_names" not in named:
        return ""
    return viewer and (f"{viewer}() looks at the variables of this function, which so stays as it "
                       "is: name them, or call it in a function of its own")


UNPACKING = frozenset({opmap["UNPACK_SEQUENCE"], opmap["UNPACK_EX"]})

COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
"""The names of code that may have a frame of its own inside a function."""


def unpack_count(frame: FrameType) -> int | None:
    """To how many variables the frame takes a value apart, as `a, b = x` does; None if it does
    something else."""
    code = frame.f_code.co_code
    if frame.f_lasti < 0 or code[frame.f_lasti] != opmap["UNPACK_SEQUENCE"]:
        return None
    return code[frame.f_lasti + 1]


def no_iterable(t: Type, frame: FrameType) -> TypeError:
    """Returns the error for a value that has no items, in the words of NumPy and of Python, which
    has others where the frame takes it apart, as `a, b = x` and `a, *b = x` do."""
    if isinstance(t, ArrayType) and not t.scalar:
        return TypeError("iteration over a 0-d array")
    if frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] in UNPACKING:
        return TypeError(f"cannot unpack non-iterable {class_name(t)} object")
    return TypeError(f"'{class_name(t)}' object is not iterable")


def is_subscript(frame: FrameType) -> bool:
    """Returns True if the frame looks up or stores an item."""
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] in SUBSCRIPTS


def is_operator(frame: FrameType) -> bool:
    """Returns True if the frame computes with an operator between two operands, as in `a + b`."""
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == opmap["BINARY_OP"]


def is_in_place(frame: FrameType) -> bool:
    """Returns True if the frame computes with an operator that may change its first operand, as in
    `a += b`."""
    return is_operator(frame) and frame.f_code.co_code[frame.f_lasti + 1] >= IN_PLACE


def is_class_pattern(frame: FrameType) -> bool:
    """Returns True if the frame matches a value with a pattern such as `Point(x)`."""
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == opmap["MATCH_CLASS"]


def is_exit_asked(frame: FrameType) -> bool:
    """Returns True if the frame asks what `__exit__` returned, as an exception leaves a `with`."""
    return frame.f_lasti >= 2 and (
        frame.f_code.co_code[frame.f_lasti - 2] == opmap["WITH_EXCEPT_START"])


def is_structural(frame: FrameType) -> bool:
    """Returns True if the frame unpacks a star, as in `[*x]`, `f(*x)` and `a, *b = x`, or compares,
    by itself or in a comparison method: that of a data class compares field by field."""
    code = frame.f_code
    return code.co_name in COMPARISONS or (
        frame.f_lasti >= 0 and code.co_code[frame.f_lasti] in STRUCTURAL)


def is_asked_by_user(frame: FrameType | None) -> bool:
    """Returns True if the innermost frame that is not ours runs code of the user's, not of a
    library."""
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    return frame is not None and not frame.f_code.co_filename.startswith(LIBRARIES)


def is_asked_by_others(frame: FrameType | None) -> bool:
    """Returns True if code that is not ours runs in a frame, or called what runs in it; a debugger
    does not count."""
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    return frame is not None and not is_debugging(frame)


def is_debugging(frame: FrameType | None) -> bool:
    """Returns True if a debugger called the code of a library that runs in a frame, or is it."""
    while frame is not None and frame.f_code.co_filename.startswith(LIBRARIES):
        if f"{frame.f_globals.get('__name__')}.".startswith(DEBUGGERS):
            return True
        frame = frame.f_back
    return False


def is_printed(frame: FrameType | None) -> bool:
    """Returns True if what a frame asks for, it asks for `print`, or for `ag.trace`."""
    while frame is not None and not _is_ours(frame):
        frame = frame.f_back
    return frame is not None and (_name(frame), frame.f_code.co_name) in PRINTING


PRINTING = (("autograph.staging.builtins", "_print"), ("autograph.syntax.verbosity", "trace"))


FOLLOWING = tuple(f"autograph.{name}." for name in (
    "runtime.heap", "runtime.control_flow", "runtime.functions", "staging", "function"))
"""The packages that follow what a traced function does to Python's objects."""


def is_about_state(frame: FrameType | None) -> bool:
    """Returns True if a refusal that is made in a frame comes from one of these packages: what was
    asked of a symbolic value, or of a trace, they asked themselves. Or a generator, a coroutine or
    the body of a class did: Python runs its statements while it is traced. Or `__hash__`: a set or
    dict of the trace has to know it. Or an operator of Python's own classes, as `%` of a text that
    is no literal. Or a library does, code in C that converted code calls, or a statement that the
    compiler left in it, as it jumps out of a `finally`: no line is left to convert. Or code stays
    as it is since it looks at its own variables."""
    while frame is not None and _name(frame).startswith(PASSING_ON):
        frame = frame.f_back
    return frame is not None and ((frame.f_code.co_filename.startswith(LIBRARIES)
                                   and _name(frame) != "contextlib")  # it runs blocks of ours
                                  or _name(frame).startswith(FOLLOWING)
                                  or _is_run_by_python(frame)
                                  or is_operator(frame)
                                  or _is_call_of_c(frame)
                                  or _is_left_test(frame)
                                  or bool(kept_as_it_is(frame))
                                  or _is_in_hash(frame))


def _is_run_by_python(frame: FrameType | None) -> bool:
    """Returns True for code that no compiler of ours sees: of a generator, a coroutine, the body of
    a class, or a text that `exec` is given; or of a comprehension in it."""
    while frame is not None:
        flags = frame.f_code.co_flags
        if flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR) or not flags & CO_OPTIMIZED:
            return True
        frame = frame.f_back if frame.f_code.co_name in COMPREHENSIONS else None
    return False


def _is_call_of_c(frame: FrameType) -> bool:
    """Returns True if converted code calls what asks, or puts or deletes an item, and no other code
    in Python lies between."""
    code = frame.f_code
    at = frame.f_lasti
    while at > 0 and code.co_code[at] == CACHE:  # which follows a call of a function in Python
        at -= 2
    while code.co_code[at] in CALLS and frame.f_code.co_name in COMPREHENSIONS and (
            frame.f_back is not None):
        frame = frame.f_back
    return code.co_code[at] in CALLS and _is_converted(frame)


def _is_left_test(frame: FrameType) -> bool:
    """Returns True if converted code itself asks if a value is true, for a jump."""
    return opname[frame.f_code.co_code[frame.f_lasti]].startswith(JUMPS) and _is_converted(frame)


JUMPS = ("POP_JUMP", "JUMP_IF", "TO_BOOL", "UNARY_NOT")
"""How the names of instructions begin that ask if a value is true."""


def _is_converted(frame: FrameType) -> bool:
    """Returns True if the frame runs code that the compiler made of the user's."""
    return any(getattr(x, "__name__", None) == "autograph"
               for x in locals_of(frame, frame.f_code.co_freevars).values())


def is_for_converted(frame: FrameType | None) -> bool:
    """Returns True if converted code runs in a frame, or called the library's code that does."""
    while frame is not None and (_is_ours(frame) or frame.f_code.co_filename.startswith(LIBRARIES)):
        frame = frame.f_back
    return frame is not None and _is_converted(frame)


def _is_in_hash(frame: FrameType | None) -> bool:
    """Returns True if the user's code that runs in a frame is called for a `__hash__`."""
    while frame is not None and not _is_ours(frame) and frame.f_code.co_name != "__hash__":
        frame = frame.f_back
    return frame is not None and frame.f_code.co_name == "__hash__"


PASSING_ON = tuple(f"autograph.{name}." for name in (
    "runtime.ir", "runtime.symbolic", "runtime.replacements", "operators"))
"""The packages that make refusals for others."""


def _name(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__") or "")


def is_caught_by_user(error: BaseException) -> bool:
    """Returns True if the frame that caught an error runs code of the user's."""
    if error.__traceback__ is None:
        return False
    frame = error.__traceback__.tb_frame
    return not _is_ours(frame) and is_asked_by_user(frame)


def _is_ours(frame: FrameType) -> bool:
    return GENERATED in frame.f_globals or frame.f_globals.get(
        "__name__", "").partition(".")[0] == "autograph"


def is_merging(frame: FrameType) -> bool:
    """Returns True if the frame unpacks a mapping, as in `f(**x)` and `{**x}`."""
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] in MERGING


IN_PLACE = 13
"""The argument of `BINARY_OP` for `+=`, the first of the operators that change in place."""

MERGING = frozenset(opmap[name] for name in ("DICT_MERGE", "DICT_UPDATE"))
COMPARISONS = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})
GENERATED = "__generated__"
"""Among the globals of code of ours that has the user's file name."""

DEBUGGERS = ("bdb.", "pdb.", "debugpy.", "pydevd", "_pydevd_")
"""Where the modules' names begin, each with a dot at its end, that make up a debugger."""

LIBRARIES = ("<frozen ", *{sysconfig.get_path(kind) for kind in (
    "stdlib", "platstdlib", "purelib", "platlib")})
"""How the file names of libraries begin."""

STRUCTURAL = frozenset(opmap[name] for name in (
    "LIST_EXTEND", "SET_UPDATE", "UNPACK_EX", "CALL_FUNCTION_EX", "COMPARE_OP"))
CACHE = opmap["CACHE"]
CALLS = frozenset(opmap[name] for name in (
    "CALL", "CALL_FUNCTION_EX", "STORE_SUBSCR", "DELETE_SUBSCR", "BUILD_SET", "SET_ADD",
    "SET_UPDATE", "BUILD_MAP", "MAP_ADD", "DICT_UPDATE", "DICT_MERGE") if name in opmap)
SUBSCRIPTS = frozenset(code for name, code in opmap.items()
                       if "SUBSCR" in name or name in ("BINARY_SLICE", "STORE_SLICE"))
