"""The state behind a decorated function: its traces, and the generated code that picks one."""

from __future__ import annotations

import builtins
import inspect
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from autograph import staging
from autograph.convert import convert
from autograph.operators import dispatch
from autograph.operators.frames import hide
from autograph.retracing import History
from autograph.runtime import trace
from autograph.runtime.binding import Bound, bind
from autograph.runtime.captured import Captured
from autograph.runtime.concrete import ConcreteFunction, trace_function
from autograph.runtime.guards import render
from autograph.runtime.keys import (
    ForeignArray,
    Key,
    Stateful,
    covers,
    identities,
    is_general,
    join_keys,
)
from autograph.runtime.spec import fit, specs_by_name
from autograph.runtime.types import ArrayType

T = TypeVar("T")

MAX_GUARDED = 8
"""So many signatures are tested for by generated guards; the others are looked up in a dict."""


EFFECTS = ("trace", "runtime")


@dataclass(frozen=True)
class Options:
    """What `ag.function` was given; its docstring says what they mean."""

    input_signature: Sequence[Any] | None = None
    autograph: bool = True
    reduce_retracing: bool = False
    captures: str = "freeze"
    effects: str = "trace"
    atomic: bool = False
    max_traces: int | None = None
    executor: str = "python"


class CacheInfo(NamedTuple):
    """How a function's traces came and went."""

    traces: int
    max_traces: int | None
    traced: int
    evicted: int


class Dispatcher:
    """The traces of one function. `entry` is the function object that the user gets."""

    living: weakref.WeakSet[Dispatcher] = weakref.WeakSet()
    eagerly = False

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        if options.effects not in EFFECTS:
            raise ValueError(
                f"effects must be one of {', '.join(EFFECTS)}, not {options.effects!r}")
        self.python_function = function
        self.options = options
        self.converted = convert(function) if options.autograph else function
        self.name = getattr(function, "__name__", type(function).__name__)
        self.parameters = list(inspect.signature(function).parameters.values())
        self.specs = None if options.input_signature is None else specs_by_name(
            options.input_signature, own_parameters(function, self.parameters,
                                                    options.input_signature))
        self.pattern = None if self.specs is None else bind(self.specs).key
        self.traces: dict[Key, ConcreteFunction] = {}
        self.general: list[Key] = []
        self.watched: dict[Key, list[weakref.ref[Any]]] = {}
        self.captured = Captured(self.python_function, options.captures)
        self.history = History(self.name)
        self.traced = self.evicted = 0
        self.lock = threading.RLock()
        self.entry = _entry_point(self)
        Dispatcher.living.add(self)

    # -- the slow path ----------------------------------------------------------------------------

    def call(self, arguments: dict[str, Any]) -> Any:
        """A call that no guard recognised: find the trace, or make it."""
        if trace.tracing():
            return self.invoke(self.converted, self.fitted(arguments))
        if Dispatcher.eagerly:
            return self.invoke(self.python_function, arguments)
        concrete, bound = self.find(arguments)
        if concrete.writes_arguments and overlap(bound):
            return self.invoke(self.converted, arguments)  # what a write does is seen as it happens
        return concrete.call(bound)

    def fitted(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments if self.specs is None else fit(arguments, self.specs)

    def find(self, arguments: dict[str, Any]) -> tuple[ConcreteFunction, Bound]:
        """The trace for a call, and the call as the trace wants it; made if there is none."""
        arguments = self.fitted(arguments)
        outside = self.captured.key(arguments)
        bound = self.bind(arguments)
        found = self.known(arguments, bound, outside)
        if found is None:
            with self.lock:
                found = self.known(arguments, bound, outside) or self.make(
                    arguments, bound, outside)
        else:
            self.history.note(False)
        return found

    def bind(self, arguments: dict[str, Any]) -> Bound:
        return bind(arguments, self.pattern)

    def known(self, arguments: dict[str, Any], bound: Bound, outside: Key
              ) -> tuple[ConcreteFunction, Bound] | None:
        exact = self.traces.get((bound.key, outside))
        if exact is not None:
            return exact, bound
        for key in self.general:
            if covers(key, (bound.key, outside)) and key in self.traces:
                return self.traces[key], bind(arguments, key[0])
        return None

    def make(self, arguments: dict[str, Any], bound: Bound, outside: Key
             ) -> tuple[ConcreteFunction, Bound]:
        """Trace; with `reduce_retracing`, for all calls between this one and one seen before."""
        if self.options.reduce_retracing and self.specs is None:
            bound = self.generalised(arguments, bound)
        with dispatch.activate(staging.BACKEND):
            concrete = trace_function(
                self.converted, self.name, bound, self.invoke, self.options.executor,
                self.parameters, self.options.atomic, self.options.effects)
        others = [c.bound for c in self.traces.values()]
        self.traced += 1
        self.keep((bound.key, outside), concrete)
        self.history.trace(concrete.bound, others)
        return concrete, bound

    def generalised(self, arguments: dict[str, Any], bound: Bound) -> Bound:
        for known, _ in reversed(self.traces):
            joined = join_keys(known, bound.key)
            if joined is not None:
                return bind(arguments, joined)
        return bound

    def keep(self, key: Key, concrete: ConcreteFunction) -> None:
        """Enter a trace; the oldest goes if there are too many, and it goes with the objects it is
        for."""
        self.traces[key] = concrete
        if is_general(key):
            self.general.append(key)
        self.watched[key] = [
            weakref.ref(x, lambda _: self.forget_dead(key)) for x in
            (i.reference() for i in identities(key) if isinstance(i.reference, weakref.ref))
            if x is not None]
        limit = self.options.max_traces
        while limit is not None and len(self.traces) > limit:
            self.drop(next(iter(self.traces)))
        self.refresh()

    def drop(self, key: Key) -> None:
        self.evicted += self.traces.pop(key, None) is not None
        self.watched.pop(key, None)
        if key in self.general:
            self.general.remove(key)

    def forget_dead(self, key: Key) -> None:
        """An object that a trace was for is gone: no call can mean that trace again."""
        with self.lock:
            self.drop(key)
            self.refresh()

    def clear(self) -> None:
        """Forget every trace."""
        with self.lock:
            for key in list(self.traces):
                self.drop(key)
            self.refresh()

    def info(self) -> CacheInfo:
        return CacheInfo(len(self.traces), self.options.max_traces, self.traced, self.evicted)

    def invoke(self, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Call with arguments given by parameter name."""
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for p in self.parameters:
            value = arguments[p.name]
            if p.kind is p.VAR_POSITIONAL:
                positional.extend(value)
            elif p.kind is p.VAR_KEYWORD:
                keywords.update(value)
            elif p.kind is p.KEYWORD_ONLY:
                keywords[p.name] = value
            else:
                positional.append(value)
        return function(*positional, **keywords)

    # -- the fast path ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Generate the entry point's code again, with guards for the newest signatures.

        The code holds all it needs, so a thread that still runs the code before is not disturbed.
        """
        self.entry.__code__ = _guarded_code(self)

    def watched_hit(self) -> None:
        """A call that a guard recognised, soon after a trace was made; later ones are not
        counted."""
        self.history.note(False)
        if not self.history.watching:
            with self.lock:
                self.refresh()


def own_parameters(function: Callable[..., Any], parameters: list[inspect.Parameter],
                   signature: Sequence[Any]) -> list[inspect.Parameter]:
    """The parameters that an `input_signature` is for: all but the instance of a method.

    A function is a method if it is defined in a class body, and the signature has one spec fewer
    than it needs.
    """
    outer = getattr(function, "__qualname__", "").rpartition(".")[0]
    in_class = bool(outer) and not outer.endswith("<locals>")
    needed = [p for p in parameters if p.default is p.empty and p.kind in (
        p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    bare = type(function) is FunctionType
    return parameters[1:] if in_class and bare and len(signature) < len(needed) else parameters


def overlap(bound: Bound) -> bool:
    """Whether two of the arrays share memory without being one."""
    arrays = [leaf.value for leaf in bound.leaves if isinstance(leaf.value, np.ndarray)]
    return any(np.may_share_memory(a, b) for i, a in enumerate(arrays) for b in arrays[i + 1:])


def _parameter_list(parameters: list[inspect.Parameter]) -> str:
    """The parameters as source; defaults are set on the function object afterwards."""
    bare = [p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else None)
            for p in parameters]
    return str(inspect.Signature(bare))[1:-1]


class _Constants:
    """Objects in generated code, as constants of its code object: `(c := MARK)` until they are
    in."""

    def __init__(self, parameters: list[inspect.Parameter]) -> None:
        self.marks: dict[Any, Any] = {}
        self.local = "c"
        while any(p.name == self.local for p in parameters):
            self.local += "_"

    def __call__(self, thing: Any) -> str:
        mark = f"\0constant {len(self.marks)}"
        self.marks[mark] = thing
        return f"({self.local} := {mark!r})"

    def put_into(self, code: CodeType) -> CodeType:
        return code.replace(co_consts=tuple(
            self.marks.get(x, x) if type(x) is str else x for x in code.co_consts))


def _guarded_code(dispatcher: Dispatcher) -> CodeType:
    name = _Constants(dispatcher.parameters)
    inside = ", ".join(f"{p.name!r}: {p.name}" for p in dispatcher.parameters)
    lines = [f"def entry({_parameter_list(dispatcher.parameters)}):", "    try:",
             *_cases(dispatcher, name), f"        return {name(dispatcher.call)}({{{inside}}})",
             "    except BaseException:", f"        {name(hide)}()", "        raise"]
    module = compile("\n".join(lines) + "\n", f"<dispatch of {dispatcher.name}>", "exec")
    code = next(c for c in module.co_consts if isinstance(c, CodeType))
    return name.put_into(code).replace(co_name=dispatcher.name)


def _cases(dispatcher: Dispatcher, name: Callable[[Any], str]) -> Iterator[str]:
    """`if GUARDS: return RUN(LEAVES)` for the newest signatures, the newest first."""
    if Dispatcher.eagerly or not dispatcher.captured.is_frozen:
        return
    for concrete in reversed(list(dispatcher.traces.values())[-MAX_GUARDED:]):
        guards = concrete.bound.guards
        if guards is None:
            continue
        tests = [render(guard, name) for guard in guards] + list(_distinct(concrete, name))
        yield f"        if {' and '.join(tests) or 'True'}:"
        if dispatcher.history.watching:
            yield f"            {name(dispatcher.watched_hit)}()"
        yield f"            return {name(concrete.run)}({', '.join(concrete.paths)})"


def _distinct(concrete: ConcreteFunction, name: Callable[[Any], str]) -> Iterator[str]:
    """If the graph writes arguments, those that were different objects must be so again."""
    if concrete.writes_arguments:
        arrays = [leaf.path for leaf in concrete.bound.leaves if _is_array(leaf.type)]
        for a, b in _pairs(arrays):
            yield f"not {name(np.may_share_memory)}({a}, {b})"
    variables = [x.path for x in concrete.bound.leaves if isinstance(x.type, Stateful)]
    for a, b in _pairs(variables):
        yield f"{a} is not {b}"
    changed = {number for number, _ in concrete.program.refill}
    for (i, (a, _)), (j, (b, _)) in _pairs(list(enumerate(concrete.bound.containers))):
        if i in changed or j in changed:
            yield f"{a} is not {b}"


def _is_array(t: Any) -> bool:
    return isinstance(t, ForeignArray) or (isinstance(t, ArrayType) and not t.scalar)


def _pairs(xs: list[T]) -> list[tuple[T, T]]:
    return [(a, b) for i, a in enumerate(xs) for b in xs[i + 1:]]


def _entry_point(dispatcher: Dispatcher) -> FunctionType:
    """The function object that the user gets; its code is swapped when there is a new trace."""
    scope = {"__builtins__": builtins, "__name__": "autograph.dispatch"}
    entry = FunctionType(_guarded_code(dispatcher), scope, dispatcher.name)
    defaults = [p.default for p in dispatcher.parameters
                if p.default is not p.empty and p.kind is not p.KEYWORD_ONLY]
    entry.__defaults__ = tuple(defaults) or None
    entry.__kwdefaults__ = {p.name: p.default for p in dispatcher.parameters
                            if p.kind is p.KEYWORD_ONLY and p.default is not p.empty}
    return entry
