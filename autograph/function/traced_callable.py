"""The callable that `ag.function` is given: its parameters, and the function that is traced."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from autograph.conversion.convert import callee, convert, traced_form
from autograph.own_attributes import class_has, held
from autograph.runtime.api.python_calls import py_function
from autograph.runtime.symbolic.tensor import Tensor


def converted(function: Any) -> Callable[..., Any]:
    """Returns the function that is traced for a callable; a method of an array is called when the
    graph runs.
    """
    if isinstance(held(function, "__self__"), (np.ndarray, np.generic)):
        return py_function(function)  # type: ignore[no-any-return]
    refusing = is_written_in_python(function) or not callable(function)
    made: Callable[..., Any] = (traced_form if refusing else callee)(function)
    return made


def runnable(function: Any) -> Callable[..., Any]:
    """Returns the function that runs where the graph of such a callable cannot be used: as it was
    written, but while a trace is being made, converted."""
    made: Callable[..., Any] = convert(function)
    return made


def is_written_in_python(function: Any) -> bool:
    """Returns True if a callable has parameters with names and code that can be converted.

    >>> is_written_in_python(np.sin), is_written_in_python(max), is_written_in_python(lambda x: x)
    (False, False, True)
    """
    if isinstance(function, functools.partial):
        return is_written_in_python(function.func)
    if isinstance(function, MethodType):
        return is_written_in_python(function.__func__)
    if isinstance(function, type):
        return type(function.__init__) is FunctionType  # type: ignore[misc]
    return type(function) is FunctionType or type(type(function).__call__) is FunctionType


def names_of(function: Any) -> tuple[str, str]:
    """Returns the name and the qualified name of a callable: those of its function for a partial;
    an object is called by the name of its class, and Python's messages say its `__call__`.

    >>> names_of(functools.partial(functools.partial(max, 1), 2)), names_of({}.get)
    (('max', 'max'), ('get', 'dict.get'))
    """
    while isinstance(function, functools.partial):
        function = function.func
    name = held(function, "__name__")
    if name is not None:
        return name, held(function, "__qualname__", name)
    cls = type(function)
    return cls.__name__, held(held(cls, "__call__"), "__qualname__", cls.__name__)


def definition_of(function: Callable[..., Any]) -> tuple[str, int] | None:
    """Returns the file and the first line of a callable that is written in Python, else None."""
    function = inspect.unwrap(held(function, "__func__", function))
    code = held(function, "__code__")
    return None if code is None else (code.co_filename, code.co_firstlineno)


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Returns a callable's parameters; what is written in C (a ufunc, a builtin) takes any.

    Those of a wrapper are its own: it sees which arguments are given by position.
    """
    if is_written_in_python(function):
        bound = class_has(type(function), "__ag_bound__")  # a method: its instance is given
        return list(inspect.signature(function, follow_wrapped=bound).parameters.values())
    return list(inspect.signature(lambda *args, **kwargs: None).parameters.values())


def own_parameters(function: Callable[..., Any], parameters: list[inspect.Parameter],
                   signature: Sequence[Any]) -> list[inspect.Parameter]:
    """The parameters that an `input_signature` is for: all but the instance of a method.

    A function is a method if it is defined in a class body, and the signature has one spec fewer
    than it needs.
    """
    outer = held(function, "__qualname__", "").rpartition(".")[0]
    in_class = bool(outer) and not outer.endswith("<locals>")
    needed = [p for p in parameters if p.default is p.empty and p.kind in (
        p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    bare = type(function) is FunctionType
    return parameters[1:] if in_class and bare and len(signature) < len(needed) else parameters


def hinted_arrays(function: Callable[..., Any]) -> frozenset[str]:
    """The parameters that are annotated as arrays."""
    try:
        parameters = inspect.signature(function, eval_str=True).parameters.values()
    except (NameError, TypeError, SyntaxError):
        parameters = inspect.signature(function).parameters.values()
    return frozenset(p.name for p in parameters
                     if p.annotation in (np.ndarray, Tensor, "np.ndarray", "ag.Tensor"))
