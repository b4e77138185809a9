"""Functions that `functools` makes of functions, in C, while a function is traced.

A cache that is there before the trace is the run's: the graph calls the function, cache and all,
for known arguments too where it asks for the counts or clears it.
What the traced function makes is written in Python (`autograph/ported/`), and converted as the
function itself is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from autograph.extension_points import POINTS
from autograph.ported.caches import Cache
from autograph.ported.comparisons import Key
from autograph.runtime.heap.callback_changes import changes_of
from autograph.runtime.heap.kept_functions import refuse_unseen_changes
from autograph.runtime.heap.stale_reads import refuse_symbolic_reads
from autograph.runtime.ir.types import DynamicType
from autograph.runtime.ops import opaque, pure
from autograph.runtime.replacements.functions import symbolic
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import apply

Fn = Callable[..., Any]


def called_cached(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call a function whose cache is older than the trace: when the graph runs, where that decides
    if the call happens. What the call leaves in the cache could not be undone.

    Raises:
      TracingError: the trace would not see what the function changes, or the function what the
        trace has changed.
    """
    given, here = dict(kwargs), trace.current_region()
    by_run = here is not None and (
        here.parent is not None or here.trace.mode.effects_at_run_time
        or functools._lru_cache_wrapper in here.trace.mode.closed or symbolic(args, given))
    if not by_run:
        if here is not None and here.trace.changed_outside():
            refuse_symbolic_reads(changes_of([function]))
        return function(*args, **given)
    refuse_unseen_changes(function)
    return apply(opaque(function), *args, **given)


@functools.wraps(functools.lru_cache, updated=())
def _lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    made = functools.lru_cache(maxsize, typed)  # raises, in Python's words
    if not trace.tracing():
        return made
    if callable(maxsize):
        return _cache_of(maxsize, 128, False)
    limit = maxsize if maxsize is None else max(maxsize, 0)
    return lambda function: _cache_of(function, limit, bool(typed))


@functools.wraps(functools.cache, updated=())
def _cache(function: Fn) -> Any:
    return _cache_of(function, None, False) if trace.tracing() else functools.cache(function)


def _cache_of(function: Fn, maxsize: int | None, typed: bool) -> Cache:
    cls = _of_module(Cache, function)
    made = cls.__new__(cls)
    POINTS.convert_callback(cls.__init__)(made, function, maxsize, typed)
    functools.update_wrapper(made, function)
    return made  # type: ignore[no-any-return]


def _of_module(cls: type, function: Fn) -> Any:
    """Returns a ported class as one of the module of a user's function, so that it counts as the
    user's."""
    return type(cls.__name__, (cls,), {"__module__": function.__module__})


@functools.wraps(functools.cmp_to_key, updated=())
def _cmp_to_key(mycmp: Fn) -> Any:
    if not trace.tracing():
        return functools.cmp_to_key(mycmp)
    make = POINTS.convert_callback(_of_module(Key, mycmp))
    return lambda obj: make(mycmp, obj)


_KEY = pure(functools._make_key, lambda *args: DynamicType())


@functools.wraps(functools._make_key, updated=())
def _key(args: tuple[Any, ...], kwargs: dict[str, Any], typed: bool) -> Any:
    return apply(_KEY, args, kwargs, typed) if symbolic(args, kwargs) else (
        functools._make_key(args, kwargs, typed))


FUNCTOOLS: dict[Fn, Fn] = {
    functools.lru_cache: _lru_cache,
    functools.cache: _cache,
    functools._make_key: _key,
    functools.cmp_to_key: _cmp_to_key,
}
"""Function of `functools` -> its replacement."""
