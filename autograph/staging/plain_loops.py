"""Loops that a trace runs as they were written, since nothing symbolic is reachable from them.

A loop can get at what it goes through, its variables, and what it reads by name. If all of
it is numbers, strings and Python's containers of them, and every function is one that only
computes, no iteration can meet a symbolic value, and none can make one. The loop then runs at
Python's own speed. Lists of the trace are Python's meanwhile; lists that the loop made are lists of
the trace afterwards.
"""

from __future__ import annotations

import builtins
import gc
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from types import BuiltinFunctionType, FunctionType, GeneratorType, ModuleType
from typing import Any

import numpy as np

from autograph.conversion.conversion_rules import is_generated
from autograph.conversion.plain_loops import (
    PlainLoop,
    names_read,
    only_computes,
    plain_loop,
    undecorated,
    without_decorators,
)
from autograph.operators.dispatch import BACKENDS
from autograph.own_attributes import held
from autograph.runtime.heap.growing_lists import PlainList, StagedList, live_items
from autograph.runtime.heap.iterators import held_inside
from autograph.runtime.heap.run_time_containers import are_objects_asked, note_made
from autograph.runtime.symbolic import trace

State = tuple[Any, ...]

ATOMS = frozenset({int, float, complex, bool, str, bytes, type(None), range, type(...)})
"""Types of values that hold no others, and cannot be changed."""

WORTH = 1000
"""How many values are looked at for each iteration of a loop, at most."""

MANY = 64
"""How long a loop over an iterator is thought to run."""

VIEWS: tuple[type, ...] = tuple(type(view({})) for view in (dict.keys, dict.values, dict.items))

PURE = frozenset({
    abs, all, any, ascii, bin, bool, bytes, callable, chr, complex, dict, divmod, enumerate, filter,
    float, format, frozenset, hex, int, isinstance, issubclass, len, list, map, max, min, oct, ord,
    pow, range, repr, reversed, round, set, slice, sorted, str, sum, tuple, zip,
    *(x for x in vars(builtins).values() if isinstance(x, type) and issubclass(x, Exception))})
"""Builtins that only compute."""

MODULES = frozenset({math})
"""Modules whose functions only compute with numbers."""

FEWEST = 5
"""A loop of fewer iterations is not worth a form of its own."""


class _Symbolic(Exception):
    """Something may be reachable that is not plain."""


def run_plain(items: Any, body: Any, state: State, test: Any, turns: int) -> Any:
    """Runs a loop as it was written, if nothing symbolic is reachable from it; returns the loop
    variables. Otherwise returns NotImplemented.

    items: what a `for` loop goes through; None for a `while` loop.
    turns: how long the loop is thought to run; that many iterations pay for the look.
    """
    if type(body) is not FunctionType or not (test is None or type(test) is FunctionType):
        return NotImplemented
    if any(map(_is_other, (items, *state))) or any(map(_is_other, _captured(body))):
        return NotImplemented
    loop = plain_loop(body, test, state)
    if loop is None or are_objects_asked():
        return NotImplemented
    found = Reachable(WORTH * turns)
    values = (x for i, x in enumerate(state) if i != loop.result)
    roots = chain([items], values, _cells(loop), found.by_name(loop.scope, loop.names))
    return _as_written(found, roots, lambda: loop.run(items, state, found.decorated))


def call_plain(function: FunctionType, staged: Any, args: State, kwargs: dict[str, Any]) -> Any:
    """Calls a function as it was written, if nothing symbolic is reachable from it and its
    arguments; otherwise calls its staged form."""
    values = *args, *kwargs.values()
    if any(map(_is_other, values)) or are_objects_asked():
        return staged(*args, **kwargs)
    found = Reachable(WORTH * MANY)
    found.functions.append(function)
    made = _as_written(found, values, lambda: (
        (without_decorators(function) if found.decorated else function)(*args, **kwargs),))
    return staged(*args, **kwargs) if made is NotImplemented else made[0]


def _as_written(found: Reachable, roots: Iterable[Any], run: Callable[[], State]) -> Any:
    """Runs code as it was written, if nothing symbolic is reachable from some values; returns its
    results. Otherwise returns NotImplemented."""
    try:
        found.walk([*roots])
    except _Symbolic:
        return NotImplemented
    with found.plain_lists():
        made = run()
    return found.staged(made) if trace.tracing() else made


def _is_other(x: Any) -> bool:
    """Returns True for what is certainly not plain; the test is cheap."""
    return isinstance(x, (np.ndarray, np.generic)) or (
        type(x) in BACKENDS and type(x) is not StagedList)


def _captured(body: FunctionType) -> Iterator[Any]:
    for cell in body.__closure__ or ():
        with suppress(ValueError):
            yield cell.cell_contents


def _cells(loop: PlainLoop) -> Iterator[Any]:
    """Yields what is in the free variables of a loop.

    Raises:
      _Symbolic: one is unbound.
    """
    for cell in loop.cells:
        try:
            yield cell.cell_contents
        except ValueError:
            raise _Symbolic from None


class Reachable:
    """The containers reachable from a loop.

    before     those that were there before it, by their ids; the values keep them alive.
    most       how many values may still be visited.
    functions  those that are reached by name, and are still to be visited.
    held       True if a function is reached otherwise.
    decorated  True if a decorated function may be called by its name.
    """

    def __init__(self, most: int) -> None:
        self.before: dict[int, Any] = {}
        self.most = most
        self.functions: list[FunctionType] = []
        self.held = self.decorated = False

    def walk(self, pending: list[Any]) -> None:
        """Visits values, and what they hold.

        Raises:
          _Symbolic: one may be symbolic, or do more than compute.
        """
        while pending or self.functions:
            if self.most < 0:
                raise _Symbolic
            if not pending:
                pending += self._function(self.functions.pop())
                continue
            x = pending.pop()
            if type(x) is FunctionType:  # it is called as it is, and so is what it calls
                self.held = True
                self.functions.append(x)
            elif type(x) not in ATOMS and id(x) not in self.before:
                self.before[id(x)] = x
                pending += self._parts(x)
        if self.decorated and self.held:
            raise _Symbolic

    def by_name(self, scope: dict[str, Any], names: Iterable[str]) -> Iterator[Any]:
        """Yields what is read by names of a module; functions are visited as what is called.

        Raises:
          _Symbolic: a name is unbound.
        """
        for name in names:
            if name not in scope and not hasattr(builtins, name):
                raise _Symbolic
            x = scope[name] if name in scope else getattr(builtins, name)
            f = undecorated(x)
            self.decorated |= f is not x
            if type(f) is FunctionType:
                self.functions.append(f)
            else:
                yield f

    def _function(self, f: FunctionType) -> list[Any]:
        if id(f) in self.before:
            return []
        if is_generated(f.__code__) or not only_computes(f):
            raise _Symbolic
        self.before[id(f)] = f
        return [*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values(),
                *self.by_name(f.__globals__, names_read(f.__code__))]

    def _parts(self, x: Any) -> Iterable[Any]:
        if type(x) is StagedList and not x.known:
            raise _Symbolic
        if type(x) in CONTAINERS:
            self.most -= len(x)
            return _others(CONTAINERS[type(x)](x))
        if type(x) in ITERATORS:
            return held_inside(x)
        if type(x) is GeneratorType and (items := live_items(x)) is not None:
            return (items,)
        if isinstance(x, (BuiltinFunctionType, type)):
            if x in PURE or held(x, "__self__") in MODULES:
                return ()
        elif type(x) is ModuleType and x in MODULES:
            return ()
        raise _Symbolic

    @contextmanager
    def plain_lists(self) -> Iterator[None]:
        """Makes Python's own lists of the lists of the trace."""
        lists = [x for x in self.before.values() if type(x) is StagedList]
        for x in lists:
            x.__class__ = PlainList  # type: ignore[assignment]
        try:
            yield
        finally:
            for x in lists:
                x.__class__ = StagedList

    def staged(self, state: State) -> State:
        """Returns the loop variables with lists of the trace for the lists that the loop made."""
        made: dict[int, tuple[Any, Any]] = {}
        for x in [x for x in self.before.values() if type(x) in (list, StagedList, dict)]:
            self._fill(x, made)
        after = tuple(self._one(x, made) for x in state)
        note_made([new for _, new in made.values()])
        return after

    def _one(self, x: Any, made: dict[int, tuple[Any, Any]]) -> Any:
        """Returns what stands for a value after the loop."""
        if type(x) in ATOMS or id(x) in self.before or type(x) not in CONTAINERS:
            return x
        if id(x) not in made:
            made[id(x)] = x, x  # a tuple cannot hold itself but by a list, which is entered first
            new = StagedList(x) if type(x) is list else x
            made[id(x)] = x, new
            if type(x) is tuple:
                parts = tuple(self._one(v, made) for v in x)
                made[id(x)] = x, x if all(a is b for a, b in zip(parts, x, strict=True)) else parts
            else:
                self._fill(new, made)
        return made[id(x)][1]

    def _fill(self, x: Any, made: dict[int, tuple[Any, Any]]) -> None:
        """Replaces what a container holds by what stands for it after the loop."""
        if type(x) in (list, StagedList) and _others(list.__iter__(x)):
            for i, v in enumerate(list.copy(x)):
                if (new := self._one(v, made)) is not v:
                    list.__setitem__(x, i, new)
        elif type(x) is dict and _others(x.values()):
            for k, v in x.items():
                if (new := self._one(v, made)) is not v:
                    x[k] = new


def _others(items: Iterable[Any]) -> list[Any]:
    """Returns the items that are no atoms."""
    found = list(items)
    return [] if ATOMS.issuperset(map(type, found)) else [x for x in found if type(x) not in ATOMS]


CONTAINERS: dict[type, Any] = {
    list: iter, StagedList: list.__iter__, tuple: iter, set: iter, frozenset: iter,
    dict: lambda x: [*x, *x.values()],
    **dict.fromkeys(VIEWS, gc.get_referents),
}
"""Types of containers -> what gives the parts of one."""

SIZED = frozenset({*CONTAINERS, range, str, bytes})
"""Types of what a loop may go through."""

ITERATORS = frozenset({
    enumerate, zip, GeneratorType, reversed, type(reversed([])),
    *(type(iter(kind())) for kind in (list, tuple, str, bytes, set, dict)),
    *(type(iter(view({}))) for view in (dict.values, dict.items)), type(iter(range(0)))})
"""Types of iterators that read such containers."""
