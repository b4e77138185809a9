"""Which functions of Python's library change the state of the process: limits, handlers of signals
and of the exit, registries of classes and codecs, filters of warnings.

No location of the heap holds such state, and much of it is looked at without a call (`isinstance`
asks the registry of an abstract class). So a call has to happen where plain Python makes it, or not
at all: where the graph decides if it is made, and in functions whose effects are the run's, it is
refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dis import get_instructions
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from itertools import pairwise
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph.libraries import is_python
from autograph.own_attributes import held, named_like
from autograph.runtime.ir.code_answers import by_code
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.replacements.outside_world import names_in
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location

Fn = Callable[..., Any]

REGISTRIES = frozenset({"atexit", "_signal", "faulthandler", "_tracemalloc", "readline"})
"""Modules in C all of whose functions change the process, but those that tell something."""

GETTERS = ("get", "is_", "default_", "_ncallbacks", "strsignal", "valid_")
"""How the names of these begin."""

CHANGING = ("set", "register", "unregister", "_abc_register", "add", "field_size_limit",
            "_filters_mutated", "_clear", "_reset")
"""How the names of functions of other modules in C begin that change the process."""

COMPUTING = ("_operator", "audioop", "builtins")
"""Modules in C with such names that compute, or change their arguments."""

OF_NUMPY: tuple[Any, ...] = (np.setbufsize, np.seterrcall)
"""Functions of NumPy that change the process."""


def changes_process(f: Any) -> bool:
    """Returns True for a function of Python's library, or a method of a class of it, that changes
    the state of the process.

    A function that returns nothing is called for what it changes.

    >>> import numbers, sys
    >>> changes_process(sys.setrecursionlimit), changes_process(numbers.Number.register)
    (True, True)
    >>> changes_process(sys.getrecursionlimit), changes_process(sys.intern)
    (False, False)
    """
    if type(f) is BuiltinFunctionType:
        return _changes_in_c(f)
    if type(f) is MethodType and isinstance(f.__self__, type):
        f = f.__func__
    if type(f) is not FunctionType or not is_python(f.__globals__.get("__name__")):
        return any(f is g for g in OF_NUMPY)
    is_method = "." in f.__qualname__
    return (not is_method and _returns_nothing(f.__code__)) or any(map(_changes_in_c, _named_in(f)))


def _changes_in_c(f: Any) -> bool:
    if type(f) is not BuiltinFunctionType or type(f.__self__) is not ModuleType:
        return False
    module = f.__self__.__name__
    if not is_python(module) or module in COMPUTING:
        return False
    return not f.__name__.startswith(GETTERS) if module in REGISTRIES else (
        f.__name__.startswith(CHANGING))


def _named_in(f: FunctionType) -> Iterator[Any]:
    """Yields the global variables that code names, and their attributes that it reads at once."""
    for name, *rest in names_in(f.__code__)[0]:
        x = f.__globals__.get(name)
        yield x
        for attribute in rest if type(x) is ModuleType else ():
            yield (x := vars(x).get(attribute))
            if type(x) is not ModuleType:
                break


@by_code
def _returns_nothing(code: CodeType) -> bool:
    """Returns True for the code of a function that can return None alone."""
    if code.co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR):
        return False
    steps = [i for i in get_instructions(code) if i.opname not in ("EXTENDED_ARG", "CACHE")]
    found = [one.opname == "LOAD_CONST" and one.argval is None and not then.is_jump_target
             for one, then in pairwise(steps) if then.opname == "RETURN_VALUE"]
    found += [i.argval is None for i in steps if i.opname == "RETURN_CONST"]
    return bool(found) and all(found)


VALUES = (int, float, str, bytes)
"""Classes of what a function tells of the process."""


def takes_nothing(function: Any) -> bool:
    """Returns True for a function of a module that has no parameters, and does not look at the
    frame that calls it.

    >>> import sys
    >>> takes_nothing(sys.getrecursionlimit), takes_nothing(np.getbufsize), takes_nothing(len)
    (True, True, False)
    """
    if type(function) is not FunctionType:
        return bool(held(function, "__text_signature__") == "($module, /)")
    code = function.__code__
    return "." not in function.__qualname__ and "_getframe" not in code.co_names and not (
        code.co_argcount or code.co_kwonlyargcount or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS))


def where_python_calls_it(function: Fn) -> Fn:
    """Returns the replacement of a function that changes the process."""
    of_warnings = held(function, "__module__") == "warnings"

    @named_like(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        here = trace.current_region()
        if here is not None and not (of_warnings and here.filters is not warnings.filters) and (
                here.parent is not None or here.trace.mode.effects_at_run_time):
            raise TracingError(
                f"{held(function, '__name__', 'a function')}() of Python's library changes the "
                "state of the process, and is called where the graph decides if or how often"
                f"{at(user_location())}\n  hint: call it outside the traced function",
                about_state=True)
        return function(*args, **kwargs)

    return replacement
