"""New objects: those that a function makes while it is traced, and that are no values.

Two objects with the same attributes are told apart by their identity, or by what is changed in one
of them. So a new one that leaves the function, a branch or a loop cannot be a constant of the
graph: all calls would have one. The run makes another one for each.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection
from copyreg import __newobj__  # type: ignore[attr-defined]
from enum import Enum
from functools import _lru_cache_wrapper
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
    TracebackType,
    WrapperDescriptorType,
)
from typing import Any, NoReturn

import numpy as np

from autograph.libraries import is_library, package_of
from autograph.own_attributes import compares_by_identity, declared_attributes, held
from autograph.runtime.heap.objects import allocator, build, contents_of, module_of, set_attributes
from autograph.runtime.heap.young_objects import younger_than
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.own_contents import made_by
from autograph.runtime.ir.pytree import LEAVES
from autograph.runtime.ir.types import CONTAINERS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import user_location
from autograph.weak_id_dict import IdentityDict

CODE = (type, FunctionType, MethodType, BuiltinFunctionType, _lru_cache_wrapper, ModuleType,
        CodeType, FrameType, TracebackType, WrapperDescriptorType)
"""Types of code, which has rules of its own, and of what Python makes of it."""

OTHERS = (*CONTAINERS, Enum, slice, np.ndarray, np.generic, np.dtype, np.ufunc)
"""Types whose objects are values, or have rules of their own."""


def is_new(x: Any) -> bool:
    """Returns True for an object with an identity, no function or class, that the function made.

    A container, which has rules of its own, is none.
    """
    here = trace.current_region()
    if here is None or type(x) in LEAVES:
        return False
    if type(x) is frozenset:
        return any(map(is_new, x))
    if not has_identity(x):
        return False
    if id(x) in here.trace.visited or trace.from_outside(x):
        return False
    return type(x) is object or (gc.is_tracked(x) and is_young(x))


def refuse_shared_class(cls: type) -> None:
    """Refuses to let an object leave whose class the function makes, if that, or a base of it,
    holds what can be changed: all calls would have one class.

    Raises:
      TracingError: the class is such a one.
    """
    for made in () if issubclass(cls, Enum) else cls.__mro__:
        if any(is_plain_container(x) or isinstance(x, np.ndarray) for name, x in vars(made).items()
               if name != "_field_defaults") and is_young(made):
            refuse_new_class(made)


def refuse_new_class(cls: type) -> NoReturn:
    """Raises the error of a class that the function makes, and that leaves it."""
    raise TracingError(
        f"the class {cls.__name__}, which the function makes, would be the same one for all calls"
        f"{at(user_location())}\n  hint: define the class outside the function")


def is_young(x: Any, since: Region | None = None) -> bool:
    """Returns True for an object that Python's collector tracks, and that is younger than a region;
    without one, than the trace."""
    here = trace.current_region()
    if here is None:
        return False
    since = since or here.trace.root
    if id(x) not in since.young and id(x) not in since.old:
        since.young.update(map(id, younger_than(since)))  # an older object has the id of none
        if id(x) not in since.young:
            since.old[id(x)] = x
    return id(x) in since.young


def has_identity(x: Any) -> bool:
    """Returns True for an object that can be told from another one with the same contents: it
    compares by identity, or can be changed.

    >>> import datetime
    >>> has_identity(object()), has_identity(datetime.date(2020, 1, 1)), has_identity(len)
    (True, False, False)
    """
    cls = type(x)
    known = _identities.values.get(id(cls))
    if known is None:
        _identities.put(cls, known := _has_identity(cls))
    return known


_identities: IdentityDict[bool] = IdentityDict()
"""A class -> True if its objects have an identity."""


def _has_identity(cls: type) -> bool:
    module = package_of(module_of(cls))
    if issubclass(cls, (*CODE, *OTHERS)) or module == "autograph" or (
            module == "numpy" and not cls.__dictoffset__):
        return False
    by_identity = compares_by_identity(cls) or cls.__hash__ is None or (
        cls is MappingProxyType)  # from 3.12 on its hash is that of what it shows
    return by_identity or bool(cls.__dictoffset__ or declared_attributes(cls))


def is_new_function(x: Any, since: Region | None) -> bool:
    """Returns True for a function that a region made: each iteration makes another one."""
    return type(x) is FunctionType and since is not None and (
        "<locals>" in x.__qualname__) and is_young(x, since)


def is_new_key(x: Any) -> bool:
    """Returns True for a key of a dict that each call makes: it holds a new object or function."""
    if type(x) in LEAVES:
        return False
    return any(map(is_new_key, x)) if isinstance(x, tuple) else is_new(x) or (
        type(x) is FunctionType and "<locals>" in x.__qualname__ and is_young(x))


def is_made_again(x: Any) -> bool:
    """Returns True for a new object of which the run can make another one."""
    return is_new(x) and how_to_copy(x) is not None


OF_COPIES = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__",
             "__getnewargs_ex__")
"""Methods by which a class says how its objects are copied."""


def how_to_copy(x: Any) -> tuple[Callable[..., Any], list[Any]] | None:
    """Returns a function, and its arguments, that make another object like one, as the module
    `copy` does (https://docs.python.org/3/library/pickle.html#object.__reduce_ex__); None if its
    class does not say how, or a method of the user's does."""
    if not is_library(module_of(type(x))) and any(
            isinstance(held(type(x), name), FunctionType) for name in OF_COPIES):
        return None
    if type(x) is FunctionType:
        return how_to_define(x, set(map(id, x.__closure__ or ())))
    if _has_own_state(type(x)):
        found = contents_of(x)
        return build, [type(x), tuple(found), *found.values()]
    if type(x) is MappingProxyType:
        return MappingProxyType, gc.get_referents(x)
    try:
        found = x.__reduce_ex__(4)
    except Exception:  # it cannot be copied
        return None
    make, args, state, *items = (*found, None, None, None)[:5] if type(found) is tuple else (
        None, None, None, None)
    if make is None or any(items):
        return None
    if make is __newobj__:
        make = allocator(type(x))
    elif make is type(x):
        make, args = _of_library, (make, *args)
    if state is None and not is_library(module_of(type(x))):
        state = contents_of(x)  # of a date, for one, the class in C does not give them
    return _copy, [make, args, state]


def _of_library(cls: Any, *args: Any) -> Any:
    """Returns a new object as the class of a library makes it that a user's class extends: the
    user's own `__new__` and `__init__` have run already."""
    return made_by(next(c for c in cls.__mro__ if is_library(module_of(c))), cls, *args)


def _has_own_state(cls: type) -> bool:
    """Returns True for a class written in Python whose objects are attributes alone, and whose own
    `__getstate__` gives a copy others, as that of a polynomial does."""
    default: Any = object
    return isinstance(cls.__getstate__, FunctionType) and all(
        getattr(cls, name) is getattr(default, name)
        for name in ("__new__", "__reduce__", "__reduce_ex__"))


def how_to_define(f: FunctionType, kept: Collection[int]) -> tuple[Callable[..., Any], list[Any]]:
    """Returns a function, and its arguments, that make another function like one, of its cells, its
    defaults and its attributes; `kept`: the ids of the cells that stay the same."""
    own = [c for c in f.__closure__ or () if id(c) not in kept]
    defaults, keywords, attributes = f.__defaults__ or (), f.__kwdefaults__ or {}, dict(vars(f))
    code, scope, name, closure = f.__code__, f.__globals__, f.__name__, f.__closure__
    bare = FunctionType(code, scope, name, None, closure)
    said = {what: value for what in ("__qualname__", "__doc__", "__annotations__")
            if (value := getattr(f, what)) != getattr(bare, what)}

    def make(*parts: Any) -> FunctionType:
        cells = iter(parts)
        made = FunctionType(code, scope, name, None, closure if not own else tuple(
            c if id(c) in kept else next(cells) for c in closure or ()))
        if defaults:
            made.__defaults__ = tuple(next(cells) for _ in defaults)
        if keywords:
            made.__kwdefaults__ = {name: next(cells) for name in keywords}
        if attributes:
            vars(made).update(zip(attributes, cells, strict=True))
        if said:
            for what, value in said.items():
                setattr(made, what, dict(value) if what == "__annotations__" else value)
        return made

    return make, [*own, *defaults, *keywords.values(), *attributes.values()]


def _copy(make: Callable[..., Any], args: tuple[Any, ...], state: Any) -> Any:
    made = make(*args)
    if state is not None and hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return made
    attributes, declared = state if type(state) is tuple else (state, None)
    set_attributes(made, attributes or {})
    for name, value in (declared or {}).items():
        object.__setattr__(made, name, value)
    return made
