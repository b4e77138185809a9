"""Containers in the modules of libraries: code with the right names can get at them."""

from __future__ import annotations

import linecache
import sys
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from autograph.libraries import is_library
from autograph.own_attributes import own_dict
from autograph.runtime.heap.locations import Attributes, Global
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.symbolic.source_locations import user_location

IMMUTABLE = 1 << 8
"""The flag of a class whose attributes nobody can set."""


def containers_named(module: ModuleType, names: Iterable[str], known: set[tuple[int, str]]
                     ) -> Iterator[Global]:
    """Yields the variables of a library's module that hold containers, of those with some names,
    and the attributes of the modules and objects there; not those that are `known`, to which they
    are added.

    >>> import json, logging
    >>> names = "root", "handlers", "encoder", "ESCAPE_DCT", "dumps"
    >>> [x.name for m in (json, logging) for x in containers_named(m, names, set())]
    ['ESCAPE_DCT', 'handlers']
    """
    for owner, scope in _owners_named(module, names):
        for name in () if isinstance(owner, type) else names:
            if isinstance(scope.get(name), (list, dict, set, deque)) and (
                    id(scope), name) not in known:
                known.add((id(scope), name))
                yield Global(scope, name)


def scopes_named(module: ModuleType, names: Iterable[str]) -> list[dict[str, Any]]:
    """Returns the variables of a module; of a library's, also those of the modules and objects to
    which some names lead from there."""
    if not is_library(module.__name__):
        return [vars(module)]
    return [scope for _, scope in _owners_named(module, names) if type(scope) is dict]


def stores_named(module: ModuleType, names: Iterable[str], stored: Iterable[str]
                 ) -> Iterator[Global | Attributes]:
    """Yields what code with some names may change in a library's module, and in its classes and
    objects, by the attributes that it sets."""
    for owner, scope in _owners_named(module, names):
        if isinstance(owner, type):
            yield Attributes(owner)
        else:
            yield from (Global(scope, name) for name in stored)


def _owners_named(module: ModuleType, names: Iterable[str]) -> Iterator[tuple[Any, Any]]:
    """Yields a library's module, and the modules, classes and objects of libraries to which some
    names lead from there; each with its attributes."""
    found: dict[int, tuple[Any, Mapping[str, Any]]] = {id(module): (module, vars(module))}
    pending = [*found.values()]
    for owner, scope in pending:  # it grows meanwhile
        yield owner, scope
        for x in map(scope.get, names):
            of_module = issubclass(type(x), (ModuleType, type))  # no proxy is asked
            inside: Any = vars(x) if of_module else own_dict(x)
            if inside and id(x) not in found and _is_of_library(x) and (
                    type(inside) is dict or not type.__dict__["__flags__"].__get__(x) & IMMUTABLE):
                found[id(x)] = x, inside
                pending.append(found[id(x)])


def _is_of_library(x: Any) -> bool:
    module = x.__name__ if type(x) is ModuleType else (
        x if issubclass(type(x), type) else type(x)).__module__
    return type(module) is str and is_library(module)


def refuse_pythons(container: Any) -> None:
    """Refuses to make a container an input of the graph that Python itself reads, while a function
    is traced as well.

    Raises:
      TracingError: it is `sys.path` or one of its like.
    """
    if any(container is x for x in (
            sys.path, sys.modules, sys.meta_path, sys.path_hooks, sys.path_importer_cache,
            linecache.cache, warnings.filters)):
        raise TracingError(
            f"a {type(container).__name__} that Python itself reads is changed where the run "
            f"decides{at(user_location())}\n  hint: do it outside the function", about_state=True)
