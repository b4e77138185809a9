"""Attributes in C: a function's name, a context's precision, the bases of a class.

No location of the heap holds one, and most take values of one class, which symbolic ones are not.
"""

from __future__ import annotations

import sys
from types import (
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any
from weakref import ProxyTypes

import numpy as np

from autograph.libraries import is_library, is_python, package_of
from autograph.own_attributes import held
from autograph.runtime.heap.locations import members_of
from autograph.runtime.heap.objects import NO_STATE
from autograph.runtime.heap.run_time_containers import has_tensor
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.reading import as_read
from autograph.runtime.symbolic.source_locations import user_location

FOLLOWED: tuple[tuple[type, frozenset[str]], ...] = (
    (object, frozenset({"__class__", "__dict__", "__weakref__"})),
    (FunctionType, frozenset({"__defaults__", "__kwdefaults__"})),
    (BaseException, frozenset({"__traceback__"})))
"""Attributes in C that the trace follows in other ways, or that nothing depends on."""


def is_in_c(x: Any, name: str) -> bool:
    """Returns True if code in C keeps an attribute of an object, and no location holds it; or it is
    a special attribute of a class or function, or one of a library's module, or of an object that
    is no state.

    >>> is_in_c(is_in_c, "__name__"), is_in_c(is_in_c, "mark"), is_in_c(KeyError(), "args")
    (True, False, False)
    """
    cls = type(x)
    if isinstance(x, np.ndarray) and (name in (x.dtype.names or ()) or isinstance(
            held(x, name), (np.ndarray, np.flatiter))):
        return False  # an item, or the memory itself
    if isinstance(x, ModuleType) and is_library(x.__name__):
        return True
    if str(cls.__module__).startswith("autograph.") or any(
            isinstance(x, known) and name in names for known, names in FOLLOWED):
        return False
    if package_of(str(cls.__module__)) in NO_STATE or (
            isinstance(x, (type, FunctionType)) and name.startswith("__")) or _keeps_itself(x):
        return True
    base = next((base for base in cls.__mro__ if name in vars(base)), None)
    return base is not None and _sets_in_c(base, name) and name not in members_of(cls)


def _keeps_itself(x: Any) -> bool:
    """Returns True for a class whose metaclass has a `__setattr__` in Python's library, as that of
    an enumeration: it may keep an attribute anywhere."""
    setter = held(type(x), "__setattr__")
    return isinstance(x, type) and type(setter) is FunctionType and (
        is_python(setter.__globals__.get("__name__")))


def is_item_in_c(x: Any) -> bool:
    """Returns True if code in C keeps the items of an object, and no location holds them.

    >>> import ctypes
    >>> is_item_in_c((ctypes.c_int * 2)()), is_item_in_c([]), is_item_in_c(np.zeros(2))
    (True, False, False)
    """
    if x is sys.modules:  # which a trace itself looks into
        return True
    base = next((base for base in type(x).__mro__ if "__setitem__" in vars(base)), None)
    return base is not None and type(x) not in ProxyTypes and isinstance(
        vars(base)["__setitem__"], WrapperDescriptorType) and (
        package_of(str(base.__module__)) not in WITH_ITEMS)


WITH_ITEMS = ("array", "autograph", "builtins", "collections", "numpy")
"""Modules whose containers the trace follows."""


def _sets_in_c(base: type, name: str) -> bool:
    """Returns True if what a class has under a name is a descriptor that code in C sets."""
    found = vars(base)[name]
    if isinstance(found, (GetSetDescriptorType, MemberDescriptorType)):
        return "__slots__" not in vars(base)
    setter = held(type(found), "__set__")
    return isinstance(setter, WrapperDescriptorType) and not isinstance(found, property)


def refuse_in_c(x: Any, name: str) -> None:
    """Refuses to set an attribute in C where the run decides if it is set.

    Raises:
      TracingError: always.
    """
    kind = "class" if isinstance(x, type) else "module" if isinstance(x, ModuleType) else None
    what = f"a {type(x).__name__} object" if kind is None else f"the {kind} {x.__name__}"
    raise TracingError(
        f"{name} of {what} is set where the run decides if it is{at(user_location())}\n"
        "  hint: set it before, or make another object")


def storing(x: Any, *key: Any) -> Any:
    """Returns what the next store of the item or attribute `key` of an object goes through."""
    if not (key and type(key[0]) is str):
        return x
    here = trace.current_region()
    return InC(x) if is_in_c(x, key[0]) else Reading(x) if here and here.trace.lacks else x


def set_in_c(x: Any, name: str, value: Any) -> None:
    """Sets an attribute in C.

    Raises:
      TracingError: it does not take a symbolic value, which the attribute's code takes for one of
        the wrong class.
    """
    try:
        setattr(x, name, value)
    except Exception as error:
        if not has_tensor(value):
            raise
        raise TracingError(
            f"{name} of a {type(x).__name__} object is set to a value that only the run knows"
            f"{at(user_location())}\n  hint: do it in a function under ag.py_function") from error


class InC:
    """An object of which the next store sets an attribute in C."""

    __slots__ = ("_ag_owner",)

    def __init__(self, owner: Any) -> None:
        object.__setattr__(self, "_ag_owner", owner)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ag_owner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        set_in_c(self._ag_owner, name, value)


class Reading(InC):
    """An object of which the next store sets an attribute, or item, to what a program reads, where
    a value is that of an attribute that another object may lack."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._ag_owner, name, as_read(value))

    def __delattr__(self, name: str) -> None:
        delattr(self._ag_owner, name)

    def __getitem__(self, key: Any) -> Any:
        return self._ag_owner[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._ag_owner[key] = as_read(value)

    def __delitem__(self, key: Any) -> None:
        del self._ag_owner[key]
