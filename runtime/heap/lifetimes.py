"""Lifetimes: finalizers and weak references tell a program when an object is let go.

A trace keeps what the function lets go until the trace ends, and the run lets it go where it makes
its writes. So what is let go must not be an object that the program asks so of.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any, NoReturn

from autograph.libraries import is_library
from autograph.runtime.heap.kept_functions import changes_at_end, held_in
from autograph.runtime.heap.new_objects import is_young
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import children
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.trace import Trace, current_region


def refuse_noticed_ends(run: Trace, exchanged: Iterable[tuple[Any, Any]],
                        by_reference: Iterable[Any]) -> None:
    """Refuses a function that lets objects go whose end the program notices, or keeps a weak
    reference to a new object.

    exchanged: what locations held before the trace, and hold now; by_reference: the arguments that
    only the run looks into: it may let go what they hold.

    Raises:
      TracingError: it does so.
    """
    pairs = list(exchanged)
    gone = [x for old, new in pairs for x in _missing(old, new)]
    watched = {*run.weakly_held, *(id(x()) for x in run.visited.values()
                                   if isinstance(x, weakref.ref))}
    for x in (v for part in (*gone, *by_reference) for v in held_in(part)):
        if id(x) in watched or _has_callbacks(x) or changes_at_end(type(x)):
            _refuse(x)
    for x in (x for old, new in pairs for x in _missing(new, old)):
        if isinstance(x, weakref.ref) and not _lives_on(x(), run):
            _refuse(x())


def _lives_on(x: Any, run: Trace) -> bool:
    """Returns True for an object that others hold, too: the program's, and classes from outside."""
    return id(x) in run.visited or (isinstance(x, type) and not is_young(x))


def _has_callbacks(x: Any) -> bool:
    """Returns True for an object whose end a function of the program's is told of."""
    registry: dict[Any, Any] = weakref.finalize._registry  # type: ignore[attr-defined]
    return any(type(r.__callback__) is FunctionType and not is_library(
        r.__callback__.__module__ or "") for r in weakref.getweakrefs(x)) or any(
            info.weakref() is x for info in list(registry.values()))


def _refuse(x: Any) -> NoReturn:
    what = "an object" if isinstance(x, Tensor) else f"an object of the class {type(x).__name__}"
    raise TracingError(
        f"{what} may be let go, and its finalizer or a weak "
        f"reference tells the program when{at(user_location())}\n"
        "  hint: keep it elsewhere, too, or let it go outside the function")


def _missing(old: Any, new: Any) -> Iterator[Any]:
    """Yields what is in one of two contents of a location and not in the other."""
    now = {id(x) for x in _parts(new)}
    return (x for x in _parts(old) if id(x) not in now)


def _parts(contents: Any) -> Iterable[Any]:
    if isinstance(contents, dict):
        return [*contents, *contents.values()]
    if isinstance(contents, (set, frozenset)):
        return contents
    found = children(contents)
    return [contents] if found is None else found[1]


def _weak_reference(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of `weakref.ref` or `weakref.proxy`: the trace knows the object."""
    def replacement(x: Any, *callback: Any) -> Any:
        here = current_region()
        if here is not None:
            x = here.trace.originals.get(id(x), x)
            if not _lives_on(x, here.trace):
                _refuse(x)
            here.trace.weakly_held[id(x)] = x
        return function(x, *callback)

    return replacement


def _weak_container(cls: type) -> Callable[..., Any]:
    """Returns the replacement of a class of containers that refer to their items weakly."""
    def made(*args: Any, **kwargs: Any) -> Any:
        if trace.tracing():
            raise TracingError(
                f"a {cls.__name__} is made, which shows how long objects live"
                f"{at(user_location())}\n  hint: make it outside the function")
        return cls(*args, **kwargs)

    return made


def _weak_store(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of a method that puts an item into a container that refers to it
    weakly."""
    def store(container: Any, key: Any, value: Any, *more: Any) -> Any:
        if trace.tracing():
            raise TracingError(
                f"an item is put into a {type(container).__name__}, which shows how long it lives"
                f"{at(user_location())}\n  hint: do it in a function under ag.py_function")
        return method(container, key, value, *more)

    return store


CLASSES = (weakref.WeakValueDictionary, weakref.WeakKeyDictionary)
WEAK_STORES: dict[Any, Callable[..., Any]] = {
    cls.__setitem__: _weak_store(cls.__setitem__) for cls in CLASSES}
"""Special method that stores a weak reference -> its replacement."""

WEAK_REFERENCES: dict[Any, Callable[..., Any]] = {
    **{f: _weak_reference(f) for f in (weakref.ref, weakref.proxy, weakref.KeyedRef)},
    **{cls: _weak_container(cls) for cls in (*CLASSES, weakref.WeakSet, weakref.WeakMethod)}}
"""What refers to objects weakly -> its replacement."""
