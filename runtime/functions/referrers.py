"""Finds what refers to an object and keeps it alive, and names it as a program does."""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import CellType, FrameType, FunctionType
from typing import Any

from autograph.own_attributes import held_among, own_dict
from autograph.runtime.heap.objects import declared_attributes
from autograph.runtime.symbolic.region import Region

Path = list[Any]
"""Objects, each of which refers to the next one."""

GRAPHS = ("autograph.runtime.ir.", "autograph.runtime.ops.")
"""The packages whose objects make up a graph. Functions that its equations refer to are made again
by the run, over its own values."""

DEBUGGERS = ("debugpy.", "pydevd", "_pydevd_")
"""Where the modules' names begin that make up a debugger, beside the classes of `bdb`."""

RESUMED = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
MAX_STEPS = 20
MAX_WIDTH = 24
"""So many objects are asked for at most in a step: the collector compares each reference of all
objects of the process with each of them."""

OF_CALLS = dict, list, set, tuple, CellType, FunctionType
"""What no object refers to, if it is one of these, is a variable of a call of ours: the collector
does not see those."""


def referring_path(objects: list[Any], known: Iterable[int]) -> Path:
    """Returns a short path to one of some objects from what outlives a trace: a module, an object
    whose id is `known`, or one that no object of Python's refers to. Graphs do not count, nor does
    a class that only they and itself refer to.
    """
    following: dict[int, Any] = {}  # by id: what an object refers to, on the way
    seen, level, known, unnamed = {id(x): x for x in objects}, objects, set(known), None
    for _ in range(MAX_STEPS):
        ours = {id(x) for x in (objects, following, seen, level, *stack())}
        above, referred = _referrers(level, ours)
        named = next((x for x in level if id(x) in known or is_scope(x)), None)
        if named is not None:
            return _followed(named, following)
        if unnamed is None:
            unnamed = next((x for x in level if id(x) not in referred and not isinstance(
                x, OF_CALLS)), None)
        above = [(x, child) for x, child in above if id(x) not in seen][:MAX_WIDTH]
        level = [x for x, _ in above]
        following |= {id(x): child for x, child in above}
        seen |= {id(x): x for x in level}
        above.clear()  # its pairs would be found as well
    return [] if unnamed is None else _followed(unnamed, following)


def _referrers(level: list[Any], ours: set[int]) -> tuple[list[tuple[Any, Any]], set[int]]:
    """Returns what refers to some objects, each with one of these, and the ids of those that
    something refers to, graphs included."""
    above, referred = [], set[int]()
    below = {id(x) for x in level}
    given = tuple(level)  # refers to them, too
    for x in gc.get_referrers(*given) if given else ():
        children = [] if x is given or id(x) in ours else [
            c for c in gc.get_referents(x) if id(c) in below]
        referred.update(map(id, children))
        if children and not is_part_of_graph(x):
            above.append((x, children[0]))
    return above, referred


def _followed(x: Any, following: dict[int, Any]) -> Path:
    path = [x]
    while id(path[-1]) in following:
        path.append(following[id(path[-1])])
    return path


def is_of_debugger(x: Any) -> bool:
    """Returns True for an object of a debugger, which may show symbolic values as long as it
    likes."""
    return any(c.__module__ == "bdb" or c.__module__.startswith(DEBUGGERS)
               for c in type(x).__mro__)


def is_part_of_graph(x: Any) -> bool:
    """Returns True for a part of a graph, for a function of ours that one calls, for a table of
    ours, and for what the trace itself consists of."""
    scope = x.__globals__ if isinstance(x, FunctionType) else x
    if is_scope(scope):
        return _is_own(scope)
    return isinstance(x, Region) or type(x).__module__.startswith(GRAPHS)


def _is_own(scope: dict[str, Any]) -> bool:
    return str(scope.get("__name__")).startswith("autograph.")


def is_scope(x: Any) -> bool:
    """Returns True for the global variables of a module."""
    return type(x) is dict and "__builtins__" in x and "__name__" in x


def stack() -> Iterator[FrameType]:
    """Yields the frames of the calls that are running."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def variables_of_callers() -> Iterator[tuple[str, Any]]:
    """Yields the local variables of the program's calls that are running: the collector does not
    see that they refer to something."""
    for frame in stack():
        if not _is_own(frame.f_globals) and frame.f_locals is not frame.f_globals:
            yield from frame.f_locals.items()


def ended_calls(path: Path) -> list[FrameType]:
    """Returns the frames on a path whose calls have ended: exceptions refer to them."""
    return [x for x in path if isinstance(x, FrameType) and not x.f_code.co_flags & RESUMED]


def name_of(path: Path, named: Sequence[tuple[str, Any]]) -> str:
    """Returns how a program reaches the last object of a path, or nearly so: `o.c.items[3]`.

    named: objects, and what they are called.
    """
    text = next((name for name, x in named if x is path[0]), "")
    for owner, x, child in zip([None, *path], path, path[1:], strict=False):
        if type(x).__module__.startswith("autograph."):
            break
        text = _step(text or f"something of the class {type(x).__name__}", owner, x, child)
    return text


def _step(text: str, owner: Any, x: Any, child: Any) -> str:
    """Returns the name of `child`, to which `x` refers, an object with the name `text`."""
    if isinstance(x, (list, tuple, deque)):
        number = next(i for i, part in enumerate(x) if part is child)
        return text if isinstance(owner, FunctionType) else f"{text}[{number}]"
    if isinstance(x, dict):
        key = next((k for k, part in x.items() if part is child), ...)
        if is_scope(x):
            return str(key)
        has_attributes = isinstance(owner, type) or own_dict(owner) is x
        return f"{text}.{key}" if has_attributes else f"{text}[{key!r}]"
    attributes = held_among(x, [*(own_dict(x) or ()), *declared_attributes(type(x))])
    name = next((name for name, part in attributes.items() if part is child), "")
    return f"{text}.{name}" if name else text
