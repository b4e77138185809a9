"""Which functions of Python's library ask the world outside the program: the clock, files, the
environment, the system. While a function is traced their calls are recorded, and made by each run.

Those written in C are known by their module. One written in Python asks if its code, or that of a
function or class that it names, asks; so it does not matter how many layers are between
`Path.read_text` or `uuid4` and the system.
"""

from __future__ import annotations

import builtins
import datetime
import os
import random
import sys
from collections import deque
from dis import get_instructions
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType, NoneType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from autograph.libraries import is_library, is_python
from autograph.own_attributes import compares_by_identity, held
from autograph.runtime.ir.closures import bound_cells
from autograph.runtime.ir.code_answers import by_code

SYSTEM = frozenset({
    "_locale", "_signal", "_socket", "_sqlite3", "_uuid", "fcntl", "gc", "grp", "nt", "posix",
    "pwd", "resource", "select", "spwd", "termios", "time"})
"""Modules written in C that ask the system, or the interpreter."""

OF_VALUES = frozenset({
    "fspath", "get_clock_info", "_path_normpath", "_path_splitroot", "_path_splitroot_ex",
    "_get_sigmask", "strptime", "waitstatus_to_exitcode", "WEXITSTATUS", "WIFEXITED"})
"""Functions of theirs that compute values of values."""

READERS: tuple[Any, ...] = (
    builtins.open, builtins.input, np.load, np.loadtxt, np.fromfile, np.genfromtxt)
"""Functions of other modules that read files and the terminal."""

WORLD: tuple[Any, ...] = (os.environ, *READERS)
"""Objects and functions of other modules that are, or ask, the world."""

CLASS_METHODS = frozenset((cls, name) for cls in (datetime.datetime, datetime.date)
                          for name in ("now", "utcnow", "today", "fromtimestamp"))
"""Class methods written in C that look at the clock, or at the time zone."""

HERE: tuple[Any, ...] = tuple(
    getattr(sys, name) for name in ("_getframe", "exc_info", "exception") if hasattr(sys, name))
"""What looks at its caller, and has to be called where the call is written."""

LOADERS = (
    "importlib", "_frozen_importlib", "_frozen_importlib_external", "pkgutil", "runpy", "asyncio")
"""Modules that load code, which is there while a function is traced, or run what they are given."""


def asks_outside(f: Any) -> bool:
    """Returns True for a function of Python's library, a class of it whose `__init__` does, or a
    method of a value of a class of it, that asks the world outside the program.

    >>> import os.path, pathlib
    >>> asks_outside(os.getenv), asks_outside(os.path.exists), asks_outside(os.path.join)
    (True, True, False)
    >>> path = pathlib.Path("a.txt")
    >>> asks_outside(path.read_text), asks_outside(path.with_suffix)
    (True, False)
    """
    kind = type(f)
    if kind is BuiltinFunctionType:
        return _is_of_system(f) or (
            isinstance(f.__self__, type) and (f.__self__, f.__name__) in CLASS_METHODS)
    if kind is FunctionType:
        return is_python(_module_of(f)) and _asks(f, None)
    if isinstance(f, type):
        made: Any = f
        return is_python(f.__module__) and compares_by_identity(made) and (
            type(made.__init__) is FunctionType and _asks(made.__init__, f))
    if kind is not MethodType or type(f.__func__) is not FunctionType or not is_python(
            _module_of(f.__func__)):
        return False
    owner: Any = f.__self__ if isinstance(f.__self__, type) else type(f.__self__)
    if not is_python(owner.__module__):
        return False
    return f.__self__ is os.environ or issubclass(owner, random.SystemRandom) or (
        not compares_by_identity(owner) and _asks(f.__func__, owner))


def may_change(f: Any) -> bool:
    """Returns True for a function of the user's that may answer otherwise in another run: it, or
    one that it may call, asks the world, draws random numbers, or reads an array from outside.

    >>> may_change(lambda: len("a"))
    False
    """
    search = _Search(of_user=True)
    search.look(f)
    while search.pending and not search.asks:
        search.visit(search.pending.popleft())
    return search.asks


def answers_with_values(f: Any) -> bool:
    """Returns True for a function that gives numbers, texts and the like, which cannot be changed:
    a call of it needs no objects of the graph.

    >>> import time
    >>> answers_with_values(time.perf_counter), answers_with_values(os.listdir)
    (True, False)
    """
    if type(f) is BuiltinFunctionType:
        return f.__module__ == "time" or (
            isinstance(f.__self__, type) and (f.__self__, f.__name__) in CLASS_METHODS) or (
            f in (os.getpid, os.getppid, os.urandom))
    name = held(f, "__qualname__", "")
    return (held(f, "__module__"), name) in OF_TEXTS


OF_TEXTS = frozenset({
    ("os", "getenv"), ("secrets", "token_bytes"), ("secrets", "token_hex"), ("uuid", "uuid1"),
    ("secrets", "token_urlsafe"), ("secrets", "randbelow"), ("uuid", "uuid4")})
"""Functions written in Python that give texts, numbers and identifiers."""


def _module_of(f: FunctionType) -> str:
    return str(f.__globals__.get("__name__") or "")


def _is_of_system(f: Any) -> bool:
    owner = f.__self__
    return any(f is part for part in WORLD) or (
        isinstance(owner, ModuleType) and owner.__name__ in SYSTEM
        and f.__name__ not in OF_VALUES)


_asked: WeakKeyDictionary[Any, WeakKeyDictionary[type, bool]] = WeakKeyDictionary()
"""By a function, and by the class of its `self`: the answer. It keeps neither alive."""


def _asks(f: Any, owner: type | None) -> bool:
    """Returns True if a function, or what it may call, asks; `owner` is the class of its `self`."""
    known = _asked.setdefault(f, WeakKeyDictionary())
    answer = known.get(key := owner or NoneType)
    if answer is None:
        answer = known[key] = _searched(f, owner)
    return answer


def _searched(f: Any, owner: type | None) -> bool:
    """Goes through what a function may call.

    It may call what its code names, and of the classes that are named somewhere, the methods whose
    names are somewhere. What is nearer to it decides: what asks, or what looks at its caller.
    """
    search = _Search()
    search.look(f)
    if owner is not None:
        search.look(owner)
    while search.pending and not search.asks:
        x = search.pending.popleft()
        if any(x is part for part in HERE):
            return False
        search.visit(x)
    return search.asks


class _Search:
    """Goes through all that a function may call.

    names    the attributes that are read somewhere; classes: those whose objects they may be of.
    asks     True if something asks the world.
    of_user  True if the user's functions are gone through, and arrays and draws count.
    """

    def __init__(self, of_user: bool = False) -> None:
        self.of_user = of_user
        self.pending: deque[Any] = deque()
        self.seen: dict[int, Any] = {}
        self.names = {"__init__", "__new__"}
        self.classes: list[type] = []
        self.asks = False

    def look(self, x: Any) -> None:
        """Notes an object that is to be visited."""
        if id(x) not in self.seen:
            self.seen[id(x)] = x
            self.pending.append(x)

    def visit(self, x: Any) -> None:
        x = held(x, "__wrapped__", x)
        kind = type(x)
        self.asks = self.asks or any(x is part for part in WORLD) or (
            kind is BuiltinFunctionType and _is_of_system(x)) or (
            self.of_user and _is_state(held(x, "__self__", x)))
        if kind is MethodType:
            self.look(x.__func__)
            self.look(type(x.__self__))
        elif isinstance(x, type) and self.follows(x.__module__) and x.__module__ != "builtins":
            self.classes.append(x)
            for name in self.names:
                self.look(_in_class(x, name))
        elif kind is not FunctionType:
            if not isinstance(x, type) and self.follows(kind.__module__):
                self.look(kind)
        elif self.follows(_module_of(x)) and _module_of(x).partition(".")[0] not in LOADERS:
            self.code(x)

    def follows(self, module: str) -> bool:
        """Returns True if it goes through the functions and classes of a module."""
        return is_python(module) or (self.of_user and not is_library(module))

    def code(self, f: FunctionType) -> None:
        """Looks at what the code of a function names."""
        if self.of_user:
            for _, cell in bound_cells(f):
                self.look(cell.cell_contents)
        paths, attributes = names_in(f.__code__)
        for name in attributes - self.names:
            for cls in self.classes:
                self.look(_in_class(cls, name))
        self.names |= attributes
        for name, *rest in paths:
            x = f.__globals__.get(name, vars(builtins).get(name))
            self.look(x)
            for attribute in rest:
                x = vars(x).get(attribute) if isinstance(x, ModuleType) else (
                    _in_class(x if isinstance(x, type) else type(x), attribute))
                self.look(x)


def _is_state(x: Any) -> bool:
    """Returns True for an array, a generator of random numbers, and what the system gives."""
    return isinstance(x, (np.ndarray, np.random.Generator, np.random.RandomState, random.Random)) \
        or any(x is part for part in (sys.argv, sys.orig_argv, sys.stdin, os.environb))


def _in_class(cls: type, name: str) -> Any:
    """Returns the function that a class has under a name: of a property, the one behind it."""
    for base in cls.__mro__:
        if name in vars(base) and base is not object:
            x = vars(base)[name]
            return held(x, "__func__", getattr(x, "fget", x))
    return None


@by_code
def names_in(code: CodeType) -> tuple[tuple[tuple[str, ...], ...], frozenset[str]]:
    """Returns the globals that code reads, each with the attributes that are read from it at once,
    and the names of methods.

    >>> names_in((lambda x: x.a.b + len(os.environ)).__code__)[0]
    (('len',), ('os', 'environ'))
    """
    found: list[tuple[str, ...]] = []
    attributes: set[str] = set()
    goes_on = False
    for i in get_instructions(code):
        if i.opname in ATTRIBUTES:
            attributes |= {i.argval} - OF_BUILTINS
            if goes_on:
                found[-1] = *found[-1], i.argval
        elif i.opname in GLOBALS:
            goes_on = True
            found.append((i.argval,))
        elif i.opname not in ("PUSH_NULL", "EXTENDED_ARG", "CACHE"):
            goes_on = False
    for x in code.co_consts:
        if isinstance(x, CodeType):
            inner = names_in(x)
            found += inner[0]
            attributes |= inner[1]
    return tuple(found), frozenset(attributes)


ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
OF_BUILTINS = frozenset(name for cls in (str, bytes, list, dict, set) for name in dir(cls))
"""Methods that text and containers have: that is what they are called on."""

GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
