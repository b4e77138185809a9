"""The tracer: makes the trace for a call, in attempts with more or fewer inputs."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from inspect import getattr_static
from typing import TYPE_CHECKING, Any

import autograph.staging.assembly  # noqa: F401  # a trace needs the runtime's half
from autograph.conversion import special_methods
from autograph.conversion.code_cache import is_as_resolved
from autograph.conversion.convert import called_form
from autograph.decorated import python_function_of
from autograph.function.call_key import Call, CallBinder
from autograph.function.options import Options
from autograph.function.retracing import (
    COMPARED,
    MAX_STATE_TRACES,
    History,
    log_trace,
    warn_of_many,
    warn_of_plain,
)
from autograph.function.trace_cache import TraceCache
from autograph.function.traced_callable import converted, is_written_in_python, runnable
from autograph.libraries import package_of
from autograph.locks import cached_property
from autograph.operators import dispatch
from autograph.runtime.disk.cache import SWITCH
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.persistent_state import PersistentState, array_locations
from autograph.runtime.functions.rollback import clear_calls, is_undone_completely
from autograph.runtime.functions.trace_function import FunctionToTrace, trace_function
from autograph.runtime.functions.unseen_changes import Found
from autograph.runtime.ir.cyclic_containers import refused_cycles
from autograph.runtime.ir.errors import (
    EndlessError,
    FallbackWarning,
    GraphError,
    TracingError,
    at,
    is_about_tensors,
)
from autograph.runtime.ir.trace_signals import RetraceInFull, RetraceWithInputs
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.signatures.cache_keys import Key, is_alike
from autograph.runtime.signatures.spec import value_like
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import AllocationSites
from autograph.runtime.symbolic.record import limited_time
from autograph.runtime.symbolic.source_locations import raised_at
from autograph.runtime.symbolic.trace import POSITIONS
from autograph.runtime.symbolic.trace_mode import TraceMode
from autograph.staging import objects, tensors

if TYPE_CHECKING:
    from autograph.function.disk_traces import DiskTraces

MAX_ASKED = 8
"""How often a trace may ask for the same inputs."""

MOST_ASKED = 64
"""How often it may ask for inputs at all: what it asks for may be another object each time."""

RAISED = 2
"""After so many traces that raise, a call like those runs without one, until such a call returns.
"""


REFUSED = "call that function through ag.py_function, or pass the value as a Python constant"


class Tracer:
    """Makes the traces of one function.

    transformed  what is traced in place of the converted function: a derivative.
    raised   the number of traces that raised, by the key of the arguments.
    refused  by the key, what refused a symbolic value in the last of them. Plain Python raises with
             the class of the real value, or returns.
    abandoned  True after a trace was given up, until what it leaves is collected.
    learned    the last trace's base and mode: a trace for a call like it begins in that mode.
    positions  of the iterators outside, before the traces for the last call.
    """

    def __init__(self, function: Callable[..., Any], name: str, options: Options,
                 binder: CallBinder, cache: TraceCache, history: History) -> None:
        self.function = function
        self._own: Callable[..., Any] = converted(function) if options.autograph else function
        self.transformed: Callable[..., Any] | None = None
        self._plain: Callable[..., Any] | None = None
        self.name = name
        self.options = options
        self.binder = binder
        self.cache = cache
        self.history = history
        self.raised: Counter[Key] = Counter()
        self.refused: dict[Key, str] = {}
        self.abandoned = False
        self.learned: tuple[Key, TraceMode] | None = None
        self.positions: list[Any] = []

    @cached_property
    def on_disk(self) -> DiskTraces:
        """The traces on disk, which are loaded only where there is a cache."""
        from autograph.function.disk_traces import DiskTraces
        return DiskTraces(self)

    @property
    def own(self) -> Callable[..., Any]:
        """The converted function, as the names in it are bound now."""
        if self.options.autograph and not is_as_resolved(self._own):
            self._own = converted(self.function)
        return self._own

    @property
    def converted(self) -> Callable[..., Any]:
        """The function that is traced."""
        return self.own if self.transformed is None else self.transformed

    @property
    def is_own(self) -> bool:
        """True if what is traced is what the compiler makes of the function: no derivative."""
        return self.transformed is None and self.options.autograph

    @property
    def plain(self) -> Callable[..., Any]:
        """The function that runs where a graph cannot be used."""
        if not self.is_own or not is_written_in_python(self.function):
            return self.converted
        self._plain = self._plain or runnable(self.function)
        return self._plain

    def bind(self, arguments: dict[str, Any]) -> Call:
        """Returns a call with these arguments, and with the persistent state known so far."""
        with refused_cycles(raised_at):
            call = self.binder.bind(arguments)
            return call.with_state(self.cache.state_of(call.base))

    def make(self, call: Call, once: bool, plain: bool = False
             ) -> tuple[ConcreteFunction, Bound] | None:
        """Returns a new trace for a call, and the call bound as the trace wants it.

        `once`: a trace that is good for this call only will do. The result is None if too many of
        those were made, if a loop or the trace comes to no end, or, where the call may be `plain`,
        if no trace can follow what the function does.
        """
        began, self.positions = time.thread_time(), []
        if once and (self.has_given_up(call.base) or self.raised[call.base] >= RAISED):
            return None
        try:
            with refused_cycles(raised_at), limited_time(
                    partial(self._is_undone, call) if plain else None):
                concrete, bound = self._make(call, once)
            if concrete.reads and concrete.fits(bound):
                concrete.read_outside()
            trace.let_out(concrete.program.printed)
            return concrete, bound
        except Exception as error:
            may_be_plain = once if isinstance(error, EndlessError) else plain
            if may_be_plain and self._is_left_to_python(call, error, once):
                clear_calls(error)
                self.abandoned = True
                self.history.note_unused(time.thread_time() - began)
                return None
            trace.let_out(vars(error).pop("__ag_printed__", ""))
            if not (is_about_tensors(error) or package_of(type(error).__module__) == "autograph"):
                self._note_raised(call.base)  # the function did, and so will plain Python
            raise

    def let_go(self) -> None:
        """Collects what a trace that was given up leaves: plain Python lets objects go at once."""
        if self.abandoned:
            self.abandoned = False
            gc.collect(1)

    def _is_left_to_python(self, call: Call, error: Exception, once: bool) -> bool:
        """Warns, and returns True: a call runs as plain Python since no trace can follow it, and so
        do those like it; False if warnings of that are errors. Where something refused a symbolic
        value, plain Python may do so, too: the warning waits until it returns."""
        again = None if isinstance(error, EndlessError) else partial(self._fail_again, call, once)
        if not (is_about_tensors(error) or getattr(error, "about_state", False)) or (
                not self._is_undone(call, again)):
            return False
        if not isinstance(error, TracingError):
            self.refused[call.base] = f"{error}{at(raised_at(error))}\n  hint: {REFUSED}"
            self._note_raised(call.base)
            return True
        try:
            warn_of_plain(self.name, error)
        except FallbackWarning:
            return False
        self._give_up(call.base)
        return True

    def _is_undone(self, call: Call, trace_again: Callable[[], object] | None = None) -> bool:
        return is_undone_completely(
            self.converted, tuple(call.arguments.values()), trace_again, self.positions)

    def _fail_again(self, call: Call, once: bool) -> None:
        """Makes a trace again that failed: it does all that it did before."""
        with suppress(Exception), refused_cycles(raised_at):
            self._make(call, once)

    def note_returned(self, arguments: dict[str, Any]) -> None:
        """Notes that a call returned that ran without a trace: the next one is traced again."""
        if self.raised:
            base = self.bind(arguments).base
            self.raised.pop(base, None)
            if (refused := self.refused.pop(base, None)) is not None:
                self._give_up(base)
                warn_of_plain(self.name, refused)

    def has_given_up(self, base: Key) -> bool:
        """Returns True if calls with such arguments run as plain Python from now on."""
        return self.cache.state_traces[base] >= MAX_STATE_TRACES

    def _give_up(self, base: Key) -> None:
        """Has calls with such arguments run as plain Python from now on."""
        self.cache.state_traces[base] = MAX_STATE_TRACES

    def _note_raised(self, base: Key) -> None:
        """Notes a trace that raised: no later call uses it."""
        self.raised[base] += 1
        self.cache.state_traces[base] += 1

    def _make(self, call: Call, once: bool) -> tuple[ConcreteFunction, Bound]:
        """Traces until the persistent state that a trace finds is the one that it was made with."""
        while True:
            if self.options.reduce_retracing and self.binder.specs is None:
                call = replace(call, bound=self.cache.generalised(call))
            concrete, call, seconds = self._found_or_traced(call, once)
            self.cache.made += 1
            concrete.found_state = partial(self._found_outside, call.base)
            if concrete.program.raises:
                self._note_raised(call.base)
                concrete.returned = partial(self._give_up, call.base)
                return concrete, call.bound  # of no use to a later call
            concrete.reason = self.history.trace(
                concrete.bound, self.cache.newest(COMPARED), seconds)
            log_trace(concrete, seconds)
            state = self._state_after(call, concrete).with_shared(
                list(self.cache.known_states()), concrete.reached)
            if state == (call.state or PersistentState()):
                self.cache.enter(call, concrete)
                return concrete, call.bound
            self._set_state(call.base, state)
            if once:  # the trace captured what the state was: it is good for this call only
                return concrete, call.bound
            call = call.with_state(state)

    def _found_or_traced(self, call: Call, once: bool) -> tuple[ConcreteFunction, Call, float]:
        """Returns the trace for a call, from the disk if it is there; the call it is for; and the
        seconds that it took, in processor time."""
        began = time.thread_time()
        on_disk = self.on_disk if once and SWITCH.entries is not None else None
        key = on_disk and on_disk.key(call)
        found = on_disk.find(key, call) if on_disk and key else None
        concrete, made = (found, call) if found is not None else self.trace(call)
        seconds = time.thread_time() - began
        if on_disk and key and found is None and made is call:
            on_disk.keep(key, concrete, seconds)
        return concrete, made, seconds

    def _state_after(self, call: Call, concrete: ConcreteFunction) -> PersistentState:
        """Returns the persistent state, with what a trace found, and without what was guessed for
        nothing; warns of too many traces."""
        known = call.state or PersistentState()
        if call.base not in self.cache.states:
            known = known.reached_by(concrete.reached)
        state = known.with_locations(concrete.new_state)
        counts = self.cache.state_traces
        if state.locations:
            counts[call.base] += 1
        if counts[call.base] == MAX_STATE_TRACES:
            warn_of_many(self.name, state)
        return state

    def _found_outside(self, base: Key, found: Found) -> None:
        """Makes what plain Python changed, in place of a graph, an input of the next trace."""
        with self.cache.lock:
            known = self.cache.states.get(base) or PersistentState()
            state = known.with_locations(found)
            if state != known:
                self._set_state(base, state)
                self.cache.observer.changed()

    def _set_state(self, base: Key, state: PersistentState) -> None:
        """Makes persistent state an input of the traces with a base, and what of it others could
        read an input of those."""
        self.cache.set_state(base, state)
        self.cache.share(base, state)
        self.binder.captured.inputs.update(x.identity for x in state.locations)

    def trace(self, call: Call) -> tuple[ConcreteFunction, Call]:
        """Traces a call in the first way that succeeds; returns the trace, and the call it is for.

        Raises:
          TracingError: that of the first way, if none succeeds.
        """
        refusal: TracingError | None = None
        cursors: dict[int, Any] = {}
        try:
            for way in self._ways(call):
                try:
                    concrete, made = self._trace_with_inputs(way, cursors)
                except TracingError as error:
                    if refusal is None and isinstance(error, EndlessError):
                        raise
                    refusal = refusal or error
                    continue
                if made.state is not None and made.state != call.state:
                    self._set_state(made.base, made.state)
                return concrete, made
            assert refusal is not None
            raise refusal
        finally:
            self.positions = self.positions or cursors.get(POSITIONS, [])
            del refusal  # its traceback refers to this frame

    def _ways(self, call: Call) -> Iterator[Call]:
        """Yields a call as it is, then without a state that is but a guess, with arrays outside as
        inputs, or with constant numbers."""
        yield call
        if call.state is not None and call.base not in self.cache.states:
            call = self.binder.bind(call.given)
            yield call
        if call.state is None and (
                found := array_locations(self.converted, call.bound.nest)):
            yield call.with_state(PersistentState().with_locations(found))
        if call.state is not None and not call.state.exact:
            yield call.with_state(replace(call.state, exact=True))

    def _trace_with_inputs(self, call: Call, cursors: dict[int, Any]
                           ) -> tuple[ConcreteFunction, Call]:
        """Traces a call, and binds it anew as often as more containers have to be inputs."""
        first, by_reference = call, self.binder.by_reference
        mode = learned = self._learned(call)
        asked: list[Any] = []
        while True:
            try:
                concrete = self._trace_once(call, mode, cursors)
            except RetraceInFull:
                mode, self.binder.by_reference = self._in_full_mode(), by_reference
                call, learned = first, None
            except (TracingError, GraphError) as error:
                if learned is None or isinstance(error, EndlessError):
                    raise
                call, mode, learned = first, None, None
            except RetraceWithInputs as need:
                clear_calls(need)
                mode, sites = need.mode, need.mode.sites
                self.binder.by_reference |= sites.arguments
                state = (call.state or PersistentState()).with_locations(
                    dict.fromkeys(need.locations, False)).with_by_reference(sites.locations)
                call = self.binder.bind(call.given).with_state(
                    state if state.locations else None)
                asked.append((self.binder.by_reference, state, sites))
                if asked.count(asked[-1]) > MAX_ASKED or len(asked) > MOST_ASKED:
                    raise TracingError(
                        f"{self.name} asks for the same inputs again and again: it reaches a list "
                        "or object in ways that exclude each other\n  hint: pass it by one way, or "
                        "leave the function to Python with @ag.do_not_convert") from None
            else:
                if concrete.mode is not None:
                    self.learned = call.base, concrete.mode
                return concrete, call

    def _learned(self, call: Call) -> TraceMode | None:
        """Returns the mode that the last trace came to, if it serves for this call: a trace that
        begins in it does not fail again for what that one's attempts found out."""
        if self.learned is None:
            return None
        base, mode = self.learned
        known = frozenset[Any]() if call.state is None else call.state.by_reference
        serves = mode.sites.locations <= known and is_alike(base, call.base, mode.is_for_sizes)
        return mode if serves else None

    def _in_full_mode(self) -> TraceMode:
        return TraceMode.first(self.options.effects == "runtime", AllocationSites(in_full=True))

    def _trace_once(self, call: Call, mode: TraceMode | None,
                    cursors: dict[int, Any]) -> ConcreteFunction:
        roots = [call.bound.nest, *special_methods.referenced_objects(self.function)]
        with dispatch.activate(tensors.BACKEND), special_methods.converted_classes(
                roots, called_form, objects.BACKEND):
            return trace_function(self._to_trace(), call.bound, call.state, mode, cursors,
                                  self._instance(call.bound))

    def _to_trace(self) -> FunctionToTrace:
        options = self.options
        return FunctionToTrace(
            self.converted, self.name, self.binder.parameters, self.binder.invoke,
            lambda: self.plain, self._in_full, options.executor, options.atomic,
            options.effects == "runtime", options.fast_math, options.is_strict)

    def _in_full(self, bound: Bound) -> ConcreteFunction:
        """Traces a signature with no object that only makes the graph short.

        Raises:
          TracingError: other arguments than arrays and numbers belong to the signature.
        """
        call = self.bind(bound.filled([value_like(leaf.type) for leaf in bound.leaves]))
        if call.bound.key != bound.key:
            raise TracingError(f"{self.name} has a short graph, with containers as objects, for "
                               "arguments that are more than arrays and numbers")
        return self._trace_once(call, self._in_full_mode(), {})

    def _instance(self, bound: Bound) -> str | None:
        """Returns the parameter with the object that the function is a method of, if it is one."""
        first = next(iter(bound.nest), "")
        method = getattr_static(type(bound.nest.get(first)), self.name, None)
        method = method.fget if isinstance(method, property) else method
        return first if python_function_of(method) is self.function else None
