"""The entry point: the function object that the user has, whose code is replaced by new traces."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from autograph.function.guard_codegen import Definition, Source, scope_for, unguarded
from autograph.function.guard_tables import MAX_GUARDED, PlainCalls, Table, Tables
from autograph.function.retracing import History
from autograph.function.trace_cache import TraceCache
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.signatures.cache_keys import Key
from autograph.runtime.signatures.captured_values import Captured, LastRead

ENOUGH = 8
"""So many calls with the same values from outside are worth new code."""


class EntryPoint:
    """Writes the code of a function's entry point, which recognises calls by guards.

    slow_path  what handles a call that no guard recognises.
    outside    what the function takes from outside: guards ask it first, if it may change.
    unused     the calls that a guard would have recognised since that is known.
    written    the traces, or tables of traces, that the present code recognises.
    plain      the last calls that run as plain Python, by the key of their arguments; None for
               those that no guard can tell.

    Only the user keeps the function object: the collector cannot look into its code, which keeps
    the traces alive. It refers to the slow path weakly, as that leads to the user's function, which
    may lead to the function object.
    """

    def __init__(self, name: str, parameters: list[inspect.Parameter],
                 slow_path: Callable[..., Any], cache: TraceCache, history: History,
                 outside: Captured, definition: Definition = None) -> None:
        self.name = name
        self.parameters = parameters
        self.slow_path = slow_path
        self.cache = cache
        self.history = history
        self.outside = outside
        self.unused = 0
        self.definition = definition
        self.written: tuple[Any, ...] = ()
        self.plain: dict[Key, PlainCalls | None] = {}
        self._tables = Tables()
        self.function: Callable[[], FunctionType | None] = lambda: None
        cache.observer = self

    def make(self, module: dict[str, Any]) -> FunctionType:
        """Returns a new function object for a function of a module."""
        made = FunctionType(self._code(self.written), scope_for(module), self.name)
        defaults = [p.default for p in self.parameters
                    if p.default is not p.empty and p.kind is not p.KEYWORD_ONLY]
        made.__defaults__ = tuple(defaults) or None
        made.__kwdefaults__ = {p.name: p.default for p in self.parameters
                               if p.kind is p.KEYWORD_ONLY and p.default is not p.empty}
        self.function = weakref.ref(made)
        return made

    def note_known(self) -> None:
        """Notes a call that has a trace; after enough of them guards pay."""
        watching = self.history.watching
        self.history.note_used()
        known = self.outside.known
        self.unused += known is not None and known not in self.written
        if (watching and not self.history.watching) or self.unused > ENOUGH:
            with self.cache.lock:
                self.changed()

    def note_plain(self, key: Key, recognised: Callable[[], PlainCalls | None]) -> None:
        """Notes a call that runs as plain Python, and has guards recognise those like it."""
        if key not in self.plain:
            if len(self.plain) == MAX_GUARDED:
                self.plain.pop(next(iter(self.plain)))
            self.plain[key] = recognised()
        self.history.note(False)
        self.changed()

    def forget_plain(self, key: Key) -> None:
        """Has calls go the slow path again."""
        with self.cache.lock:
            self.plain.pop(key, None)
            self.changed()

    # -- called by the cache ----------------------------------------------------------------------

    def dropped(self, key: Key) -> None:
        """Forgets the trace for a key: it is gone, or runs something else now."""
        self._tables.drop(key)

    def died(self) -> None:
        """Forgets guards: a trace is gone with an object that it was for.

        New code is written at a later call, not here, where the collector may be at work.
        """
        self.history.watch_again()
        self.changed()

    def changed(self, anew: bool = False) -> None:
        """Replaces the code, if it has to recognise other calls than it does.

        The code holds all it needs, so a thread that still runs the old code is not disturbed.
        `anew`: a trace that it recognises runs something else now.
        """
        contents, function, self.unused = self._contents(), self.function(), 0
        if function is not None and (anew or contents != self.written):
            function.__code__ = self._code(contents)
            self.written = contents

    def _contents(self) -> tuple[Any, ...]:
        """Returns what the code has to recognise: each trace if they are few, else tables of them.

        What is still to be verified is left out. Nothing if one of the last calls made a trace:
        many functions are called only once, and writing and compiling guards takes longer than a
        few calls without.
        """
        if self.history.watching:
            return ()
        plain = [calls for calls in self.plain.values() if calls is not None]
        traces = {key: c for key, c in self.cache.traces.items() if not c.unverified}
        if not self.outside.is_frozen:
            known, last = self.outside.known, self.outside.result
            if known is None or known.objects:
                return ()
            found = [c for (_, outside), c in traces.items() if outside == last]
            return (known, *found[:-MAX_GUARDED - 1:-1])
        if len(traces) <= MAX_GUARDED:
            return (*reversed(traces.values()), *plain)
        for key, concrete in traces.items():
            self._tables.put(key, concrete, self._runner(concrete))
        return (*self._tables.newest(), *plain)

    def _code(self, contents: tuple[Any, ...]) -> CodeType:
        if not contents:
            return unguarded(self.name, self.parameters, self.slow_path, self.definition)
        source = Source(self.name, self.parameters, self.definition)
        for part in contents:
            if isinstance(part, LastRead):
                source.require(self.outside.is_known, part.number)
            elif isinstance(part, Table):
                source.table(part)
            elif isinstance(part, PlainCalls):
                source.plain(part)
            else:
                source.trace(part, self._runner(part))
        return source.code(self.slow_path)

    def _runner(self, concrete: ConcreteFunction) -> Callable[..., Any]:
        """Returns what runs a trace; it counts its calls if that is wanted."""
        return concrete.counted if self.cache.counts_calls else concrete.run
