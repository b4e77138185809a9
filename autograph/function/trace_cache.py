"""The trace cache: the traces of one function by key, and the persistent state they share."""

from __future__ import annotations

import sys
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple, Protocol

from autograph.function.call_key import Call
from autograph.function.options import Options
from autograph.locks import new_lock
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.persistent_state import PersistentState
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.signatures.cache_keys import Key, covers, identities, is_general, join_keys


class CacheInfo(NamedTuple):
    """The counts of a function's traces.

    traces      the number of traces in the cache.
    max_traces  the largest number that it may hold.
    traced      the number of traces that were made.
    evicted     the number of traces that went: there were too many, an object they were for is
                gone, or the cache was cleared.
    hits        the number of calls that each trace in the cache served, by its signature; None if
                they are not counted.
    """

    traces: int
    max_traces: int | None
    traced: int
    evicted: int
    hits: dict[str, int] | None = None


class CacheObserver(Protocol):
    """The interface by which a cache reports its changes."""

    def dropped(self, key: Key) -> None:
        """The trace for a key is gone, or runs something else now."""

    def changed(self, anew: bool = False) -> None:
        """There are other traces; `anew`: one of them runs something else now."""

    def died(self) -> None:
        """A trace is gone with an object that it was for."""


class TraceCache:
    """The traces of one function.

    traces        by key, the oldest first.
    general       the keys that cover others.
    states        the persistent state of calls, by the key of their arguments alone; None for those
                  whose traces have none. The newest comes last.
    state_traces  the number of traces made for such a key that have persistent state, or raise.
    bases         the key of the arguments alone, by the key of a trace.
    made          the number of traces that were made.
    finished      the number of times that a thread was done with making a trace: with it changes
                  what a call is bound to and found by.
    evicted       the number of traces that went.
    observer      is told of changes; the entry point sets it.
    """

    observer: CacheObserver

    def __init__(self, options: Options) -> None:
        self.options = options
        self.traces: dict[Key, ConcreteFunction] = {}
        self.general: list[Key] = []
        self.states: dict[Key, PersistentState | None] = {}
        self.state_traces: Counter[Key] = Counter()
        self.bases: dict[Key, Key] = {}
        self.made = self.finished = self.evicted = 0
        self.lock = new_lock()
        self._watched: dict[Key, list[weakref.ref[Any]]] = {}

    @contextmanager
    def making(self) -> Iterator[None]:
        """Makes a trace in the block of a `with`: one thread at a time does."""
        with self.lock:
            try:
                yield
            finally:
                self.finished += 1

    def find(self, call: Call) -> tuple[ConcreteFunction, Bound] | None:
        """Returns the trace for a call, and the call bound as the trace wants it, or None."""
        exact = self.traces.get(call.key)
        if exact is not None:
            return exact, call.bound
        for key in self.general:
            if covers(key, call.key) and key in self.traces:
                return self.traces[key], call.bound_like(key[0])
        return None

    def generalised(self, call: Call) -> Bound:
        """Returns the call, bound to cover the calls of an earlier trace as well, if one can be."""
        for known, _ in reversed(self.traces):
            joined = join_keys(known, call.bound.key)
            if joined is not None:
                return call.bound_like(joined)
        return call.bound

    def newest(self, count: int) -> list[Bound]:
        """Returns the signatures of the newest traces, the newest first."""
        return [c.bound for c in islice(reversed(self.traces.values()), count)]

    @property
    def counts_calls(self) -> bool:
        """True if calls are counted: if the user asked for it, or traces may soon have to go."""
        limit = self.options.max_traces
        return self.options.count_calls or (
            limit is not None and 2 * len(self.traces) >= limit)

    def enter(self, call: Call, concrete: ConcreteFunction) -> None:
        """Enters a trace; if there are too many, the one unused for longest goes.

        A trace also goes with the objects that it is for.
        """
        key, counted = call.key, self.counts_calls
        self.bases[key] = call.base
        self.states.setdefault(call.base, call.state)
        self.traces[key] = concrete
        concrete.unverified = self.options.verified_calls
        concrete.changed = lambda: self._changed(key, concrete)
        if counted != self.counts_calls:
            for known in self.traces:
                self.observer.dropped(known)
        if is_general(key):
            self.general.append(key)
        self._watched[key] = [
            weakref.ref(x, lambda _: self._forget_dead(key)) for x in
            (i.reference() for i in identities(key) if isinstance(i.reference, weakref.ref))
            if x is not None]
        limit = self.options.max_traces
        while limit is not None and len(self.traces) > limit:
            oldest, _ = min(self.traces.items(), key=lambda entry: entry[1].last_used)
            self.drop(oldest)
        self.observer.changed()

    def state_of(self, base: Key) -> PersistentState | None:
        """Returns the persistent state of calls. Where no trace tells it yet, the newest is a good
        guess: the function is the same, and so is most of what it keeps outside itself."""
        if base in self.states:
            return self.states[base]
        guess = next(self.known_states(), None)
        return None if guess is None else guess.living()

    def known_states(self) -> Iterator[PersistentState]:
        """Yields the persistent states that traces found, the newest first."""
        return (state for state in reversed(self.states.values()) if state is not None)

    def set_state(self, base: Key, state: PersistentState) -> None:
        """Makes persistent state an input from now on; traces that captured it go."""
        if len(self.states) % 64 == 63:
            self._forget_dead_states()
        self.states.pop(base, None)
        self.states[base] = state
        for key in [k for k, c in self.traces.items()
                    if self.bases.get(k) == base and c.state != state]:
            self.drop(key)

    def share(self, base: Key, state: PersistentState) -> None:
        """Makes locations an input of the traces for other calls that could read them."""
        found: dict[Key, PersistentState] = {}
        for key, c in self.traces.items():
            if self.bases.get(key) not in (base, None):
                known = c.state or PersistentState()
                if (shared := known.with_shared([state], c.reached)) != known:
                    found[self.bases[key]] = shared
        for other, shared in found.items():
            self.set_state(other, shared)

    def drop(self, key: Key) -> None:
        """Forgets a trace."""
        self.evicted += self.traces.pop(key, None) is not None
        self.observer.dropped(key)
        self._watched.pop(key, None)
        base = self.bases.pop(key, None)
        if base is not None and self.states.get(base, base) is None:
            del self.states[base]
        if key in self.general:
            self.general.remove(key)

    def clear(self) -> None:
        """Forgets every trace."""
        with self.lock:
            for key in list(self.traces):
                self.drop(key)
            self.observer.changed()

    def info(self) -> CacheInfo:
        """Returns how the traces came and went."""
        hits = {str(c.function_type): c.hits for c in self.traces.values()}
        return CacheInfo(len(self.traces), self.options.max_traces, self.made, self.evicted,
                         hits if self.options.count_calls else None)

    def _changed(self, key: Key, concrete: ConcreteFunction) -> None:
        """Notes that a trace runs something else now."""
        with self.lock:
            if self.traces.get(key) is concrete:
                self.observer.dropped(key)
                self.observer.changed(anew=True)

    def _forget_dead(self, key: Key, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        """Forgets a trace with an object that is gone: no call can mean that trace again.

        Nothing is left to do it with when the interpreter ends.

        The collector may call this anywhere, in Python's own parser too, which cannot be entered
        twice: what the entry point recognises is written at the next call, not here.
        """
        if ending():
            return
        with self.lock:
            self.drop(key)
            self._forget_dead_states()
            self.observer.died()

    def _forget_dead_states(self) -> None:
        """Forgets the persistent state of calls with objects that are gone."""
        dead = [b for b in self.states if any(i.reference() is None for i in identities(b))]
        for base in dead:
            self.states.pop(base, None)
            self.state_traces.pop(base, None)
