"""Objects written in C whose state a trace cannot see, such as files, hashes and compressors.

Their methods run at once while a function is traced. So they may not be called where the graph
decides if, or how often, nor with what only the run knows: there the object has to be one of the
run's, which the error asks for.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from functools import _lru_cache_wrapper, wraps
from types import ModuleType
from typing import Any, NoReturn

from autograph.libraries import is_python
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import LOWERED, Tensor

UNCHANGING: tuple[type, ...] = (type, ModuleType, re.Match, struct.Struct)
"""Classes written in C whose objects do not change, although they compare by identity."""

FOLLOWED = ("builtins", "itertools")
"""Modules whose objects the trace follows: containers, and iterators, which it reads by cursors."""

CLOSES = "__ag_closes__"
"""The attribute of an error with the class that has to be closed."""


def has_hidden_state(x: Any) -> bool:
    """Returns True for an object of Python's library that is written in C and is no value: it
    compares by identity.

    >>> has_hidden_state(open), has_hidden_state("text"), has_hidden_state(re.compile("a"))
    (False, False, False)
    """
    cls: Any = type(x)
    return cls.__eq__ is object.__eq__ and not isinstance(x, UNCHANGING) and (
        is_python(cls.__module__) and cls.__module__ not in FOLLOWED)


def followed(method: Callable[..., Any], owner: Any) -> Callable[..., Any]:
    """Returns what calls a method of an object with hidden state if the trace can follow it."""
    @wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        here = trace.current_region()
        if here is not None and (
                here.parent is not None or type(owner) is _lru_cache_wrapper or any(
                    isinstance(x, Tensor) or type(x) in LOWERED
                    for x in all_leaves((args, kwargs)))):
            refuse_change(method.__name__, type(owner))
        return method(*args, **kwargs)

    return called


def refuse_change(name: str, cls: type) -> NoReturn:
    """Raises the error of a call that may change an object: the run has to make it, if it can."""
    error = TracingError(
        f"{name}() of an object of the class {cls.__name__}, which it may change, is called where "
        f"the graph decides if or how often, or with or for values that only the run knows"
        f"{at(user_location())}\n  hint: call it outside the branch or loop, or in a function "
        "that is called with ag.py_function")
    vars(error)[CLOSES] = cls
    raise error
