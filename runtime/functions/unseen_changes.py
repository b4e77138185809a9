"""Unseen changes: what plain Python changes outside a function where the graph cannot be used.

A handler is not traced: the graph raises, and the function runs again as it is. What it then
changes outside the arguments has to be an input of the next trace, which would else take it for a
constant.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Set
from dataclasses import replace
from operator import is_not
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any

import numpy as np

from autograph.libraries import is_library
from autograph.runtime.functions.persistent_state import PersistentState
from autograph.runtime.functions.traced_state import TracedState
from autograph.runtime.heap.named_locations import NamedLocation
from autograph.runtime.heap.uses_of_names import uses_of
from autograph.runtime.ir.errors import TracingError
from autograph.runtime.ir.pytree import map_nest
from autograph.runtime.signatures.binding import PERSISTENT, Bound
from autograph.runtime.signatures.cache_keys import Identity
from autograph.runtime.signatures.filler import LeafRef

Found = dict[NamedLocation, bool]
"""Locations, and whether each holds a list that grows."""


class Watcher:
    """Runs a function as plain Python, and finds the locations outside it that this changes.

    expected  identifies the locations that a trace changed by constants: those change while
              tracing only.
    known     what the function could reach at the last run, if that was code alone.
    """

    def __init__(self, function: Any, bound: Bound, expected: Set[Hashable]) -> None:
        self.function = function
        self.bound = bound
        self.expected = expected
        self.known: CodeAlone | None = None

    def run(self, call: Callable[[], Any], report: Callable[[Found], None],
            fits: bool = True) -> Any:
        """Returns the result of a call; reports the locations that it changed, also if it
        raises. `fits`: False if the trace is not for such a call, which then may change what no
        location leads to."""
        state = self._state()
        try:
            return call()
        finally:
            if found := self._changed(state, fits):
                self.known = None
                report(found)

    def _changed(self, state: TracedState, fits: bool) -> Found:
        defaults = getattr(self.function, "__defaults__", None) or ()
        try:
            return state.discovered(self.expected, defaults)
        except TracingError:
            if fits:
                raise
            return {}

    def _state(self) -> TracedState:
        """Returns what the function can reach; it is searched again only if that may differ."""
        known = self.known
        if known is None or not known.holds():
            nest = {name: map_nest(_living, x) for name, x in self.bound.nest.items()
                    if name != PERSISTENT}
            state = TracedState(PersistentState(), (), self.function,
                                replace(self.bound, nest=nest, containers=[]), True, frozenset())
            if state.arrays.known or not _is_code_alone(state):
                self.known = None
                return state
            self.known = known = CodeAlone(state)
        return known.state


class CodeAlone:
    """The functions, classes and constants that a function can reach, where it reaches nothing
    else: no object whose contents the program changes is kept alive here.

    unbound  by function, the names that may be globals, but are not.
    """

    def __init__(self, state: TracedState) -> None:
        self.state = state
        self.parts = [(x, parts) for x in state.visited if (parts := _parts_of(x))]
        self.unbound = [(x.__globals__, names) for x in state.visited
                        if isinstance(x, FunctionType) and (names := _unbound(x))]

    def holds(self) -> bool:
        """Returns True if a search would find the same again."""
        for x, old in self.parts:
            if any(map(is_not, old, _parts_of(x))):
                return False
        for scope, names in self.unbound:
            if not scope.keys().isdisjoint(names):
                return False
        return self.state.held.is_current()


def _parts_of(x: Any) -> tuple[Any, ...]:
    """Returns what a function or class leads to beside the locations in it."""
    if type(x) is FunctionType:
        return x.__code__, x.__defaults__, x.__kwdefaults__, x.__dict__.get("__wrapped__")
    return (x.__mro__,) if type(x) is type else ()


def _unbound(x: FunctionType) -> frozenset[str]:
    return frozenset(uses_of(x.__code__).read).difference(x.__globals__)


CODE = frozenset({FunctionType, BuiltinFunctionType, MethodWrapperType, MethodType, CellType, type,
                  tuple, staticmethod, classmethod, property, np.ufunc, LeafRef})
"""Classes of what stays as it is, but for what a function or class has as parts."""


def _is_code_alone(state: TracedState) -> bool:
    return all(type(x) in CODE for x in state.visited) and not any(
        isinstance(x, ModuleType) and not is_library(x.__name__) for x in state.held.values())


def _living(x: Any) -> Any:
    return x.reference() if isinstance(x, Identity) else x
