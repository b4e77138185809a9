"""Finds what holds a symbolic value that outlives its trace, and names it as a program does."""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from threading import local
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

from autograph.libraries import is_library
from autograph.own_attributes import declared_attributes, held_among, own_dict
from autograph.runtime.symbolic.region import Region

Path = list[Any]
"""Objects, each of which refers to the next one."""

GRAPHS = ("autograph.runtime.ir.", "autograph.runtime.ops.")
"""The packages whose objects make up a graph. Functions that its equations refer to are made again
by the run, over its own values."""

NOT_ENTERED = (FrameType, BuiltinFunctionType)
UNTRACKED = (CodeType, np.ndarray)
"""Classes of objects that refer to others, which Python's collector does not know."""
MAX_LOOKED = 200_000
"""So many references are followed at most to name an object."""


def path_to(sought: Set[int], roots: Iterable[Any]) -> Path:
    """Returns the shortest path from one of some roots to an object with one of some ids; empty if
    none is found."""
    above: dict[int, tuple[Any, Any]] = {}  # by id: an object that was found, what refers to it
    pending = deque[tuple[Any, Any]]((x, None) for x in roots)
    left = MAX_LOOKED
    while pending:
        x, owner = pending.popleft()
        if id(x) in above:
            continue
        above[id(x)] = x, owner
        if id(x) in sought:
            path = [x]
            while (owner := above[id(path[-1])][1]) is not None:
                path.append(owner)
            return path[::-1]
        children = _entered(x)[:left // 10]  # a long list leaves something for the others
        left -= len(children)
        pending.extend((child, x) for child in children if _leads_on(child))
    return []


def _entered(x: Any) -> list[Any]:
    """Returns what an object refers to, but for what leads to the whole process, and graphs."""
    if isinstance(x, NOT_ENTERED) or is_part_of_graph(x) or (
            isinstance(x, ModuleType) and is_library(_name(x))):
        return []
    own = [vars(x)] if isinstance(x, local) else []  # the thread holds it
    return [*own, *referents(x)]


def _leads_on(x: Any) -> bool:
    return not is_scope(x) and (gc.is_tracked(x) or issubclass(type(x), UNTRACKED))


def referents(x: Any) -> list[Any]:
    """Returns what an object refers to, also if the collector does not know."""
    if isinstance(x, CodeType):
        return [x.co_consts]
    if issubclass(type(x), np.ndarray):
        return x.ravel().tolist() if x.dtype == object else []
    return gc.get_referents(x)


def is_part_of_graph(x: Any) -> bool:
    """Returns True for a part of a graph, for a function of ours that one calls, for a table of
    ours, and for what the trace itself consists of."""
    scope = x.__globals__ if isinstance(x, FunctionType) else x
    if is_scope(scope):
        return _is_own(scope)
    return isinstance(x, Region) or module_of_class(x).startswith(GRAPHS)


def module_of_class(x: Any) -> str:
    """Returns the name of the module of an object's class, whatever the class says it is."""
    return str(type(x).__module__)


def _is_own(scope: dict[str, Any]) -> bool:
    return str(scope.get("__name__")).startswith("autograph.")


def is_scope(x: Any) -> bool:
    """Returns True for the global variables of a module."""
    return type(x) is dict and "__builtins__" in x and "__name__" in x


def scopes_of_program() -> Iterator[dict[str, Any]]:
    """Yields the global variables of the program's modules."""
    return (vars(m) for m in _modules() if not is_library(_name(m)))


def kept_by_libraries() -> Iterator[Any]:
    """Yields the global variables of libraries' modules: their classes, containers and objects."""
    for m in _modules():
        if is_library(_name(m)) and not _is_own(vars(m)):
            yield from (x for x in list(vars(m).values())
                        if not isinstance(x, (FunctionType, ModuleType)))


def _name(module: ModuleType) -> str:
    return str(vars(module).get("__name__"))


def _modules() -> list[ModuleType]:
    return [m for m in list(sys.modules.values()) if isinstance(m, ModuleType)]


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


def name_of(path: Path, named: Sequence[tuple[str, Any]]) -> str:
    """Returns how a program reaches the last object of a path, or nearly so: `o.c.items[3]`.

    named: objects, and what they are called.
    """
    text = next((name for name, x in named if x is path[0]), "")
    for owner, x, child in zip([None, *path], path, path[1:], strict=False):
        if module_of_class(x).startswith("autograph."):
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
