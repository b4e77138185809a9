"""Which functions are decorated: those with a dispatcher of their own, not with a copy of one.

`functools.wraps` gives a wrapper the attributes of the function that it wraps: whoever asks one of
them gets the answer of the other function. So what is decorated is asked here.
"""

from __future__ import annotations

import weakref
from types import FunctionType
from typing import Any

from autograph.own_attributes import class_has


def own(f: FunctionType, dispatcher: Any) -> None:
    """Gives a function its dispatcher. A copy of the attributes of another function replaces the
    one that has a common name; that of its own name stays, and keeps the dispatcher alive."""
    f.__dict__["__ag_dispatcher__"] = f.__dict__[_own_name(f)] = dispatcher


def dispatcher_of(f: Any) -> Any:
    """Returns the dispatcher of a decorated function; None for anything else.

    >>> import functools
    >>> import autograph as ag
    >>> square = ag.function(lambda x: x * x)
    >>> wrapper = functools.wraps(square)(lambda x: 3 * square(x))
    >>> dispatcher_of(square) is None, dispatcher_of(wrapper) is None
    (False, True)
    """
    if class_has(type(f), "__ag_entry__"):  # what a class body has for it, and a static method
        f = f.entry
    found = vars(f).get(_own_name(f)) if type(f) is FunctionType else None
    return found if found is not None and found.entry_point.function() is f else None


def python_function_of(f: Any) -> Any:
    """Returns the user's function inside a decorated one; anything else as it is."""
    found = dispatcher_of(f)
    return f if found is None else found.python_function


def functions_in(f: Any) -> list[Any]:
    """Returns the functions in a static or class method, or in a property; else the callable.

    >>> functions_in(staticmethod(len)), functions_in(property(len)), functions_in(len)
    ([<built-in function len>], [<built-in function len>], [<built-in function len>])
    """
    if isinstance(f, (staticmethod, classmethod)):
        return [f.__func__]
    if isinstance(f, property):
        return [x for x in (f.fget, f.fset, f.fdel) if x is not None]
    return [f]


def gives_traces(x: Any) -> bool:
    """Returns True for what has graphs to save and to export: a decorated function, its method for
    an instance, a trace."""
    return hasattr(x, "get_concrete_function") and (
        type(x) is not FunctionType or dispatcher_of(x) is not None)


def note(f: Any, name: str, value: Any) -> None:
    """Gives a function an attribute that is for itself alone."""
    vars(f)[name] = weakref.ref(f), value


def noted(f: Any, name: str, default: Any = None) -> Any:
    """Returns what `note` gave a function; the default, if it has it from another one."""
    owner, value = vars(f).get(name, (None, default))
    return value if owner is not None and owner() is f else default


def _own_name(f: FunctionType) -> str:
    return f"__ag_dispatcher_{id(f)}__"
