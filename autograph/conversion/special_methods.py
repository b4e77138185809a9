"""Swaps special methods and properties of classes for converted ones while a trace is made.

`a + b`, `a[i]`, `a.name` and `with a` reach a method of the user's without a call that converted
code could look at. While a function is traced, the classes that it meets have their converted
methods in place of their own; these mean the same, so that other threads notice nothing. Code
that runs as it was written calls the user's own meanwhile.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from types import CodeType, FunctionType
from typing import Any

from autograph.extension_points import POINTS, TABLES
from autograph.libraries import is_closed, is_own, package_of
from autograph.locks import new_lock
from autograph.operators.dispatch import BACKENDS, NOT_PLAIN, Backend, active, register
from autograph.own_attributes import held, in_class, own_dict
from autograph.syntax.errors import ConversionError

Convert = Callable[[Any], Any]

LEFT = frozenset({
    "__new__", "__init__", "__del__", "__repr__", "__str__", "__format__", "__bytes__", "__hash__",
    "__dir__", "__sizeof__", "__init_subclass__", "__class_getitem__", "__subclasshook__",
    "__getattribute__", "__set_name__", "__prepare__", "__instancecheck__", "__subclasscheck__",
    "__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__",
    "__getnewargs__", "__getnewargs_ex__",
})
"""Methods that make, copy, name or destroy objects: they are never converted."""

DECIDING = frozenset({"__bool__", "__len__", "__contains__", "__float__", "__int__", "__complex__"})
"""Methods whose results Python requires to be of its own types: the operators have to call them."""

DESCRIBING = ("__get__", "__set__", "__delete__")
"""Methods by which an object in a class gives, sets and deletes an attribute: a descriptor's."""

REPLACED: dict[Any, Callable[..., Any]] = {}
"""Special method of a class of Python's library -> its replacement during traces."""

CHECKS: dict[str, Callable[[Any], Any]] = {}
"""Special method that code in C calls -> what looks at its result during traces, and returns it."""

MAX_OBJECTS = 1000
"""How many objects are searched for their classes when a trace begins."""

_lock = new_lock()
_traces = 0
_seen: set[type] = set()
_deciding: list[type] = []
_swapped: list[tuple[type, str, Any, Any]] = []
_backend: Backend | None = None


class _Methods(threading.local):
    """Which form of the methods a thread runs: `own`: the user's own."""

    own = False


_methods = _Methods()
TABLES.extend((_seen, _deciding, _swapped, BACKENDS))


@contextmanager
def converted_classes(roots: Iterable[Any], convert: Convert, backend: Backend) -> Iterator[None]:
    """Adopts the classes of these objects, and those met later, for the time of a trace.

    `backend` stages operators on objects whose class defines `__bool__`, `__len__` and the like.
    """
    global _traces, _backend
    with _lock:
        _traces += 1
        _backend = backend
    try:
        for cls in _classes(roots):
            swap_methods(cls, convert)
        yield
    finally:
        with _lock:
            _traces -= 1
            if not _traces:
                _swap_back()


def swap_methods(cls: type, convert: Convert) -> None:
    """Swaps the special methods and properties of a class, if a trace is being made."""
    with _lock:
        if not _traces or cls in _seen:
            return
        _seen.add(cls)
    for owner in cls.__mro__:
        if package_of(owner.__module__) not in ("builtins", "numpy", "autograph"):
            _swap_own_methods(owner, convert)
    if any(type(in_class(cls, name)) is FunctionType for name in DECIDING):
        _register_backend(cls)


def _register_backend(cls: type) -> None:
    with _lock:
        if _traces and _backend is not None and cls not in BACKENDS:
            _deciding.append(cls)
            register(cls, _backend)


def _swap_own_methods(cls: type, convert: Convert) -> None:
    """Swaps what a class defines itself.

    Converting takes locks of its own, so it is done before ours is taken.
    """
    own = dict(vars(cls))
    for found in own.values():
        if any(type(in_class(type(found), name)) is FunctionType for name in DESCRIBING):
            swap_methods(type(found), convert)
    replacements = {name: _replacement(name, found, convert) for name, found in own.items()}
    other = {id(own[name]): new for name, new in replacements.items() if new is not own[name]}
    replacements = {name: other.get(id(own[name]), own[name]) for name in own}
    with _lock:
        for name, new in replacements.items():
            if _traces and new is not own[name] and vars(cls).get(name) is own[name]:
                type.__setattr__(cls, name, new)
                _swapped.append((cls, name, own[name], new))


def _swap_back() -> None:
    for cls, name, old, new in reversed(_swapped):
        if vars(cls).get(name) is new:
            type.__setattr__(cls, name, old)
    for cls in _deciding:
        del BACKENDS[cls]
    _swapped.clear()
    _deciding.clear()
    _seen.clear()


def _replacement(name: str, found: Any, convert: Convert) -> Any:
    """Returns what replaces an attribute of a class during traces; itself: nothing does."""
    special = name.startswith("__") and name.endswith("__") and name not in LEFT
    if type(found) is property and not special:
        parts = [found.fget, found.fset, found.fdel]
        replacements = [_function_replacement(f, convert) for f in parts]
        same = all(a is b for a, b in zip(parts, replacements, strict=True))
        return found if same else _Property(found, *replacements)
    if type(found) is functools.cached_property:
        made = type(found)(_function_replacement(found.func, convert))
        made.__set_name__(object, name)
        return found if made.func is found.func else made
    return _function_replacement(found, convert, CHECKS.get(name)) if special else found


class _Property(property):
    """A property during traces: its functions are converted, and it shows those of the user's."""

    def __init__(self, own: property, *functions: Any) -> None:
        getter, setter, deleter = functions
        super().__init__(getter, setter, deleter, own.__doc__)
        self.own = own

    def __getattribute__(self, name: str) -> Any:
        return getattr(self.own, name) if name in SHOWN else super().__getattribute__(name)

    def __get__(self, x: Any, cls: type | None = None) -> Any:
        if x is not None and self.own.fget is None:
            return self.own.__get__(x, cls)  # raises, by the name that the property has
        return super().__get__(x, cls)

    def __set__(self, x: Any, value: Any) -> None:
        if self.own.fset is None:
            self.own.__set__(x, value)  # raises
        super().__set__(x, value)

    def __delete__(self, x: Any) -> None:
        if self.own.fdel is None:
            self.own.__delete__(x)  # raises
        super().__delete__(x)


SHOWN = frozenset({"fget", "fset", "fdel", "getter", "setter", "deleter"})


def _function_replacement(f: Any, convert: Convert,
                          check: Callable[[Any], Any] | None = None) -> Any:
    if type(f) is not FunctionType or is_closed(f) or is_own(f):
        return REPLACED.get(f, f) if type(f) is FunctionType else f
    try:
        made = convert(f)
    except ConversionError:
        return f  # it is called as it is; if a value in it is symbolic, that error says so
    return made if made.__code__ is f.__code__ else _staged(made, f, check)


def _staged(method: Any, own: Any, check: Callable[[Any], Any] | None = None) -> Any:
    """Returns a method that runs in the form that the trace asks for, as each callee does. It has
    the attributes of the user's own function: what one of them gets, the other has."""
    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if _methods.own:
            return own(*args, **kwargs)
        tracing = active()
        if tracing is not None and (
                made := tracing.plain_call(own, args, kwargs)) is not NOT_PLAIN:
            return made
        made = (POINTS.stage_call(method) if POINTS.recursions else method)(*args, **kwargs)
        return made if check is None else check(made)

    call.__dict__ = own.__dict__
    return call


STAGED_CODE: CodeType = _staged(lambda: None, is_own).__code__
"""The code of all such methods."""


def behind(f: FunctionType) -> FunctionType:
    """Returns the converted method that stands behind such a method; any other function as it is.
    """
    return _variable(f, "method")


def own_method(f: FunctionType) -> FunctionType:
    """Returns the user's method that such a method stands for; any other function as it is."""
    return _variable(f, "own")


def _variable(f: FunctionType, name: str) -> FunctionType:
    if f.__code__ is not STAGED_CODE or f.__closure__ is None:
        return f
    found: FunctionType = f.__closure__[STAGED_CODE.co_freevars.index(name)].cell_contents
    return found


@contextmanager
def own_methods() -> Iterator[None]:
    """Runs the special methods and properties of the user's classes as they were written."""
    before, _methods.own = _methods.own, True
    try:
        yield
    finally:
        _methods.own = before


def decides(cls: type) -> bool:
    """Returns True for a class of the user's whose methods the operators have to call."""
    return cls in _deciding


def _classes(roots: Iterable[Any]) -> dict[type, None]:
    """Returns the classes of the objects that can be reached through attributes and containers."""
    found: dict[type, None] = {}
    seen: set[int] = set()
    pending = list(roots)
    while pending and len(seen) < MAX_OBJECTS:
        x = pending.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, type):
            found[x] = None
        elif isinstance(x, (list, tuple, set)):  # the user's `__iter__` is not asked
            own: Any = next(c for c in (list, tuple, set) if isinstance(x, c))
            pending += own.__iter__(x)
        elif isinstance(x, dict):
            pending += dict.values(x)
        elif type(x).__module__ not in ("builtins", "numpy"):
            found[type(x)] = None
            pending += (own_dict(x) or {}).values()
    return found


def referenced_objects(function: Any) -> Iterator[Any]:
    """Yields the objects that a function refers to by name: in its closure, among its globals."""
    function = held(function, "__func__", function)
    if type(function) is FunctionType:
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # not bound yet
                yield cell.cell_contents
        for name in _named(function.__code__):
            if name in function.__globals__:
                yield function.__globals__[name]


def _named(code: CodeType) -> Iterator[str]:
    """Yields the names that a code and those within it, such as comprehensions, look up."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _named(inner)
