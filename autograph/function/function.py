"""`ag.function`: convert, trace once per signature, then run the graph."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import WRAPPER_ASSIGNMENTS, partial
from types import FunctionType
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, get_overloads, overload

from autograph.conversion.plain_code import AS_WRITTEN
from autograph.decorated import note
from autograph.function.dispatcher import Dispatcher
from autograph.function.inspection import (
    Asked,
    compiler_ir,
    explain,
    graph,
    initialization_function,
    summary,
    to_jax,
    to_llvm,
    to_python,
)
from autograph.function.methods import as_method
from autograph.function.options import Options, check_kind
from autograph.function.types import Function
from autograph.own_attributes import held
from autograph.runtime.functions.execution import check_executor
from autograph.runtime.signatures import function_type
from autograph.runtime.signatures.spec import SignatureError, TensorSpec
from autograph.suggestions import nearest
from autograph.traceback_filter import hide, hiding_frames

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F")

Captures = Literal["freeze", "guard", "error"]
Effects = Literal["trace", "runtime"]
Executor = Literal["python", "interpreter", "native"]

DEPRECATED = {
    "experimental_relax_shapes": "reduce_retracing", "experimental_compile": "jit_compile",
    "experimental_follow_type_hints": "follow_type_hints", "experimental_autograph_options": "",
    "experimental_attributes": "attributes", "experimental_implements": "attributes",
}
"""Old spellings -> what is said now; nothing where it is always on."""


CONSTANTS = ("leave it out: Python numbers, strings and None are constants of the graph; pass "
             "other objects as they are")
INSTEAD = {
    "static_argnums": CONSTANTS, "static_argnames": CONSTANTS,
    "donate_argnums": "leave it out: memory is used again where nobody needs it",
    "nopython": "use jit_compile=True for machine code", "parallel": "leave it out: there is none",
    "cache": "set ag.config.cache_dir to a folder, or keep the function in a file with ag.save",
}
"""Options of JAX and Numba, and what to do here."""


class Decorator(Protocol):
    """The type of `@ag.function(…)`: it takes a function, or what `classmethod` and the like made.
    """

    @overload
    def __call__(self, func: Callable[P, R]) -> Function[P, R]: ...
    @overload
    def __call__(self, func: F) -> F: ...


@overload
def function(func: None = None, *, input_signature: Sequence[Any] | None = None,
             autograph: bool = True, reduce_retracing: bool = False,
             jit_compile: bool | None = None, captures: Captures | None = None,
             effects: Effects = "trace", atomic: bool = False, max_traces: int | None = 1000,
             count_calls: bool = False, follow_type_hints: bool = False,
             attributes: Mapping[str, Any] | None = None, executor: Executor = "python",
             fast_math: bool = False, strict: bool | None = None,
             verify: int | None = None) -> Decorator: ...
@overload
def function(func: Callable[P, R], *, input_signature: Sequence[Any] | None = None,
             autograph: bool = True, reduce_retracing: bool = False,
             jit_compile: bool | None = None, captures: Captures | None = None,
             effects: Effects = "trace", atomic: bool = False, max_traces: int | None = 1000,
             count_calls: bool = False, follow_type_hints: bool = False,
             attributes: Mapping[str, Any] | None = None, executor: Executor = "python",
             fast_math: bool = False, strict: bool | None = None,
             verify: int | None = None) -> Function[P, R]: ...
@overload
def function(func: F, *, input_signature: Sequence[Any] | None = None,
             autograph: bool = True, reduce_retracing: bool = False,
             jit_compile: bool | None = None, captures: Captures | None = None,
             effects: Effects = "trace", atomic: bool = False, max_traces: int | None = 1000,
             count_calls: bool = False, follow_type_hints: bool = False,
             attributes: Mapping[str, Any] | None = None, executor: Executor = "python",
             fast_math: bool = False, strict: bool | None = None,
             verify: int | None = None) -> F: ...
def function(func: Any = None, **options: Any) -> Any:
    """Compiles a function of NumPy arrays: `@ag.function`, `@ag.function(…)` or `ag.function(f)`.

    The first call with arguments of a new signature runs the function once on symbolic arrays and
    remembers the graph; later calls run the graph. Arrays, NumPy scalars and variables are symbolic
    (signature: dtype and shape), Python numbers and strings are constants (signature: type and
    value), other objects count by identity.

    Args:
      func: the function; left out when the decorator is given options.
      input_signature: a sequence of `TensorSpec`, one per parameter without a default: one trace
        serves all calls, others are refused.
      autograph: if False, `if`, `while`, `for` … on symbolic values are not converted.
      reduce_retracing: if True, a second signature that differs in dimensions or Python numbers
        only is traced for all of them.
      jit_compile: True for native code, or an error if it cannot be had. None: native code where it
        can be had, once the calls have taken as long as it takes to compile, if it is faster then.
        False: never.
      captures: what happens when a global, closure variable or attribute changes after a trace read
        it, or the numbers of an array of which the trace computed something alone. "freeze":
        nothing. "guard": a new trace. "error": CaptureError. None: "guard" for what is defined at a
        prompt or in a notebook, else "freeze".
      effects: "trace": Python's side effects happen while tracing. "runtime": what the function
        changes in closure variables, containers and attributes, every call changes.
      atomic: if True, a call that raises leaves variables and arguments as they were.
      max_traces: the number of traces to keep; the one that was not used for longest goes. None
        keeps all.
      count_calls: if True, `cache_info()` has the number of calls of each trace (calls take
        longer).
      follow_type_hints: if True, Python numbers for parameters annotated as `np.ndarray` or
        `ag.Tensor` are converted: one trace serves all of them.
      attributes: metadata, found at `f.attributes`.
      executor: "python" (generated Python) or "interpreter" (the reference, slow).
      fast_math: if True, the optimiser may compute what rounds differently: (x * 2) * 3 as x * 6,
        a @ b @ v as a @ (b @ v). Machine code adds up sums in any order, multiplies and adds with
        one rounding, and has functions of its own, off by at most two units in the last place.
        Without it results have the same bits.
      strict: if True, the graph raises every exception and gives every warning of the plain
        function. If False only what results and effects need is run, as in tf.function. None: as
        `ag.config.strict` says.
      verify: the number of calls of each signature that are also run as plain Python and compared
        (VerificationError if they differ). None: as `ag.config.verify` says.

    Returns:
      A function with the same parameters. It has `python_function`, `get_concrete_function`,
      `pretty_printed_concrete_signatures`, `graph`, `experimental_get_tracing_count`,
      `function_type`, `input_signature`, `cache_info` and `cache_clear`;
      `explain`, which reports what became of each line; and `to_python`, which writes a file
      that does the same with NumPy alone.

    Raises:
      ConversionError: the function cannot be converted (no source, a generator …).
      TypeError: the `input_signature` does not fit the parameters.

    >>> import numpy as np
    >>> @function
    ... def total(x):
    ...     s = 0.0
    ...     for v in x:
    ...         if v > 0:
    ...             s += v
    ...     return s
    >>> total(np.array([1.0, -2.0, 4.0]))
    np.float64(5.0)
    """
    options = _modern(options)
    try:
        for name in options:
            _check_option(name)
    except TypeError:
        hide()
        raise
    if func is None:
        return hiding_frames(lambda f: function(f, **options))
    if isinstance(func, (staticmethod, classmethod)):
        kind = _ClassMethod if type(func) is classmethod else type(func)
        return kind(function(func.__func__, **options))
    if isinstance(func, property):
        return property(function(func.fget, **options), func.fset, func.fdel, func.__doc__)
    attributes = dict(options.pop("attributes", None) or {})
    native = options.pop("jit_compile", None)
    try:
        check_kind("jit_compile", "bool | None", native)
        if native or "executor" not in options:
            options["executor"] = "native" if native else "tiered" if native is None else "python"
        check_executor(options["executor"])
        return as_method(_decorate(Dispatcher(func, Options(**options)), attributes))
    except BaseException:
        hide()
        raise


# What `help`, editors and the reference show: the options by name.
function.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
    p.replace(annotation=p.empty)
    for p in inspect.signature(get_overloads(function)[0]).parameters.values()])


def _check_option(name: str) -> None:
    """Raises a TypeError for an option that there is not."""
    known = [*(field.name for field in fields(Options)), "attributes", "jit_compile"]
    if name not in known:
        near = nearest(name, known)
        hint = INSTEAD.get(name) or (
            f"did you mean {near}?" if near else f"there are {', '.join(sorted(known))}")
        raise TypeError(f"ag.function has no option {name!r}\n  hint: {hint}")


class _ClassMethod(classmethod):  # type: ignore[type-arg]
    """Lets the function bind the class.

    From Python 3.13 on, `classmethod` does not ask the function; what it binds would have the
    function's attributes (`to_python`, `explain`) without the class.
    """

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        cls = type(instance) if owner is None else owner
        return self.__func__.__get__(cls, cls)


def _modern(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options under their names of today."""
    known = dict(options)
    for old in [name for name in options if name in DEPRECATED]:
        new = DEPRECATED[old]
        warnings.warn(f"{old} is deprecated: " + (f"use {new}" if new else "it is always on"),
                      DeprecationWarning, stacklevel=3)
        value = known.pop(old)
        if new == "attributes":
            known[new] = {**(known.get(new) or {}), old.removeprefix("experimental_"): value}
        elif new:
            known[new] = value
    return known


def _decorate(dispatcher: Dispatcher, attributes: dict[str, Any]) -> FunctionType:
    entry, python_function = dispatcher.make_entry_point(), dispatcher.python_function
    parameters = function_type.FunctionType.polymorphic(dispatcher.parameters)
    as_written = python_function if dispatcher.binder.takes_any else entry
    for name in WRAPPER_ASSIGNMENTS:
        if hasattr(python_function, name):
            setattr(entry, name, getattr(python_function, name))
    entry.__qualname__ = dispatcher.qualified_name
    entry.__dict__.update({**held(python_function, "__dict__", {}), **vars(entry)})
    note(entry, AS_WRITTEN, as_written)
    entry.__dict__.update({
        "__wrapped__": python_function,
        "python_function": python_function,
        "name": dispatcher.name,
        "attributes": attributes,
        "input_signature": dispatcher.options.input_signature and tuple(
            dispatcher.options.input_signature),
        "function_type": parameters,
        "function_spec": parameters,
        "cache_info": dispatcher.cache.info,
        "cache_clear": dispatcher.cache.clear,
        **{name: partial(tell, dispatcher) for name, tell in TELLERS.items()},
    })
    return entry


def _signatures(dispatcher: Dispatcher, verbose: bool) -> str:
    """The signatures of all traces, the oldest first."""
    return "\n".join(c.pretty_printed_signature(verbose) for c in dispatcher.traces.values())


_TELLERS: dict[str, Callable[..., Any]] = {
    "get_concrete_function": lambda d, /, *args, **kwargs: Asked(d, args, kwargs).trace(),
    "graph": lambda d, /, *args, stage="optimized", **kwargs: graph(Asked(d, args, kwargs), stage),
    "to_python": lambda d, /, *args, **kwargs: to_python(Asked(d, args, kwargs)),
    "to_llvm": lambda d, /, *args, **kwargs: to_llvm(Asked(d, args, kwargs)),
    "to_jax": lambda d, /, *args, **options: to_jax(Asked(d, args), **options),
    "get_initialization_function": lambda d, /, *args, **kwargs: initialization_function(
        d, args, kwargs),
    "experimental_get_compiler_ir": lambda d, /, *args, **kwargs: compiler_ir(d, args, kwargs),
    "experimental_get_tracing_count": lambda d, /: len(d.traces),
    "pretty_printed_concrete_signatures": lambda d, /, verbose=True: _signatures(d, verbose),
    "explain": lambda d, /, *args, **kwargs: explain(Asked(d, args, kwargs)),
    "_repr_html_": lambda d, /: summary(Asked(d)),
}
TELLERS = {name: hiding_frames(tell) for name, tell in _TELLERS.items()}
"""The functions at a decorated function that tell about it; they take its dispatcher first."""


__all__ = ["SignatureError", "TensorSpec", "function"]
