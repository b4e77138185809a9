"""Functions of functions that are traced: what `ag.grad` and its kin are made of."""

from __future__ import annotations

import functools
import inspect
from cmath import isfinite
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from autograph.decorated import dispatcher_of
from autograph.function.call_key import Call, CallBinder
from autograph.function.dispatcher import Dispatcher
from autograph.function.options import Options
from autograph.function.types import Transformed
from autograph.runtime.control_flow.recursion import staged
from autograph.runtime.differentiate.recording import SHARED
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.errors import NotDifferentiable, TracingError, at, is_about_tensors
from autograph.runtime.ir.types import PyType
from autograph.runtime.signatures.binding import Bound, bind
from autograph.runtime.signatures.cache_keys import Key, Literal, Node
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import raised_at
from autograph.syntax import source
from autograph.syntax.errors import AutographError

Fn = Callable[..., Any]


def transformed(f: Fn, transform: Callable[[Fn], Fn], name: str, signed: bool = True
                ) -> Transformed[..., Any]:
    """Returns a function that is traced as `transform(f)`, with the parameters of f.

    Args:
      f: a function, decorated or not.
      transform: takes the converted f, and returns the function to trace.
      name: what stands before the name of f in the new function's name.
      signed: False if the new function has no `input_signature`, but a trace for each shape: its
        arguments are not those of f, or it needs their shapes. Calls of f are checked as ever.
    """
    inner = dispatcher_of(f)
    function = f if inner is None else inner.python_function
    options = Options(executor="tiered") if inner is None else inner.options
    earlier = inner.transform if isinstance(inner, _Dispatcher) else None
    if not signed and options.input_signature is not None:
        options, earlier = replace(options, input_signature=None), lambda fn: f
    dispatcher = _Dispatcher(function, options, transform if earlier is None else (
        lambda fn: transform(earlier(fn))))
    dispatcher.name = f"{name}_{dispatcher.name.strip('<>')}"
    entry: Any = dispatcher.make_entry_point()
    functools.update_wrapper(entry, function, assigned=("__module__", "__doc__"), updated=())
    entry.__name__ = entry.__qualname__ = dispatcher.name
    entry.__dict__["graph"] = lambda *args, **kwargs: _graph(dispatcher, args, kwargs)
    return entry  # type: ignore[no-any-return]


def _graph(dispatcher: Dispatcher, args: Any, kwargs: Any) -> Any:
    from autograph.function.inspection import Asked, graph
    stage = kwargs.pop("stage", "optimized")
    return graph(Asked(dispatcher, args, kwargs), stage)


def handler_of(function: Fn | None) -> str:
    """Returns the place of a function's first `try` or `with`, or that of its beginning."""
    if function is None:
        return ""
    try:
        found = source.find(inspect.unwrap(function))
    except (AutographError, AttributeError):
        return ""
    starts = [n.lineno for n in gast.walk(found.tree)
              if isinstance(n, (gast.Try, gast.TryStar, gast.With))]
    line = min(starts, default=found.tree.lineno)
    return f"\n  at {found.filename}:{line}, in {function.__name__}"


class _Dispatcher(Dispatcher):
    """A dispatcher whose traces are made of a transformed function."""

    def __init__(self, function: Fn, options: Options, transform: Callable[[Fn], Fn]) -> None:
        super().__init__(function, options)
        self.transform = transform
        self.binder.__class__ = _Binder
        tracer = self.tracer

        def run(*args: Any, **kwargs: Any) -> Any:
            if not trace.tracing():
                raise NotDifferentiable(
                    f"{self.name}: the function has a `try` or `with` around the line that raised, "
                    "which cannot be entered while its derivative is computed"
                    f"{handler_of(function)}\n"
                    "  hint: test for it with an `if`, or put the `try` around the call")
            return transform(staged(tracer.own))(*args, **kwargs)

        run.__wrapped__ = tracer.own  # type: ignore[attr-defined]
        run.only_traced = True  # type: ignore[attr-defined]
        tracer.transformed = run

    def find_or_make(self, arguments: dict[str, Any], once: bool = False, plain: bool = False
                     ) -> tuple[ConcreteFunction, Bound] | None:
        """Returns the trace for a call, and the bound call.

        Raises:
          NotDifferentiable: something that knows nothing of symbolic values refused one.
        """
        try:
            return super().find_or_make(arguments, once, plain)
        except Exception as error:
            if isinstance(error, TracingError) or not is_about_tensors(error):
                raise
            raise NotDifferentiable(
                f"{self.name}: {error}{at(raised_at(error))}\n  hint: a derivative is traced with "
                "symbolic values: keep them from this call, or attach a rule with "
                "ag.custom_vjp") from error

    def call(self, names: tuple[str, ...], *values: Any) -> Any:
        arguments = dict(zip(names, values, strict=True))
        if trace.tracing():
            return self.binder.invoke(self.tracer.converted, self.binder.fitted(arguments))
        found = self.find_or_make(arguments, once=True)
        if found is None:
            raise NotDifferentiable(f"{self.name}: the function cannot be traced once for all")
        refuse_other_memory(*found)
        return self.run(found, arguments)


def refuse_other_memory(concrete: ConcreteFunction, bound: Bound) -> None:
    """Refuses a call that no graph alone can run, as another one can where plain Python runs it.

    Raises:
      NotDifferentiable: arguments share memory, or it has effects that a handler may see undone.
    """
    if concrete.partition.never:
        raise NotDifferentiable(
            f"{concrete.name}: it has effects, and a `try` or `with` around what may raise\n"
            "  hint: put the `try` around the call")
    if not concrete.fits(bound):
        raise NotDifferentiable(SHARED.format(concrete.name, ""))


class _Binder(CallBinder):
    """Binds calls with Python's floats as symbolic numbers, so that one trace serves them all."""

    def bind(self, arguments: dict[str, Any]) -> Call:
        found = super().bind(arguments)
        if self.specs is not None:
            return found
        pattern = _general(found.bound.key)
        if pattern == found.bound.key:
            return found
        bound = bind(found.arguments, pattern, by_reference=self.by_reference)
        return Call(found.arguments, bound, found.outside, (bound.key, found.outside))


def _general(key: Key) -> Key:
    if isinstance(key, Literal) and key.cls in (float, complex) and (
            isfinite(complex(key.value))):
        return PyType(key.cls)  # infinity is an option: np.linalg.norm(x, np.inf)
    if isinstance(key, Node):
        return Node(key.kind, _general(key.parts)) if isinstance(key.parts, tuple) else key
    if type(key) is tuple:
        return tuple(map(_general, key))
    return key


_plain: dict[int, tuple[Fn, Fn]] = {}
MAX_FUNCTIONS = 512


def untransformed(f: Fn, any_types: bool = False) -> Fn:
    """Returns a function whose traces are those of f, with Python's floats as symbolic numbers;
    `any_types`: it has no warnings of the traces of a function that a user calls with arguments of
    any type."""
    found = _plain.get(id(f))
    if found is None or found[0] is not f:
        if len(_plain) >= MAX_FUNCTIONS:
            _plain.clear()
        found = _plain[id(f)] = f, transformed(f, _recorded, "vjp")
        if any_types:
            dispatcher_of(found[1]).tracer.history.expect_many()
    return found[1]


def _recorded(fn: Fn) -> Fn:
    def run(*args: Any, **kwargs: Any) -> Any:
        trace.note_recording()
        return fn(*args, **kwargs)

    return run


def find_trace(f: Fn, args: tuple[Any, ...]) -> tuple[ConcreteFunction, Bound]:
    """Returns the trace of a transformed function for a call, and the call bound to it."""
    dispatcher: _Dispatcher = dispatcher_of(f)
    try:
        given = inspect.Signature(dispatcher.parameters).bind(*args)
    except TypeError as error:
        raise TypeError(f"{dispatcher.qualified_name}(): {error}\n  hint: give what the function "
                        "takes: ag.grad(f)(x), ag.vjp(f, x)") from None
    given.apply_defaults()
    return dispatcher.find(dict(given.arguments))
