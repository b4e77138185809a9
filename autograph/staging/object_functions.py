"""Functions that look into an object, and classes of `enum`, while a function is traced.

Of an object that a branch selected, the function is asked about each; of one that only the run
knows, when the graph runs.
"""

from __future__ import annotations

import builtins
import csv
import io
import operator
import sys
from collections.abc import Callable
from contextvars import copy_context
from enum import Enum, EnumMeta, Flag
from functools import wraps
from typing import Any

import numpy as np

from autograph.operators.checks import getitem, raise_
from autograph.operators.control_flow import cond
from autograph.operators.logical import in_
from autograph.operators.strings import formatted
from autograph.own_attributes import defines
from autograph.runtime.heap.hidden_state import check_given
from autograph.runtime.heap.iterators import Cursor, read_at_run_time
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.types import ArrayType, PyType, is_number
from autograph.runtime.ops import pure
from autograph.runtime.ops.elementwise import PYTHON_OPERATORS
from autograph.runtime.replacements.closed_libraries import closed, told_by_the_run
from autograph.runtime.replacements.evaluated_text import of_text, variables_of
from autograph.runtime.replacements.functions import symbolic
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.attributes import known_names, names_in
from autograph.staging.generators import Generated, is_symbolic

Fn = Callable[..., Any]


def of_object(function: Fn) -> Fn:
    """Returns the replacement of a function whose first argument is an object of any class."""
    when_run = closed(function)

    @wraps(function, updated=())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is SelectedObject:
            return args[0].each(lambda one: replacement(one, *args[1:], **kwargs))
        of_run = bool(args) and isinstance(args[0], Tensor)
        return (when_run if of_run else function)(*args, **kwargs)

    return replacement


def of_arguments(function: Fn) -> Fn:
    """Returns the replacement of a function, or class, written in C: the graph calls it if an
    argument is symbolic, or something in one. Numbers compute what Python's sign for an operator
    says, as `*` for `operator.mul`."""
    when_run, told = closed(function), told_by_the_run(function)
    is_operator = any(function is x.kernel for x in PYTHON_OPERATORS)

    @wraps(function, updated=())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if symbolic(args, kwargs) and not (is_operator and all(map(_is_operand, args))):
            return when_run(*args, **kwargs)
        check_given(function.__name__, (args, kwargs))
        return (function if args or kwargs else told)(*args, **kwargs)

    return replacement


def _is_operand(x: Any) -> bool:
    """Returns True for a number or an array, symbolic or not."""
    if not isinstance(x, Tensor):
        return isinstance(x, (int, float, complex, np.generic, np.ndarray))
    return isinstance(x.type, ArrayType) or (isinstance(x.type, PyType) and is_number(x.type))


_vars_of_object = of_object(lambda x: known_names(builtins.vars(x), x))
_dir_of_object = of_object(names_in)


@wraps(builtins.vars, updated=())
def _vars(*args: Any) -> Any:
    return _vars_of_object(*args) if args else variables_of(sys._getframe(1))


@wraps(builtins.dir, updated=())
def _dir(*args: Any) -> Any:
    return _dir_of_object(*args) if args else sorted(variables_of(sys._getframe(1)))


@wraps(builtins.globals, updated=())
def _globals() -> Any:
    if trace.tracing():
        raise TracingError(
            f"globals() is called, through which any variable may be changed{at(user_location())}\n"
            "  hint: name the variable, or keep the values in a dict")
    return sys._getframe(1).f_globals


STREAM_FUNCTIONS = (csv.writer, csv.reader, csv.DictWriter, csv.DictReader)

@wraps(operator.length_hint)
def _length_hint(x: Any, default: int = 0) -> int:
    """Refuses an iterator of the trace: how far the run has read it, only that knows."""
    if trace.tracing() and (is_symbolic(x) or isinstance(x, (Generated, Cursor))
                            or (defines(type(x), "__next__") and read_at_run_time(x))):
        raise TracingError(
            f"the length hint of an iterator{at(user_location())}\n"
            "  hint: ask for the length of what it iterates over", about_state=True)
    return operator.length_hint(x, default)


OBJECT_FUNCTIONS: dict[Fn, Fn] = {
    operator.length_hint: _length_hint,
    **{f: of_arguments(f) for f in (builtins.compile, builtins.__import__)},
    builtins.eval: of_text(builtins.eval), builtins.exec: of_text(builtins.exec),
    builtins.vars: _vars, builtins.dir: _dir, builtins.globals: _globals,
    copy_context: lambda: closed(copy_context)() if trace.tracing() else copy_context(),
    object.__new__: of_object(object.__new__), **{f: of_arguments(f) for f in STREAM_FUNCTIONS}}
"""Python's function -> its replacement."""

STREAM_WRITERS: tuple[type, ...] = (type(csv.writer(io.StringIO())), csv.DictWriter)
"""Classes of objects that write to a stream."""

OBJECT_MODULES = ("dataclasses",)
"""Modules whose functions look into objects of any class."""


MISSING: Any = Enum._missing_
FLAGS: Any = Flag._missing_


def member_of(cls: Any) -> Fn:
    """Returns what converted code calls in place of an `Enum`: `Color(value)` picks a member. That
    of flags may be a union of members, which the run makes."""
    by_value, missing = cls._value2member_map_, cls._missing_.__func__
    has_others = missing not in (MISSING.__func__, FLAGS.__func__)

    @wraps(cls, updated=())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if kwargs or has_others or len(args) != 1 or not isinstance(args[0], Tensor):
            return cls(*args, **kwargs)
        (value,) = args
        if missing is FLAGS.__func__:
            return apply(pure(cls), value)
        return cond(in_(value, tuple(by_value)), lambda: getitem(by_value, value), lambda: raise_(
            ValueError(formatted("{!r} is not a valid {}", value, cls.__qualname__))))

    return replacement


ENUM_FAMILY: dict[type, Callable[[Any], Fn]] = {EnumMeta: member_of}
"""The class of enumerations -> what makes the replacement of one."""
