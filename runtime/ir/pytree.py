"""Nests of tuples, lists, dicts, slices, namedtuples and classes of fields (of `dataclasses` and
`attrs`): what is in them, and how to build them."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from operator import is_
from types import BuiltinFunctionType, FunctionType
from typing import Any, TypeVar

import numpy as np

from autograph.extension_points import POINTS
from autograph.own_attributes import class_has, own_dict
from autograph.weak_id_dict import IdentityDict

Rebuild = Callable[[list[Any]], Any]

LEAVES: set[type] = {int, float, complex, bool, str, bytes, type(None), type(Ellipsis),
                     np.ndarray, np.float64, np.int64, np.bool_}
"""Classes that certainly have no children, told without a look; other modules enter their own."""


PLAIN_CONTAINERS = frozenset({tuple, list, dict, set, frozenset})


def children(x: Any) -> tuple[Any, list[Any], Rebuild] | None:
    """(kind, children, rebuild) of a container, or None for a leaf.

    Two containers of equal kind have the same structure one level down. Subclasses of list and
    dict, and tuples that carry more than their parts, are leaves. A class with `__ag_flatten__`
    (instance -> metadata and components) and `__ag_unflatten__` (classmethod: metadata and
    components -> instance) is a container.

    >>> kind, inside, rebuild = children({"a": 1, "b": 2})
    >>> inside, rebuild([3, 4])
    ([1, 2], {'a': 3, 'b': 4})
    """
    cls = type(x)
    if cls in LEAVES:
        return None
    if cls is tuple or cls is list:
        return (cls, len(x)), list(x), cls
    if cls is dict:
        keys = checked_keys(x)
        return (cls, exact(keys)), list(x.values()), lambda new: dict(zip(keys, new, strict=True))
    if cls is slice:
        return _parts_of_slice(x)
    if issubclass(cls, tuple) and _is_of_parts(x):
        parts = list(tuple.__iter__(x))
        return (cls, len(parts)), parts, lambda new: tuple.__new__(cls, new)
    if cls is OrderedDict or cls is defaultdict:
        return _dict_subclass_children(x)
    if class_has(cls, "__ag_flatten__"):
        metadata, inside = x.__ag_flatten__()
        return (cls, metadata), list(inside), lambda new: cls.__ag_unflatten__(metadata, new)
    return None if field_names(cls) is None else _children_by_name(x, attribute_names(x))


def _is_of_parts(x: tuple[Any, ...]) -> bool:
    """Returns True for a tuple of a class such as a named tuple's, which has no attributes besides
    its parts."""
    cls = type(x)
    return is_class_of_parts(cls) and not (cls.__dictoffset__ and own_dict(x))


def is_class_of_parts(cls: type) -> bool:
    """Returns True for a class of named tuples, and one of tuples that can have no attributes: of
    others, each object may be told from its equals."""
    return makes_tuples(cls) and (not cls.__dictoffset__ or class_has(cls, "_fields"))


def makes_tuples(cls: type) -> bool:
    """Returns True for `tuple` and classes that Python code derives from it; what C code derives,
    such as `time.struct_time`, can be made by its own class alone."""
    if not issubclass(cls, tuple):
        return False
    known = _derived.values.get(id(cls))
    if known is None:
        _derived.put(cls, known := tuple.__new__ is next(
            made for base in cls.__mro__
            if type(made := vars(base).get("__new__")) is BuiltinFunctionType))
    return known


_derived: IdentityDict[bool] = IdentityDict()
"""A class of tuples -> True if `tuple` makes its objects."""


def is_nest_class(cls: type) -> bool:
    """Returns True if the instances of a class are containers to `children`, slices left aside."""
    return cls not in LEAVES and (
        cls in (tuple, list, dict, OrderedDict, defaultdict)
        or class_has(cls, "__ag_flatten__")
        or is_class_of_parts(cls)
        or field_names(cls) is not None)


def parts_beside(x: Any, like: Any) -> list[Any] | None:
    """Returns what a container holds for each part of another one, dicts by key; None if it has
    another structure.

    >>> parts_beside({"b": 1, "a": 2}, {"a": 3, "b": 4}), parts_beside((1, 2), [3, 4, 5])
    ([2, 1], None)
    """
    found, other = children(x), children(like)
    if found is None or other is None or len(found[1]) != len(other[1]):
        return None
    if not isinstance(like, dict):
        return found[1]
    return [x[k] for k in like] if isinstance(x, dict) and x.keys() == like.keys() else None


def checked_keys(x: dict[Any, Any]) -> tuple[Any, ...]:
    """Returns the keys of a dict, of which a copy may be made: Python asks each for its hash."""
    keys = tuple(x)
    if not LEAVES.issuperset(map(type, keys)):
        POINTS.check_keys(keys)
    return keys


def exact(key: Any) -> Any:
    """Returns what is equal for the same constants only: 1, 1.0 and True differ, as -0.0 and 0.0.

    >>> (1, "a") == (True, "a"), exact((1, "a")) == exact((True, "a"))
    (True, False)
    """
    cls = type(key)
    if cls is str:
        return key
    if cls is tuple:
        return tuple(map(exact, key))
    return cls, repr(key) if cls in (float, complex) else key


Class = TypeVar("Class", bound=type)


def is_leaf(cls: Class) -> Class:
    """Decorates a class whose instances are certainly leaves of a nest."""
    LEAVES.add(cls)
    return cls


def field_names(cls: type) -> tuple[str, ...] | None:
    """The fields of a dataclass, or of a class that `attrs` made; None for another class."""
    if cls in LEAVES or cls in PLAIN_CONTAINERS:
        return None
    known = _fields.values.get(id(cls))
    if known is not None:
        return known
    if class_has(cls, "__dataclass_fields__"):
        names = tuple(f.name for f in dataclasses.fields(cls))
    elif "__attrs_attrs__" in cls.__dict__:
        names = tuple(a.name for a in cls.__dict__["__attrs_attrs__"])
    else:
        return None
    _fields.put(cls, names)
    return names


_fields: IdentityDict[tuple[str, ...]] = IdentityDict()
"""A class -> the names of its fields."""


def attribute_names(x: Any) -> tuple[str, ...]:
    """The fields that an instance of such a class has, and its other attributes."""
    fields = field_names(type(x)) or ()
    own = own_dict(x) or {}
    if own.keys() == {*fields}:
        return fields
    return (*(n for n in fields if n in own or _keeps_elsewhere(x, n)),
            *(n for n in own if n not in fields))


def _keeps_elsewhere(x: Any, name: str) -> bool:
    """Returns True for an attribute in `__slots__` or a property, not for a class default."""
    return hasattr(getattr(type(x), name, None), "__set__") and hasattr(x, name)


def is_frozen(cls: type) -> bool:
    """Returns True if the fields of such a class are never set again."""
    if class_has(cls, "__dataclass_fields__"):
        return bool(cls.__dataclass_params__.frozen)  # type: ignore[attr-defined]
    return cls.__setattr__.__name__ == "_frozen_setattrs"  # how attrs calls it


def is_mutable_data_class(x: Any) -> bool:
    """Returns True for an instance of a data class whose fields may be set again."""
    return field_names(type(x)) is not None and not is_frozen(type(x))


def is_immutable_nest(x: Any) -> bool:
    """Returns True for a tuple, a named tuple, an instance of a frozen data class, or a slice, that
    has parts: it is never changed, and can be told from another one with the same parts.

    >>> is_immutable_nest((1, 2)), is_immutable_nest(()), is_immutable_nest([1])
    (True, False, False)
    """
    cls = type(x)
    if cls is tuple:
        return bool(x)
    if cls in LEAVES or cls in PLAIN_CONTAINERS:
        return False
    if issubclass(cls, tuple):
        return _is_of_parts(x) and tuple.__len__(x) > 0
    return (cls is slice and _parts_of_slice(x) is not None) or (
        field_names(cls) is not None and is_frozen(cls))


def before_pairs(x: dict[Any, Any]) -> tuple[Any, ...]:
    """Returns the arguments before the pairs with which the class of a dict makes another."""
    return (x.default_factory,) if isinstance(x, defaultdict) else ()


def _parts_of_slice(x: slice) -> tuple[Any, list[Any], Rebuild] | None:
    """A slice of plain numbers is a leaf; one with symbolic parts, or others, is a container."""
    parts = [x.start, x.stop, x.step]
    if all(part is None or isinstance(part, (int, np.integer)) for part in parts):
        return None
    return (slice, 3), parts, lambda new: slice(*new)


def _dict_subclass_children(x: Any) -> tuple[Any, list[Any], Rebuild]:
    cls, keys, first = type(x), checked_keys(x), before_pairs(x)
    return (cls, *first, exact(keys)), list(x.values()), lambda new: cls(
        *first, zip(keys, new, strict=True))


def _children_by_name(x: Any, names: tuple[str, ...]) -> tuple[Any, list[Any], Rebuild]:
    def rebuild(new: list[Any]) -> Any:
        made = object.__new__(type(x))  # not __init__: it may compute, and has run already
        for name, value in zip(names, new, strict=True):
            object.__setattr__(made, name, value)
        return made

    return (type(x), names), [getattr(x, n) for n in names], rebuild


def copied_by(rebuild: Any) -> Any:
    """Returns the mutable object of fields of which a function that `children` gave makes a copy;
    None for anything else."""
    if type(rebuild) is not FunctionType or (
            rebuild.__code__ not in _children_by_name.__code__.co_consts):
        return None
    held = dict(zip(rebuild.__code__.co_freevars, rebuild.__closure__ or (), strict=True))
    x = held["x"].cell_contents
    return x if is_mutable_data_class(x) else None


def map_nest(fn: Callable[[Any], Any], x: Any) -> Any:
    """Rebuilds a nest with `fn` applied to its leaves."""
    found = children(x)
    if found is None:
        return fn(x)
    _, inside, rebuild = found
    return rebuild([map_nest(fn, c) for c in inside])


def map_until(fn: Callable[[Any], Any], x: Any, is_leaf: Callable[[Any], bool]) -> Any:
    """Returns a nest with `fn` applied to its leaves, and to the parts that are to count as such.
    A container of which nothing changes stays the same object."""
    found = None if is_leaf(x) else children(x)
    if found is None:
        return fn(x)
    made = [map_until(fn, c, is_leaf) for c in found[1]]
    return x if all(map(is_, made, found[1])) else found[2](made)


def flatten(x: Any) -> Iterator[Any]:
    """The leaves of a nest, in order."""
    found = children(x)
    if found is None:
        yield x
    else:
        for c in found[1]:
            if type(c) in LEAVES:
                yield c
            else:
                yield from flatten(c)


def all_leaves(x: Any) -> Iterator[Any]:
    """The leaves of a nest that may contain itself, in order, those of each container once: what a
    question about all of them needs.

    >>> ring = [1, 2]
    >>> ring.append([ring, 3])
    >>> list(all_leaves(ring))
    [1, 2, 3]
    """
    seen: dict[int, Any] = {}
    pending = [x]
    while pending:
        x = pending.pop()
        found = (dict, list(x.values())) if type(x) is dict else children(x)  # of no dict, a copy
        if found is None:
            yield x
        elif id(x) not in seen:
            seen[id(x)] = x  # kept, so that nothing else gets its id
            if LEAVES.issuperset(map(type, found[1])):
                yield from found[1]
            else:
                pending += reversed(found[1])
