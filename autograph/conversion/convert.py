"""Converts callables as the rules decide, and remembers what they become: `ag.convert`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any, TypeVar, overload

import numpy as np

from autograph.conversion import driver
from autograph.conversion.callees import with_defaults_of, without_defaults
from autograph.conversion.code_cache import (
    LOCK,
    is_as_resolved,
    joined_function,
    loaded_function,
    operators,
    push_form,
    unconverted,
)
from autograph.conversion.conversion_rules import (
    REPLACEMENTS,
    Request,
    Rule,
    class_method,
    enter_late_replacements,
    family_of,
    is_generated,
    is_generator,
    is_joined,
    library_replacement,
    mark_do_not_convert,
    method_replacement,
    original_of,
    outside_replacement,
    rule_of,
)
from autograph.conversion.functions_in_c import is_of_module_in_c
from autograph.conversion.plain_code import (
    may_run_code,
    stands_for,
    undecorated,
)
from autograph.decorated import dispatcher_of, functions_in, python_function_of
from autograph.extension_points import POINTS
from autograph.libraries import is_of_closed_library, is_of_library, open_library
from autograph.operators.containers import new_container
from autograph.operators.dispatch import PlainCall, active, is_plain_run, note_replacement
from autograph.own_attributes import held
from autograph.syntax import verbosity
from autograph.syntax.errors import Span, UnsupportedFunctionError
from autograph.traceback_filter import hide, hiding_frames
from autograph.weak_id_dict import IdentityDict

F = TypeVar("F", bound=Callable[..., Any])

_MISSING: Any = object()
_AS_IS: Any = object()
_NO_CONVERSION = (None, None, None)
_KEY, _ASKED_KEY = "__ag_converted__", "__ag_asked__"
"""The attributes of a function with a closure or defaults that hold what the tables below hold for
others. Both may be in a cycle: a table would keep them alive."""

_conversions: IdentityDict[Any] = IdentityDict()
"""A callable -> its converted form, or _AS_IS."""

_asked: IdentityDict[Any] = IdentityDict()
"""A callable -> what a user who asks for its conversion gets, or _AS_IS."""

_left: IdentityDict[bool] = IdentityDict()
"""Callables that converted code calls as they are, but that the user may ask to convert."""

_known = _conversions.values

WRITTEN = (FunctionType, MethodType, BuiltinMethodType, type)
"""Types of callables whose calls may be made as they were written."""


@overload
def convert(f: F, *, recursive: bool = True) -> F: ...
@overload
def convert(*, recursive: bool = True) -> Callable[[F], F]: ...
def convert(f: Any = _MISSING, *, recursive: bool = True) -> Any:
    """Returns the function with its `if`, `while`, `for` … ready to be staged; for plain values it
    is the same.

    Used as a decorator or as a call. Where no trace is being made the function runs as it was
    written, at its own speed; `ag.config.plain = False` makes it run converted there too.

    Args:
      f: a function, method, class or other callable.
      recursive: if False, the functions that `f` calls are not converted.

    Returns:
      The converted function; a callable of the kind of `f`.

    Raises:
      ConversionError: there is no source, or the function cannot be converted.

    >>> @convert
    ... def collatz_step(n):
    ...     return n // 2 if n % 2 == 0 else 3 * n + 1
    >>> collatz_step(6), collatz_step(7)
    (3, 22)
    """
    if f is _MISSING:
        return partial(convert, recursive=recursive)
    try:
        return _convert_asked(f, recursive, is_plain_run())
    except BaseException:
        hide()
        raise


def traced_form(f: Any) -> Any:
    """Returns the function that a trace runs for a callable that the user asks to be traced: the
    converted form alone, since nobody calls it where no trace is being made."""
    return _convert_asked(f, True, False)


@overload
def converted(f: F) -> F: ...
@overload
def converted(f: Any) -> Any: ...
def converted(f: Any) -> Any:
    """Returns what converted code calls in place of `f`: its converted form, if it is the user's
    Python.

    Generated code asks this about every callee. What cannot be converted, or need not be, is
    returned as it is; `conversion_rules.py` has the table.

    Args:
      f: any callable.

    Returns:
      A callable that takes the same arguments.

    >>> converted(len) is len, converted(sorted) is sorted
    (False, False)
    >>> converted("text".upper)()
    'TEXT'
    """
    found = called_form(f)
    tracing = active()
    if tracing is None or type(f) not in WRITTEN or not may_run_code(f, found):
        return found
    return PlainCall(tracing, undecorated(f), found)


def called_form(f: Any) -> Any:
    """Returns what is called in place of `f`, whatever it is given: as `converted`, but for calls
    that could be made as they were written."""
    found = _known.get(id(f))
    if found is not None:
        return _called_now(f, f if found is _AS_IS else _fresh(f, found))
    try:
        replacement = _conversion_of(f)
        return _called_now(f, callee(f) if replacement is None else replacement)
    except BaseException:
        hide()
        raise


def callback(f: Any) -> Any:
    """Returns what a builtin calls in place of `f`: what converted code calls; objects that a class
    of the user's makes are marked as new, as converted code does it."""
    made = called_form(f)
    if not isinstance(f, type) or is_of_library(f):
        return made

    def called(*args: Any, **kwargs: Any) -> Any:
        return new_container(made(*args, **kwargs))

    stands_for(called, f)
    return called


def _called_now(f: Any, found: Any) -> Any:
    """Returns what is called at the moment in place of a function, given its converted form."""
    if POINTS.recursions:
        found = POINTS.stage_call(found)
    tracing = active()
    as_written = found is f or (isinstance(f, type) and f not in REPLACEMENTS) or (
        type(found) in (FunctionType, MethodType) and found.__code__ is held(f, "__code__"))
    if tracing is not None and (closed := tracing.closed(f, as_written)) is not None:
        return closed
    return found


def _remembered(f: Any) -> Any:
    """Returns the conversion of a callable if it was converted before, or `_AS_IS`; else None."""
    known = _known.get(id(f))
    return _conversion_of(f) if known is None else _fresh(f, known)


def _conversion_of(f: Any) -> Any:
    """Returns the conversion of a bound method or closure, if its function was converted before."""
    if type(f) is MethodType:
        replacement = _known.get(id(f.__func__))
        if replacement is None or replacement is _AS_IS:
            return None if replacement is None or _is_of_its_owner(f) else f
        return MethodType(_fresh(f.__func__, replacement), f.__self__)
    return _of_closure(f, _KEY)


def _is_of_its_owner(f: Any) -> bool:
    """Returns True for a method that has a replacement because of its object: that its function
    stays as it is for an object of another class says nothing about it."""
    return f in REPLACEMENTS or is_of_closed_library(f) or any(find(f) is not None for find in (
        outside_replacement, family_of, library_replacement, method_replacement, class_method))


def _of_closure(f: Any, key: str) -> Any:
    """Returns what a closure holds under a key, if it is about this very closure."""
    if type(f) is FunctionType:
        code, closure, replacement = f.__dict__.get(key, _NO_CONVERSION)
        if code is f.__code__ and closure is f.__closure__:  # not copied here by functools.wraps
            return _fresh(f, replacement)
    return None


def _fresh(f: Any, known: Any) -> Any:
    """Returns the conversion of a function, with the code and the defaults that it has now, and
    with what the names in it stand for now."""
    if type(known) is not FunctionType or type(f) is not FunctionType:
        return known
    if not is_as_resolved(known):
        _conversions.discard(f)
        return callee(f)
    other_code = active() is not None and original_of(known.__code__) is not f.__code__
    if not other_code and known.__defaults__ is f.__defaults__ and (
            known.__kwdefaults__ is f.__kwdefaults__):
        return known
    original = original_of(known.__code__)
    if original is f.__code__:
        if active() is not None:
            return with_defaults_of(known, f)  # what they hold is the trace's
        known.__defaults__, known.__kwdefaults__ = f.__defaults__, f.__kwdefaults__
    elif original is not None:
        _conversions.discard(f)
        return callee(f)
    return known


def callee(f: Any) -> Any:
    """Returns what converted code calls in place of a callable; refuses nothing."""
    enter_late_replacements()
    if f in _left:
        return f
    kind = type(f)
    if kind is BuiltinMethodType and ((type(f.__self__) is str and active() is None) or not (
            _is_of_its_owner(f) or (active() and is_of_module_in_c(f)))):
        return f
    if kind is MethodType and f.__func__ in _left and not _is_of_its_owner(f):
        return f
    if kind is FunctionType and is_generated(f.__code__) and not (
            is_generator(f) or is_joined(f.__code__)):
        return f
    if kind is MethodType and active() is None and type(f.__func__) is FunctionType and (
            is_generated(f.__func__.__code__) and not is_generator(f.__func__)
            and not is_joined(f.__func__.__code__)):
        return f  # of a class in a package that is imported converted
    return _apply_rules(f)


def _convert_part(f: Any, recursive: bool = True) -> Any:
    """Converts a part of a callable: the function of a method, of a partial …"""
    replacement = _remembered(f) if recursive else None
    if replacement is None:
        return callee(f) if recursive else _apply_rules(f, recursive)
    return f if replacement is _AS_IS else replacement


def _convert_asked(f: Any, recursive: bool, joins: bool) -> Any:
    """Converts what the user asks for; one that `joins` runs as it was written if nothing traces.
    """
    _refuse(f)  # also if it was remembered: a call from converted code may have done that
    replacement = None
    if recursive and joins:
        replacement = _asked.get(f) or _of_closure(f, _ASKED_KEY)
    elif recursive:
        replacement = _remembered(f)
    if replacement is None:
        return _apply_rules(f, recursive, True, joins)
    return f if replacement is _AS_IS else replacement


def _apply_rules(f: Any, recursive: bool = True, asked: bool = False, joins: bool = False) -> Any:
    """Applies the rules; `asked`: the user asks for this very callable."""
    rule = rule_of(f)
    if rule.action is None:
        verbosity.log(verbosity.CONVERSIONS, "left as it is: %s: %s", _shown(f), rule.reason)
        _remember(f, _AS_IS, rule)
        return f
    part = partial(_convert_asked, recursive=recursive, joins=joins) if asked else partial(
        _convert_part, recursive=recursive)
    load = partial(joined_function if joins else loaded_function, recursive=recursive)
    with LOCK:
        result = rule.action(f, Request(part, load, asked, push_form, _staged_call))
        if type(result) is FunctionType and not is_generated(result.__code__):
            stands_for(result, f)
        if recursive:
            _remember(f, _AS_IS if result is f else result, rule, joins)
    return result


def _staged_call(f: Any) -> Any:
    """Returns what is called at the moment in place of a converted function."""
    return POINTS.stage_call(f) if POINTS.recursions else f


def _refuse(f: Any) -> None:
    """Refuses a callable that the user asks for and that can't be converted; opens its library."""
    if isinstance(f, FunctionType) and open_library(f):
        _left.clear()
    if (rule := rule_of(f)).way_out:
        raise _refusal(f, rule)


def _refusal(f: Any, rule: Rule) -> UnsupportedFunctionError:
    code = held(f, "__code__")
    span = Span.of_code(code) if code is not None else None
    message = f"{_shown(f)} cannot be converted: {rule.reason}"
    return UnsupportedFunctionError(message, span, rule.way_out or NO_SOURCE)


def _shown(f: Any) -> str:
    """Returns a callable's name, or that of its class: a user's `__repr__` may do anything."""
    if type(f) in (bool, int, float, complex, str, bytes):
        return repr(f)
    return held(f, "__qualname__") or f"the {type(f).__name__} object"


NO_SOURCE = "it needs no conversion; give a function that is written in Python"
"""The way out for callables that have no source of the user's."""

REMEMBERED = ("function", "function without a file", "library of values", "generator", "joined")
"""The names of rules whose results are remembered."""


def _remember(f: Any, result: Any, rule: Rule, joins: bool = False) -> None:
    """Remembers converted functions, and callables that stay; the rest is made again each time."""
    if rule.name == "closed library":
        return  # the user may open it
    if result is not _AS_IS:
        if active() is not None and type(result) is FunctionType is type(f) and (
                original_of(result.__code__) is f.__code__):
            result = without_defaults(result)  # what they hold may be the trace's
        if type(f) is FunctionType and rule.name != "replacement" and (
                f.__closure__ or f.__defaults__ or f.__kwdefaults__):
            key = _ASKED_KEY if joins else _KEY
            f.__dict__[key] = (f.__code__, f.__closure__, result)
        elif rule.name == "replacement" or (rule.name in REMEMBERED and (
                type(f) is FunctionType or (isinstance(f, type) and is_of_library(f)))):
            _put(f, result, _asked if joins else _conversions)
    elif isinstance(f, np.ufunc):
        _left.put_for_good(f, True)  # takes no weak reference
    elif not joins:
        to_ask = rule.way_out or rule.name in ("library function", "function without a file")
        _put(f, True if to_ask else _AS_IS, _left if to_ask else _conversions)


def _put(f: Any, result: Any, table: IdentityDict[Any]) -> None:
    with suppress(TypeError):  # takes no weak reference
        table.put(f, result)


def _forget(f: Any) -> None:
    for table in (_conversions, _asked):
        table.discard(f)


@overload
def do_not_convert(f: F) -> F: ...
@overload
def do_not_convert(f: None = None) -> Callable[[F], F]: ...
@hiding_frames
def do_not_convert(f: Any = None) -> Any:
    """Makes converted code call a function, method or class as it is.

    Used as `@do_not_convert`, `@do_not_convert()` or a call.

    Args:
      f: the callable; without it, the result is a decorator.

    Returns:
      The same object.

    >>> @do_not_convert
    ... def log(x):
    ...     print("logged", x)
    >>> convert(convert(lambda x: log(x)))(1)
    logged 1
    """
    if f is None:
        return do_not_convert
    for function in functions_in(f):
        if not callable(function):
            raise TypeError(f"ag.do_not_convert takes a function, not {function!r}\n"
                            "  hint: write @ag.do_not_convert above its `def`")
        mark_do_not_convert(function)
        _forget(function)
    return f


@hiding_frames
def register_replacement(original: Callable[..., Any], staged: Callable[..., Any]) -> None:
    """Makes converted code call another function in place of a library function.

    From then on functions of `ag.convert` run converted also where no trace is being made.

    Args:
      original: the function as programs call it.
      staged: takes the same arguments, of which some may be symbolic.

    >>> import colorsys
    >>> register_replacement(colorsys.rgb_to_yiq, lambda r, g, b: "replaced")
    >>> convert(lambda x: colorsys.rgb_to_yiq(x, x, x))(0.5)
    'replaced'
    >>> REPLACEMENTS.discard(colorsys.rgb_to_yiq)
    """
    for given in (original, staged):
        if not callable(given):
            raise TypeError(f"a function and what is called in its place are needed, not {given!r}"
                            "\n  hint: write ag.register_replacement(np.sin, f)")
    enter_replacement(original, staged)
    note_replacement()


def enter_replacement(original: Callable[..., Any], staged: Callable[..., Any]) -> None:
    """Enters a replacement that does the same for plain values; see `register_replacement`."""
    REPLACEMENTS.put_for_good(original, staged)
    _forget(original)


def to_code(f: Callable[..., Any], *, recursive: bool = True) -> str:
    """Returns the source of a function as it is after conversion.

    Args:
      f: a function, or what `ag.function`, a method or a partial wraps around one.
      recursive: True to convert the functions that `f` calls as well.

    Returns:
      Python source, without the decorators of the function.

    Raises:
      ConversionError: there is no source, or the function cannot be converted.

    >>> def sign(x):
    ...     return 1 if x > 0 else -1
    >>> print(to_code(sign), end="")
    def sign(x):
        return ag.cond(x > 0, lambda: 1, lambda: -1)
    """
    try:
        function = plain_function(f)
        if (rule := rule_of(function)).way_out:
            raise _refusal(function, rule)
        with LOCK:
            return driver.text_of(driver.rewrite(function, operators(), recursive))
    except BaseException:
        hide()
        raise


def _no_function(f: Any) -> UnsupportedFunctionError:
    """Returns the error for what has no source as a function: a class has methods, a text and a
    module are for the command."""
    if isinstance(f, type) and any(type(getattr(x, "__func__", getattr(
            x, "fget", x))) is FunctionType for x in vars(f).values()):
        return UnsupportedFunctionError(
            f"{f.__qualname__} is a class, which is converted method by method", None,
            f"give a method, {f.__name__}.name; the command to_code "
            f"{f.__module__}:{f.__qualname__} prints the class")
    if isinstance(f, (str, ModuleType)):
        return UnsupportedFunctionError(
            f"a {type(f).__name__} is no function", None,
            "the command prints texts and files: to_code -c CODE, to_code FILE.py")
    return _refusal(f, rule_of(f))


def plain_function(f: Any) -> FunctionType:
    """Returns the user's function inside `ag.function`, a method, a partial or a property."""
    while type(f) is not FunctionType or dispatcher_of(f) is not None:
        inner = python_function_of(f) if type(f) is FunctionType else next((getattr(
            f, name) for name in ("python_function", "__func__", "func", "fget")
            if hasattr(f, name)), None)
        if inner is None:
            raise _no_function(f)
        f = inner
    return unconverted(f)
