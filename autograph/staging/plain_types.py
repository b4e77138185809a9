"""The types, functions and classes of plain code: what it can do nothing but compute with."""

from __future__ import annotations

import abc
import bisect
import builtins
import cmath
import collections
import enum
import functools
import gc
import heapq
import itertools
import math
import operator
import typing
from collections.abc import Iterable
from inspect import CO_GENERATOR
from types import (
    CellType,
    DynamicClassAttribute,
    FunctionType,
    GeneratorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    ModuleType,
)
from typing import Any

from autograph.libraries import is_python, package_of
from autograph.own_attributes import held
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.store_targets import READING


class NotPlain(Exception):
    """Something may be reachable that is not plain."""


ATOMS = frozenset({int, float, complex, bool, str, bytes, type(None), range, type(...),
                   type(NotImplemented)})
"""Types of values that hold no others, and cannot be changed."""

VIEWS: tuple[type, ...] = tuple(type(view({})) for view in (dict.keys, dict.values, dict.items))

MAPPINGS = (dict, collections.defaultdict, collections.OrderedDict, collections.Counter)

PURE = frozenset({
    abs, all, any, ascii, bin, bool, bytes, callable, chr, complex, dict, divmod, enumerate, filter,
    float, format, frozenset, hash, hex, int, isinstance, issubclass, len, list, map, max, min,
    next, object, oct, ord, pow, range, repr, reversed, round, set, slice, sorted, str, sum, super,
    tuple, zip,
    collections.deque, *MAPPINGS, functools.reduce,
    operator.itemgetter,
    *(x for x in vars(itertools).values() if isinstance(x, type) and x is not itertools.tee),
    *(x for x in vars(builtins).values() if isinstance(x, type) and issubclass(x, Exception))})
"""Functions and classes that only compute."""

COMPUTING = frozenset({"math", "cmath", "_operator", "_heapq", "_bisect"})
"""Modules in C whose functions only compute, and change containers at most."""

CHANGING = frozenset({
    operator.setitem, operator.delitem,
    *(x for module in (bisect, heapq) for x in vars(module).values() if callable(x)),
    *(x for name, x in vars(operator).items() if name.startswith("i") and (
        not vars(operator).keys().isdisjoint({name[1:], name[1:] + "_"})))})
"""Functions of these modules that change a container: of `operator`, those of `x += y`."""

STATELESS_MODULES = frozenset({
    "base64", "colorsys", "fnmatch", "fractions", "html", "json", "keyword", "numbers", "re",
    "shlex", "string", "textwrap", "unicodedata"})
"""Modules of Python's whose functions and classes compute values, and that have no state which a
program can change."""

MODULES = frozenset({bisect, cmath, collections, functools, heapq, itertools, math, operator})
"""Modules of Python's that plain code may read from: what it reads is looked at."""

PLAIN_MODULES = frozenset(x.__name__ for x in MODULES)

USING_UP = frozenset({
    all, any, dict, enumerate, filter, frozenset, list, map, max, min, set, sorted, sum, tuple, zip,
    collections.deque, collections.Counter, collections.OrderedDict, functools.reduce,
    *(x for x in vars(itertools).values() if isinstance(x, type))})
"""Functions that use up an iterator that they are given, or whose result does."""

MAKING_METHODS = frozenset({"collections", "dataclasses", "enum", "functools", "reprlib"})
"""Modules of Python's that give methods to classes of the user's."""

NOT_LAZY = frozenset({all, any, dict, frozenset, list, max, min, set, sorted, sum, tuple})
"""Builtins that use up an iterator before they return."""

METACLASSES = (type, abc.ABCMeta, enum.EnumMeta)

BASES = frozenset({object, tuple, typing.Generic, abc.ABC, enum.Enum, enum.IntEnum, int, *(
    x for x in PURE if isinstance(x, type) and issubclass(x, Exception))})
"""Classes of Python's that a plain class of the user's may have as bases."""

CONTAINERS: dict[type, Any] = {
    list: iter, StagedList: list.__iter__, tuple: iter, set: iter, frozenset: iter,
    bytearray: lambda x: (),
    collections.deque: iter,
    **dict.fromkeys(MAPPINGS, lambda x: [*x, *x.values()]),
    collections.defaultdict: lambda x: [x.default_factory, *x, *x.values()],
    **dict.fromkeys(VIEWS, gc.get_referents),
}
"""Types of containers -> what gives the parts of one."""

CHANGEABLE = frozenset({list, StagedList, set, bytearray, collections.deque, *MAPPINGS})
"""Those that can be changed."""

SIZED = frozenset({*(CONTAINERS.keys() - {collections.deque, *MAPPINGS[1:]}), range, str, bytes})
"""Types of what a loop may go through."""

CHANGING_METHODS = frozenset(
    name for cls in CHANGEABLE - {StagedList} for name in dir(cls)
    if not name.startswith("__")) - READING - {"get", "items", "keys", "values", "copy"}
"""The methods of containers that may change one."""

ITERATORS = frozenset({
    enumerate, zip, GeneratorType, reversed, type(reversed([])),
    *(type(iter(kind())) for kind in (list, tuple, str, bytes, set, dict)),
    *(type(iter(view({}))) for view in (dict.values, dict.items)), type(iter(range(0)))})
"""Types of iterators that read such containers."""

HOLDING = frozenset(
    {map, filter, *(x for x in vars(itertools).values() if isinstance(x, type))})
"""Types of iterators that hold what they read, and perhaps a function."""


OF_CLASSES_IN_C: tuple[Any, ...] = (
    MemberDescriptorType, GetSetDescriptorType, DynamicClassAttribute,
    type(vars(collections.namedtuple("_Fields", ["x"]))["x"]))
"""Types of what gives an attribute of an object, and runs no code of the user's."""


def is_of_values(x: Any) -> bool:
    """Returns True for a function, class or module of Python's that computes values.

    >>> import json, random
    >>> is_of_values(json.dumps), is_of_values(json), is_of_values(random.random)
    (True, True, False)
    """
    name = held(x, "__name__" if isinstance(x, ModuleType) else "__module__")
    return package_of(name) in STATELESS_MODULES and is_python(name)


def makes_iterators(x: Any) -> bool:
    """Returns True if a call of it gives an iterator."""
    if type(x) is FunctionType:
        return bool(x.__code__.co_flags & CO_GENERATOR)
    return isinstance(x, type) and hasattr(x, "__next__")


def others(items: Iterable[Any]) -> list[Any]:
    """Returns the items that are no atoms."""
    found = list(items)
    return [] if ATOMS.issuperset(map(type, found)) else [x for x in found if type(x) not in ATOMS]


def content(cell: CellType) -> Any:
    """Returns what a cell holds.

    Raises:
      NotPlain: nothing.
    """
    try:
        return cell.cell_contents
    except ValueError:
        raise NotPlain from None


_NONE = object()


def named(scope: dict[str, Any], name: str, missing: Any = _NONE) -> Any:
    """Returns what a name of a module, or of Python's, stands for."""
    if name in scope:
        return scope[name]
    x = getattr(builtins, name, missing)
    if x is _NONE:
        raise NotPlain
    return x
