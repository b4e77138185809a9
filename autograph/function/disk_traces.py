"""Traces in the cache on disk: taken from there if all that they depend on is the same.

A trace is the plain data of a file of `ag.save`, read by the reader of those: it is checked, and
nothing in it is executed. It is kept if making it took long, if it depends on nothing but what
`dependencies` describes, and if the function changed nothing, and warned of nothing, while it was
traced.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from autograph import libraries
from autograph.function.dependencies import (
    Dependencies,
    Unknown,
    build,
    error_modes,
    key_text,
)
from autograph.operators import dispatch
from autograph.runtime.disk import cache
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.partition import Partition
from autograph.runtime.functions.second_runs import PlainFunction
from autograph.runtime.functions.unseen_changes import Watcher
from autograph.runtime.ir.errors import LoadError, SaveError
from autograph.runtime.serialize.plain_bytes import packed, unpacked

if TYPE_CHECKING:
    from autograph.function.call_key import Call
    from autograph.function.tracer import Tracer

WORTH = 0.01
"""Seconds that it takes to make a trace, from which on it may be kept."""

SHARE = 0.2
"""The share of these seconds within which it must be read: what is read has still to be printed as
Python, which is most of the time for long programs without branches and loops."""


class Key(NamedTuple):
    """Where a trace is kept, and the paths of the source files that it comes from."""

    text: str
    files: Collection[str]


class DiskTraces:
    """The traces of one function on disk."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.shown = 0

    def key(self, call: Call) -> Key | None:
        """Returns the key of the trace for a call; None if it cannot be told what it depends on.
        """
        if not self.tracer.is_own or dispatch.has_replacement() or (
                call.state is not None or call.bound.containers):
            return None
        options = self.tracer.options
        found = Dependencies()
        try:
            found.say(build(), error_modes(), options.effects, options.atomic, options.executor,
                      options.fast_math, options.is_strict, sorted(libraries.traced_into()))
            found.say(key_text(call.bound.key))
            found.value(self.tracer.function)
        except Unknown:
            return None
        self.shown = shown_warnings()
        return Key(cache.key_of("trace", *found.parts), found.files.values())

    def find(self, key: Key, call: Call) -> ConcreteFunction | None:
        """Returns the trace for a call, if it is there."""
        data = cache.find(key.text)
        if data is None:
            return None
        try:
            s = unpacked(data, key.files)
        except LoadError:
            return None
        if s.bound.key != call.bound.key:
            return None
        tracer, options = self.tracer, self.tracer.options
        signature = call.bound.signature()
        return ConcreteFunction(
            tracer.name, s.program, signature, options.executor,
            PlainFunction(tracer.converted, tracer.binder.invoke, lambda: tracer.plain),
            tracer.binder.parameters, options.atomic,
            partition=Partition(s.program, call.bound, ()),
            watcher=Watcher(tracer.converted, signature, frozenset()))

    def keep(self, key: Key, concrete: ConcreteFunction, seconds: float) -> None:
        """Keeps a trace that took so long to make."""
        if seconds < WORTH or not is_self_contained(concrete) or shown_warnings() != self.shown:
            return
        try:
            data = packed(concrete)
        except SaveError:  # a file cannot hold it
            return
        began = time.perf_counter()
        unpacked(data)
        if time.perf_counter() - began < SHARE * seconds:
            cache.keep(key.text, data)


def shown_warnings() -> int:
    """Returns how many warnings this process has shown since this was first asked: those about
    constants are given while a function is traced."""
    show: Any = warnings._showwarnmsg  # type: ignore[attr-defined]
    if not hasattr(show, "__ag_counts__"):
        def counting(message: object) -> None:
            global _shown
            _shown += 1
            show(message)

        counting.__ag_counts__ = True  # type: ignore[attr-defined]
        warnings._showwarnmsg = counting  # type: ignore[attr-defined]
    return _shown


_shown = 0


def is_self_contained(concrete: ConcreteFunction) -> bool:
    """Returns True if making a trace changed nothing, and a call needs the arguments alone."""
    p = concrete.program
    return not (
        concrete.state or concrete.new_state or concrete.in_full or p.raises or p.handled
        or p.catches or p.locations or p.printed or p.given or concrete.partition.never
        or concrete.partition.outside.starts
        or (concrete.watcher is not None and concrete.watcher.expected)
        or any(hasattr(x, "owner") for x in p.graph.captures.values()))
