"""Replacements of the builtins: `ag.len(x)` is `len(x)` unless `x` is symbolic."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from autograph.extension_points import POINTS
from autograph.operators.dispatch import BACKENDS, active
from autograph.traceback_filter import hide

F = TypeVar("F", bound=Callable[..., Any])

NAMES = ("__module__", "__name__", "__qualname__", "__doc__")
"""The attributes that a replacement takes from its builtin."""

BUILTIN_REPLACEMENTS: dict[builtins.str, Callable[..., Any]] = {}
"""The name of a builtin -> its replacement."""

OF_OBJECTS: frozenset[Callable[..., Any]] = frozenset({
    builtins.isinstance, builtins.hasattr, builtins.getattr, builtins.callable, builtins.id,
    builtins.type})
"""What asks about an object itself: of a variable, not of the value that it holds."""


def of_values(function: F) -> F:
    """Makes the replacement of a builtin that looks at its positional arguments only."""

    @wraps(function, NAMES, ())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        try:
            for arg in args:
                backend = BACKENDS.get(builtins.type(arg))
                if backend is not None:
                    result = backend.builtin(function, args, kwargs)
                    return function(*args, **kwargs) if result is NotImplemented else result
            return function(*args, **kwargs)
        except BaseException:
            hide()
            raise

    BUILTIN_REPLACEMENTS[function.__name__] = replacement
    return cast(F, replacement)


def of_items(function: F) -> F:
    """Makes the replacement of a builtin that iterates over a container, where symbols may hide."""

    @wraps(function, NAMES, ())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        try:
            backend = active()
            for arg in args:
                backend = backend or BACKENDS.get(builtins.type(arg))
            if backend is not None:
                result = backend.builtin(function, args, kwargs)
                if result is not NotImplemented:
                    return result
            return function(*args, **kwargs)
        except BaseException:
            hide()
            raise

    BUILTIN_REPLACEMENTS[function.__name__] = replacement
    return cast(F, replacement)


def of_function(function: F) -> F:
    """Makes the replacement of `map` or `filter`, whose first argument is a function to convert."""
    def converted(args: Any, kwargs: Any) -> Any:
        if args and args[0] is not None:
            return (POINTS.convert_callback(args[0]), *args[1:])
        return args

    return _of_callback(function, converted)


def of_key(function: F) -> F:
    """Makes the replacement of a builtin with a `key=` function to convert."""
    def converted(args: Any, kwargs: Any) -> Any:
        if kwargs.get("key") is not None:
            kwargs["key"] = POINTS.convert_callback(kwargs["key"])
        return args

    return _of_callback(function, converted)


def _of_callback(function: F, converted: Callable[[Any, Any], Any]) -> F:
    """Makes the replacement of a builtin, some of whose arguments are converted."""
    inner = of_items(function)

    @wraps(function, NAMES, ())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        try:
            return inner(*converted(args, kwargs), **kwargs)
        except BaseException:
            hide()
            raise

    BUILTIN_REPLACEMENTS[function.__name__] = replacement
    return cast(F, replacement)


def print_(*args: Any, **kwargs: Any) -> None:
    """Prints as Python does; in a function with `effects="runtime"`, each time its graph runs.

    Args:
      args: the values to print.
      kwargs: `sep`, `end`, `file`, `flush`.

    >>> print_("a", "b", sep="-")
    a-b
    """
    backend = active()
    if backend is None or backend.builtin(builtins.print, args, kwargs) is NotImplemented:
        builtins.print(*args, **kwargs)


len = of_values(builtins.len)
range = of_values(builtins.range)
int = of_values(builtins.int)
float = of_values(builtins.float)
bool = of_values(builtins.bool)
complex = of_values(builtins.complex)
chr = of_values(builtins.chr)
ord = of_values(builtins.ord)
bin = of_values(builtins.bin)
oct = of_values(builtins.oct)
hex = of_values(builtins.hex)
ascii = of_items(builtins.ascii)
abs = of_values(builtins.abs)
round = of_values(builtins.round)
pow = of_values(builtins.pow)
divmod = of_values(builtins.divmod)
str = of_items(builtins.str)
repr = of_items(builtins.repr)
format = of_items(builtins.format)
isinstance = of_values(builtins.isinstance)
hasattr = of_items(builtins.hasattr)
getattr = of_items(builtins.getattr)
callable = of_values(builtins.callable)
id = of_items(builtins.id)
bytes = of_items(builtins.bytes)
bytearray = of_items(builtins.bytearray)
memoryview = of_values(builtins.memoryview)
iter = of_items(builtins.iter)
next = of_items(builtins.next)
sum = of_items(builtins.sum)
any = of_items(builtins.any)
all = of_items(builtins.all)
enumerate = of_items(builtins.enumerate)
zip = of_items(builtins.zip)
reversed = of_items(builtins.reversed)
list = of_items(builtins.list)
tuple = of_items(builtins.tuple)
dict = of_items(builtins.dict)
set = of_items(builtins.set)
frozenset = of_items(builtins.frozenset)
map = of_function(builtins.map)
filter = of_function(builtins.filter)
min = of_key(builtins.min)
max = of_key(builtins.max)
sorted = of_key(builtins.sorted)
_class_of = of_values(builtins.type)


@wraps(builtins.type, NAMES, ())
def type(*args: Any, **kwargs: Any) -> Any:
    """Returns `type(x)`; with three arguments, makes a class in the module of the caller."""
    if builtins.len(args) == 3 and "__module__" not in args[2]:
        module = sys._getframe(1).f_globals["__name__"]
        args = (*args[:2], {**args[2], "__module__": module})
    return _class_of(*args, **kwargs)


BUILTIN_REPLACEMENTS["type"] = type
