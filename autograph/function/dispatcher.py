"""The state behind a decorated function: its traces, and the generated code that picks one."""

from __future__ import annotations

import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from types import CodeType, FunctionType
from typing import Any, ClassVar

import numpy as np

from autograph.conversion import special_methods
from autograph.conversion.convert import converted as callee
from autograph.function.call_key import CacheInfo, Call, Options
from autograph.function.guard_codegen import (
    MAX_GUARDED,
    Source,
    Table,
    Tables,
    scope_for,
    set_guarded,
    unguarded,
)
from autograph.function.retracing import (
    COMPARED,
    MAX_KEPT,
    History,
    log_trace,
    warn_of_endless,
    warn_of_many,
)
from autograph.function.traced_callable import (
    converted,
    hinted_arrays,
    own_parameters,
    parameters_of,
)
from autograph.operators import dispatch
from autograph.runtime.control_flow.recursion import staged
from autograph.runtime.control_flow.regions import is_symbolic_error
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.persistent_state import Kept, array_slots
from autograph.runtime.functions.trace_function import trace_function
from autograph.runtime.interpret import debugger
from autograph.runtime.ir.errors import EndlessError, TracingError
from autograph.runtime.ir.trace_signals import RetraceWithInputs
from autograph.runtime.ir.types import PY_NUMBERS
from autograph.runtime.signatures.binding import PERSISTENT, Bound, bind
from autograph.runtime.signatures.cache_keys import Key, covers, identities, is_general, join_keys
from autograph.runtime.signatures.captured_values import Captured
from autograph.runtime.signatures.spec import fit, specs_by_name
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import AllocationSites
from autograph.staging import objects, tensors
from autograph.syntax.gc_pause import collector_waits


class Dispatcher:
    """The traces of one function.

    `entry` gives the function object that the user has, if it is still there. Only the user keeps
    it: the collector cannot look into its code, which keeps the dispatcher.
    """

    eagerly = False
    observer: Callable[[Dispatcher, dict[str, Any]], None] | None = None
    """Is told of every call that made a trace, before the graph runs."""
    run_instead: ClassVar[Callable[[ConcreteFunction, Bound], Any] | None] = None

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        self.python_function = function
        self.options = options
        self.converted = converted(function) if options.autograph else function
        self.name = getattr(function, "__name__", type(function).__name__)
        self.parameters = parameters_of(function)
        self.specs = None if options.input_signature is None else specs_by_name(
            options.input_signature, own_parameters(function, self.parameters,
                                                    options.input_signature))
        self.pattern = None if self.specs is None else bind(self.specs).key
        self.hinted = hinted_arrays(function) if options.follow_type_hints else frozenset()
        self.by_reference: frozenset[str] = frozenset()
        self.traces: dict[Key, ConcreteFunction] = {}
        self.general: list[Key] = []
        self.kept: dict[Key, Kept] = {}
        self.bases: dict[Key, Key] = {}
        self.kept_traces: Counter[Key] = Counter()
        self.watched: dict[Key, list[weakref.ref[Any]]] = {}
        self.captured = Captured(self.python_function, options.captures)
        self.history = History(self.name)
        self.traced = self.evicted = 0
        self.lock = threading.RLock()
        self.tables = Tables()
        self.written: tuple[Any, ...] = ()
        self.entry: Callable[[], FunctionType | None] = lambda: None

    def entry_point(self) -> FunctionType:
        """The function object that the user gets; its code is swapped when there is a new trace."""
        module = getattr(self.python_function, "__globals__", {})
        entry = FunctionType(self.code(self.written), scope_for(module), self.name)
        defaults = [p.default for p in self.parameters
                    if p.default is not p.empty and p.kind is not p.KEYWORD_ONLY]
        entry.__defaults__ = tuple(defaults) or None
        entry.__kwdefaults__ = {p.name: p.default for p in self.parameters
                                if p.kind is p.KEYWORD_ONLY and p.default is not p.empty}
        self.entry = weakref.ref(entry)
        return entry

    # -- the slow path ----------------------------------------------------------------------------

    def call(self, names: tuple[str, ...], *values: Any) -> Any:
        """A call that no guard recognised: find the trace, or make it."""
        arguments = dict(zip(names, values, strict=True))
        if trace.tracing():
            return self.invoke(staged(self.converted), self.fitted(arguments))
        if Dispatcher.eagerly:
            return self.invoke(self.python_function, arguments)
        traced = self.traced
        try:
            found = self.find_or_make(arguments, once=True)
        except Exception as error:
            if not is_symbolic_error(error):
                raise
            found = None  # plain Python raises it with real values in it
        if Dispatcher.observer is not None and self.traced != traced:
            Dispatcher.observer(self, arguments)
        if found is None or (found[0].writes_arguments and found[1].overlaps()):
            return self.invoke(self.converted, arguments)  # what a write does is seen as it happens
        if Dispatcher.run_instead is not None:
            return Dispatcher.run_instead(*found)
        if self.counts_calls:
            found[0].count()
        return found[0].call(found[1])

    def fitted(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if self.specs is not None:
            return fit(arguments, self.specs)
        return arguments if not self.hinted else {
            name: np.asarray(x)[()] if name in self.hinted and type(x) in PY_NUMBERS else x
            for name, x in arguments.items()}

    def find(self, arguments: dict[str, Any]) -> tuple[ConcreteFunction, Bound]:
        """The trace for a call, and the call as the trace wants it; made if there is none."""
        found = self.find_or_make(arguments)
        assert found is not None
        return found

    def find_or_make(self, arguments: dict[str, Any], once: bool = False
                     ) -> tuple[ConcreteFunction, Bound] | None:
        """`once`: a trace that is good for this call only will do; None if there are too many."""
        traced, call = self.traced, self.taken_apart(arguments)
        found = self.known(call)
        if found is not None:
            self.note_known()
            return found
        with self.lock, collector_waits():
            if self.traced != traced:  # another thread was faster
                call = self.taken_apart(arguments)
                found = self.known(call)
            if found is None and once and self.kept_traces[call.base] >= MAX_KEPT:
                return None
            try:
                return found or self.make(call, once)
            except EndlessError as error:
                if not once:
                    raise
                self.kept_traces[call.base] = MAX_KEPT
                warn_of_endless(self.name, error)
                return None

    def taken_apart(self, arguments: dict[str, Any]) -> Call:
        arguments = self.fitted(arguments)
        outside = self.captured.key(arguments)
        bound = bind(arguments, self.pattern, by_reference=self.by_reference)
        base = bound.key, outside
        return Call(arguments, bound, outside, base).keeping(self.kept.get(base))

    def known(self, call: Call) -> tuple[ConcreteFunction, Bound] | None:
        exact = self.traces.get(call.key)
        if exact is not None:
            return exact, call.bound
        for key in self.general:
            if covers(key, call.key) and key in self.traces:
                return self.traces[key], call.like(key[0])
        return None

    def make(self, call: Call, once: bool = False) -> tuple[ConcreteFunction, Bound]:
        """Trace; with `reduce_retracing`, for all calls between this one and one seen before."""
        if self.options.reduce_retracing and self.specs is None:
            call = replace(call, bound=self.generalised(call))
        began = time.perf_counter()
        concrete, call = self.traced_somehow(call)
        others = [c.bound for c in islice(reversed(self.traces.values()), COMPARED)]
        self.traced += 1
        if concrete.program.raises:
            return concrete, call.bound  # of no use to a later call
        concrete.reason = self.history.trace(concrete.bound, others)
        log_trace(concrete, time.perf_counter() - began)
        known = call.kept or Kept()
        kept = known.with_slots(concrete.found)
        if kept.slots:
            self.kept_traces[call.base] += 1
        if self.kept_traces[call.base] == MAX_KEPT:
            warn_of_many(self.name, kept)
        if kept != known:  # the trace took them as they were: it is good for this call only
            self.keep_outside(call.base, kept)
            if not once:
                return self.make(call.keeping(kept))
        else:
            self.bases[call.key] = call.base
            self.keep(call.key, concrete)
        return concrete, call.bound

    def traced_somehow(self, call: Call) -> tuple[ConcreteFunction, Call]:
        """Trace; if that fails, with more of what is outside as inputs, or with less."""
        try:
            return self.trace(call)
        except EndlessError:
            raise
        except TracingError as error:
            for other in self.other_ways(call):
                try:
                    concrete, other = self.trace(other)
                except TracingError:
                    continue
                assert other.kept is not None
                self.keep_outside(other.base, other.kept)
                return concrete, other
            raise error

    def trace(self, call: Call) -> tuple[ConcreteFunction, Call]:
        """Trace; containers that have to be inputs as a whole become such."""
        sites: AllocationSites | None = None
        began = call.kept
        while True:
            try:
                concrete = self.trace_once(call, sites)
                if call.kept is not None and call.kept != began:
                    self.keep_outside(call.base, call.kept)
                return concrete, call
            except RetraceWithInputs as need:
                sites = need.sites
                self.by_reference |= sites.arguments
                kept = (call.kept or Kept()).with_slots(dict.fromkeys(need.locations, False))
                kept = kept.with_whole(sites.locations)
                arguments = {k: x for k, x in call.arguments.items() if k != PERSISTENT}
                call = self.taken_apart(arguments)
                call = call.keeping(kept if kept.slots else None)

    def trace_once(self, call: Call, sites: AllocationSites | None) -> ConcreteFunction:
        roots = [call.bound.nest, *special_methods.outside(self.python_function)]
        with dispatch.activate(tensors.BACKEND), special_methods.converted(
                roots, callee, objects.BACKEND):
            return trace_function(
                self.converted, self.name, call.bound, self.invoke, self.options.executor,
                self.parameters, self.options.atomic, self.options.effects, call.kept,
                self.options.fast_math, self.options.strict, sites)

    def other_ways(self, call: Call) -> Iterator[Call]:
        """Arrays outside the function may have to be inputs, and numbers constants."""
        if call.kept is None and (found := array_slots(self.converted, call.bound.nest)):
            yield call.keeping(Kept().with_slots(found))
        if call.kept is not None and not call.kept.exact:
            yield call.keeping(replace(call.kept, exact=True))

    def keep_outside(self, base: Key, kept: Kept) -> None:
        """From now on these slots are inputs; the traces that took them as they were go."""
        if len(self.kept) % 64 == 63:
            self.forget_bases()
        self.kept[base] = kept
        self.captured.inputs.update(slot.identity for slot in kept.slots)
        for key in [k for k, c in self.traces.items()
                    if self.bases.get(k) == base and c.kept != kept]:
            self.drop(key)

    def generalised(self, call: Call) -> Bound:
        for known, _ in reversed(self.traces):
            joined = join_keys(known, call.bound.key)
            if joined is not None:
                return call.like(joined)
        return call.bound

    def keep(self, key: Key, concrete: ConcreteFunction) -> None:
        """Enter a trace; the one unused for longest goes if there are too many, and it goes with
        the objects it is for."""
        counted = self.counts_calls
        self.traces[key] = concrete
        concrete.changed = lambda: self.changed(key, concrete)
        if counted != self.counts_calls:
            self.tables = Tables()
        if is_general(key):
            self.general.append(key)
        self.watched[key] = [
            weakref.ref(x, lambda _: self.forget_dead(key)) for x in
            (i.reference() for i in identities(key) if isinstance(i.reference, weakref.ref))
            if x is not None]
        limit = self.options.max_traces
        while limit is not None and len(self.traces) > limit:
            oldest, _ = min(self.traces.items(), key=lambda entry: entry[1].last_used)
            self.drop(oldest)
        self.refresh()

    def changed(self, key: Key, concrete: ConcreteFunction) -> None:
        """A trace runs something else now."""
        with self.lock:
            if self.traces.get(key) is concrete:
                self.tables.drop(key)
                self.refresh(anew=True)

    def drop(self, key: Key) -> None:
        self.evicted += self.traces.pop(key, None) is not None
        self.tables.drop(key)
        self.watched.pop(key, None)
        self.bases.pop(key, None)
        if key in self.general:
            self.general.remove(key)

    def forget_dead(self, key: Key) -> None:
        """An object that a trace was for is gone: no call can mean that trace again.

        The collector may call this anywhere, in Python's own parser too, which cannot be entered
        twice: what the entry point recognises is written at the next call, not here.
        """
        with self.lock:
            self.drop(key)
            self.forget_bases()
            self.history.watch_again()
            self.refresh()

    def forget_bases(self) -> None:
        """Forget what was kept for calls with objects that are gone."""
        for base in [b for b in self.kept if any(i.reference() is None for i in identities(b))]:
            self.kept.pop(base, None)
            self.kept_traces.pop(base, None)

    def clear(self) -> None:
        """Forget every trace."""
        with self.lock:
            for key in list(self.traces):
                self.drop(key)
            self.refresh()

    def info(self) -> CacheInfo:
        hits = {str(c.function_type): c.hits for c in self.traces.values()}
        return CacheInfo(len(self.traces), self.options.max_traces, self.traced, self.evicted,
                         hits if self.options.count_calls else None)

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

    def refresh(self, anew: bool = False) -> None:
        """Generate the entry point's code again, if it must recognise other calls than it does.

        The code holds all it needs, so a thread that still runs the code before is not disturbed.
        `anew`: a trace that it recognises runs something else now.
        """
        contents, entry = self.contents(), self.entry()
        if entry is not None and (anew or contents != self.written):
            entry.__code__ = self.code(contents)
            self.written = contents

    def contents(self) -> tuple[Any, ...]:
        """What the entry point recognises: each trace if they are few, else tables of them.

        Nothing as long as a trace was made in one of the last calls: of many functions there is one
        call only, and the text and code of guards take longer than a few calls without.
        """
        if self.history.watching or not self.captured.is_frozen:
            return ()
        if len(self.traces) <= MAX_GUARDED:
            return tuple(reversed(self.traces.values()))
        for key, concrete in self.traces.items():
            self.tables.put(key, concrete, self.runner(concrete))
        return tuple(self.tables.newest())

    def code(self, contents: tuple[Any, ...]) -> CodeType:
        """The entry point's code."""
        if not contents:
            return unguarded(self.name, self.parameters, self.call)
        source = Source(self.name, self.parameters)
        for part in contents:
            if isinstance(part, Table):
                source.table(part)
            else:
                source.trace(part, self.runner(part))
        return source.code(self.call)

    def runner(self, concrete: ConcreteFunction) -> Callable[..., Any]:
        """What runs a trace; it counts its calls if somebody wants to know."""
        return concrete.counted if self.counts_calls else concrete.run

    @property
    def counts_calls(self) -> bool:
        """Whether calls are counted: if asked for, and if traces may soon have to go."""
        limit = self.options.max_traces
        return self.options.count_calls or (
            limit is not None and 2 * len(self.traces) >= limit)

    def note_known(self) -> None:
        """Note a call that has a trace; after enough of them guards are worth their while."""
        watching = self.history.watching
        self.history.note(False)
        if watching and not self.history.watching:
            with self.lock:
                self.refresh()


def choose_path() -> None:
    """Let guards recognise calls, or not while a switch has every call run in another way."""
    set_guarded(not (Dispatcher.eagerly or Dispatcher.run_instead or debugger.on))
