"""Objects written in C whose state a trace cannot see, such as files, hashes and compressors.

Each run calls the methods of one that was there before the trace. Those of one that the function
made run at once, while it is traced, unless the graph decides if, or how often, or with what: then
the object has to be one of the run's, which the error asks for.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable
from functools import _lru_cache_wrapper, wraps
from io import BytesIO, IOBase, StringIO
from types import MethodDescriptorType, ModuleType
from typing import Any, NoReturn

from autograph.libraries import OPAQUE, is_library, is_python, package_of
from autograph.own_attributes import compares_by_identity, defines, held
from autograph.runtime.heap.iterators import is_iterator, is_of_users_class
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.new_objects import (
    is_new,
    is_young,
    refuse_new_class,
)
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import LEAVES, all_leaves
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import LOWERED, Tensor
from autograph.weak_id_dict import IdentityDict

UNCHANGING: tuple[type, ...] = (type, ModuleType, re.Match, struct.Struct)
"""Classes written in C whose objects do not change, although they compare by identity."""

FOLLOWED = ("builtins", "itertools")
"""Modules whose objects the trace follows: containers, and iterators, which it reads by cursors."""

CLOSES = "__ag_closes__"
"""The attribute of an error with the class that has to be closed."""


def has_hidden_state(x: Any) -> bool:
    """Returns True for an object of Python's library that is written in C and is no value: it
    compares by identity. Or for one of a class of the user's that is derived from such a class.

    >>> has_hidden_state(open), has_hidden_state("text"), has_hidden_state(re.compile("a"))
    (False, False, False)
    """
    cls = type(x)
    known = _hiding.values.get(id(cls))
    if known is None:
        _hiding.put(cls, known := _hides_state(cls))
    return known and not isinstance(x, UNCHANGING)


_hiding: IdentityDict[bool] = IdentityDict()
"""A class -> True if its objects have hidden state."""


def _hides_state(cls: Any) -> bool:
    if is_python(cls.__module__):
        return compares_by_identity(cls) and cls.__module__ not in FOLLOWED
    return any(compares_by_identity(base) and _is_in_c(base) and (
        base.__module__ not in FOLLOWED or "__next__" in vars(base)) for base in cls.__mro__)


def _is_in_c(cls: type) -> bool:
    """Returns True for a class of Python's library that has methods written in C."""
    return is_python(cls.__module__) and any(
        type(x) is MethodDescriptorType for x in vars(cls).values())


def is_stream(x: Any) -> bool:
    """Returns True for a stream or file, which gives its lines as an iterator does, and for any
    other iterator with attributes whose class is a library's."""
    cls = type(x)
    return cls not in LEAVES and defines(cls, "__next__") and not (
        is_iterator(x) or is_of_users_class(x)) and package_of(cls.__module__) != "autograph" and (
        cls.__module__ not in OPAQUE)


def is_used_by_run(x: Any, symbolic: bool) -> bool:
    """Returns True for a stream or file from outside that the graph has to use: it is an argument,
    values of the run are given to it, a branch or loop uses it, or the graph used it before.

    Each run makes the calls of any other object from outside: what one tells changes by the next.
    """
    here = trace.current_region()
    if here is None or not trace.from_outside(x):
        return False
    if (symbolic or here.parent is not None or here.trace.mode.effects_at_run_time
            or id(x) in here.trace.given or not isinstance(x, IOBase)):
        here.trace.read_by_run.add(id(x))
    return id(x) in here.trace.read_by_run


def note_chosen(x: Any) -> None:
    """Notes an iterator or file from outside that is one of several in the graph: what reads the
    one that the run takes is an effect, also where nothing uses what it gives. From here on the run
    reads each of them."""
    if type(x) not in LEAVES and defines(type(x), "__next__"):
        trace.want_one("is an iterator that the run chooses")
        here = trace.current_region()
        if here is not None and trace.from_outside(x):
            here.trace.read_by_run.add(id(x))


def followed(method: Callable[..., Any], owner: Any, by_run: Callable[..., Any]
             ) -> Callable[..., Any]:
    """Returns what calls a method of an object with hidden state: `by_run`, which has the graph
    call it, or the method itself, at once."""
    @wraps(method, updated=())
    def called(*args: Any, **kwargs: Any) -> Any:
        here, is_cache = trace.current_region(), type(owner) is _lru_cache_wrapper
        symbolic = here is not None and any(
            isinstance(x, Tensor) or type(x) in LOWERED for x in all_leaves((args, kwargs)))
        if not (is_stream(owner) or is_library(type(owner).__module__)) or overrides_library(
                type(owner)):
            _check_derived(method.__name__, owner, symbolic)
            return method(*args, **kwargs)
        if not is_cache and is_used_by_run(owner, symbolic):
            return by_run(*args, **kwargs)
        if here is not None and (symbolic or here.parent is not None or is_cache):
            refuse_change(method.__name__, type(owner))
        return method(*args, **kwargs)

    return called


def note_maker(function: Any) -> None:
    """Notes that a class or function of Python's library is called, which may make an object."""
    here, module = trace.current_region(), held(function, "__module__")
    if here is not None and type(module) is str and is_python(module) and isinstance(
            held(function, "__self__"), (type(None), ModuleType)):
        here.trace.allocations.makers.add(
            function if isinstance(function, type) and not _is_in_c(function) else _topic(module))


def _topic(module: str) -> str:
    """Returns what the modules of a topic have in common: `threading` makes objects of `_thread`.
    """
    return package_of(module).strip("_")


def refuse_shared(x: Any) -> None:
    """Refuses to let an object with hidden state, such as a buffer, leave the function, branch or
    loop that made it as a constant: all calls would have one. The error asks for one of the run's.

    Raises:
      TracingError: the object is such a one.
    """
    here, cls = trace.current_region(), type(x)
    if here is None or not has_hidden_state(x) or callable(x) or (
            id(x) in here.trace.visited) or trace.from_outside(x):
        return
    makers, topic = here.trace.allocations.makers, _topic(cls.__module__)
    if cls in makers or (_is_in_c(cls) and any(
            type(made) is str and made.startswith(topic) for made in makers)):
        refuse_shared_object(x)


def check_shared(x: Any, since: Region | None = None) -> None:
    """Refuses a new object or class as a constant where each call, or iteration of a region, needs
    another one.

    Raises:
      TracingError: it is new; the error asks for one of the run's.
    """
    if isinstance(x, type):
        if not _is_of_module(x) and is_young(x, since):
            refuse_new_class(x)
    elif is_new(x):
        here = trace.current_region()
        if here is not None and id(x) in here.trace.allocations.before:  # it stands for an argument
            need_object(x, "belongs to the caller, and is held by what only the run knows")
        refuse_shared_object(x)


def _is_of_module(cls: type) -> bool:
    """Returns True for a class that its module has by its name."""
    module = sys.modules.get(held(cls, "__module__") or "")
    return held(module, cls.__name__) is cls


def refuse_shared_object(x: Any) -> NoReturn:
    """Raises the error of an object that the function makes, and of which each call has to have
    another one; it asks for one of the run's."""
    here, cls = trace.current_region(), type(x)
    error = TracingError(
        f"an object of the class {cls.__name__} that the function makes would be the same one for "
        f"all calls{at(user_location())}\n  hint: make it outside the function")
    if here is not None and isinstance(x, (StringIO, BytesIO)):
        here.trace.want(x, "leaves the function")
    else:
        vars(error)[CLOSES] = cls
    raise error


def overrides_library(cls: type) -> bool:
    """Returns True for a class of the user's with a method or attribute that the library's class
    has from which it is derived: methods in C may call it."""
    known = _overriding.values.get(id(cls))
    if known is None:
        _overriding.put(cls, known := _overrides(cls))
    return known


_overriding: IdentityDict[bool] = IdentityDict()
"""A class -> True if it overrides what a library's class has."""


def _overrides(cls: type) -> bool:
    own = {name for base in cls.__mro__ if not is_library(base.__module__) for name in vars(base)}
    return not own.isdisjoint(
        name for base in cls.__mro__[:-1] if is_library(base.__module__) for name in vars(base)
        if name not in UNUSED_IN_C)


UNUSED_IN_C = frozenset((
    "__init__", "__new__", "__repr__", "__str__", "__doc__", "__module__", "__dict__",
    "__weakref__", "__slots__", "__annotations__"))
"""What methods in C do not ask an object for."""


def _check_derived(name: str, owner: Any, symbolic: bool) -> None:
    """Refuses a call of a method in C of an object of a class of the user's, unless it is as if
    there were no trace: such an object is neither one of the run's nor one whose state is seen."""
    here = trace.current_region()
    if here is not None and (symbolic or here.parent is not None or trace.from_outside(owner)):
        raise TracingError(
            f"{name}() of an object of the class {type(owner).__name__}, which is derived from a "
            f"class written in C, changes what no trace sees{at(user_location())}\n"
            "  hint: hold an object of the class in C in an attribute", about_state=True)


def check_given(name: str, args: Any) -> None:
    """Refuses a call of a function in C, in a branch or loop, that may change an object."""
    here = trace.current_region()
    if here is not None and here.parent is not None:
        for x in all_leaves(args):
            if has_hidden_state(x) and is_python(type(x).__module__):
                refuse_change(name, type(x))


def refuse_change(name: str, cls: type) -> NoReturn:
    """Raises the error of a call that may change an object: the run has to make it, if it can."""
    error = TracingError(
        f"{name}() of an object of the class {cls.__name__}, which it may change, is called where "
        f"the graph decides if or how often, or with or for values that only the run knows"
        f"{at(user_location())}\n  hint: call it outside the branch or loop, or in a function "
        "that is called with ag.py_function")
    vars(error)[CLOSES] = cls
    raise error
