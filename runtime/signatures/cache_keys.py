"""Cache keys: what a trace depends on in a call's arguments; keys can be compared and joined."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Container, Hashable, Iterator
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from autograph.decorated import dispatcher_of
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.closures import cell_contents, is_method
from autograph.runtime.ir.types import ArrayType, Dim, PyType, join

LITERALS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range)
BY_VALUE = ("datetime", "decimal", "fractions", "pathlib", "pathlib._local", "uuid", "zoneinfo")
"""Modules of Python whose hashable objects are compared by value and by their text: equal times
have different hours in two time zones, Decimal("1.0") and Decimal("1.00") print differently."""

LASTING = (type, ModuleType, BuiltinFunctionType, np.ufunc, np.dtype)
"""Classes whose objects live forever: each object is its own key."""

Key = Any
"""A hashable tree of `ArrayType`, `PyType` (a symbolic Python number) and the classes below."""


class Literal(NamedTuple):
    """A Python constant: 1, True and 1.0 differ, as do 0.0 and -0.0; nan equals nan."""

    cls: type
    value: Any


class Node(NamedTuple):
    """A container or another composite object: its kind, and the keys of its parts."""

    kind: Any
    parts: Any


INPUT = Node("an input of the trace", None)
"""The key of what a trace is given, and so does not depend on."""


class Same(NamedTuple):
    """The same array or variable as leaf number `number`."""

    number: int


class Stateful(NamedTuple):
    """A variable of this dtype and shape: the object is an argument, as an array is."""

    type: ArrayType


class Growing(NamedTuple):
    """A list whose length changes from call to call, or a TensorArray's elements: one input."""

    cls: type


class ByReference(NamedTuple):
    """A container that is an object of the graph: one input, whatever is in it."""

    cls: type


class OfCode(NamedTuple):
    """A function, of which the trace relies on the code and on what it holds: one input, so that
    each call's own function is in what the call leaves."""

    key: Key

    @property
    def cls(self) -> type:
        return FunctionType


class ForeignArray(NamedTuple):
    """An array of a subclass, or of objects: the trace relies on class, dtype and shape."""

    cls: type
    dtype: Any
    shape: tuple[int, ...]


class Identity:
    """The identity of an object, as long as it lives; a later object never equals it."""

    __slots__ = ("number", "reference", "type")

    def __init__(self, x: Any) -> None:
        self.number = id(x)
        self.type = type(x)
        try:
            self.reference: Any = weakref.ref(x)
        except TypeError:  # __slots__ without __weakref__: the key keeps the object
            self.reference = lambda: x

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and (
            self is other or (self.reference() is not None and
                              self.reference() is other.reference()))

    def __hash__(self) -> int:
        return self.number

    def __repr__(self) -> str:
        return f"<{self.type.__qualname__}>"


def literal(x: Any) -> Literal:
    """Returns the key of a Python constant."""
    return Literal(type(x), repr(x) if isinstance(x, (float, complex, range)) else x)


def value_key(x: Any) -> Key:
    """Returns the key of a constant object: by value if it is a value, else by identity.

    >>> value_key({1, 2}) == value_key({2, 1}), value_key(slice(1)) == value_key(slice(1.0))
    (True, False)
    >>> value_key(lambda x: x) == value_key(lambda x: x)  # two lambdas in the source
    False
    """
    cls = type(x)
    if cls in LITERALS:
        return literal(x)
    if isinstance(x, np.generic):
        return Literal(cls, repr(x))
    if cls is slice:
        return Node(cls, tuple(map(value_key, (x.start, x.stop, x.step))))
    if cls in (set, frozenset):
        return Node(cls, frozenset(map(member_key, x)))
    if cls in (tuple, list):
        return Node(cls, tuple(map(value_key, x)))
    if is_method(x):
        return Node(MethodType, (value_key(x.__func__), Identity(x.__self__)))
    if cls is FunctionType and dispatcher_of(x) is None:
        return function_key(x)
    if isinstance(x, (Enum, *LASTING)):
        return Literal(cls, x)
    if cls.__module__ in BY_VALUE and isinstance(x, Hashable):
        return Literal(cls, (x, repr(x)))
    return Identity(x)


def member_key(x: Any) -> Key:
    """Returns the key of an item of a set, in which two functions of one code are two items."""
    if type(x) is tuple:
        return Node(tuple, tuple(map(member_key, x)))
    return Identity(x) if type(x) is FunctionType else value_key(x)


ITEMS: tuple[Any, ...] = (list, tuple, dict, set, frozenset, deque)
"""The classes of containers; those of the user's that inherit from one hold its items, too."""


def items_key(x: Any, leaf: Callable[[Any], Key] = value_key, around: tuple[Any, ...] = (),
              inputs: Container[Hashable] = ()) -> Key:
    """Returns the key of what a container holds, whatever class it is of; that of anything else is
    `leaf(x)`. Methods of the user's classes are not asked.

    around: the containers that it is in, the outermost first.
    inputs: the items of dicts, by the dict's id and the key, whose values are not in the key.

    >>> items_key([1, {2: 3}]) == items_key([1, {2: 3}]), items_key([1]) == items_key([True])
    (True, False)
    """
    kind = next((cls for cls in ITEMS if isinstance(x, cls)), None)
    if kind is None:
        return leaf(x)
    for depth, outer in enumerate(around):
        if outer is x:
            return Node("contains itself", depth)
    around = (*around, x)
    if kind is dict:
        return Node(type(x), tuple(
            (member_key(k), INPUT if (id(x), k) in inputs else items_key(v, leaf, around, inputs))
            for k, v in dict.items(x)))
    if kind in (set, frozenset):
        return Node(type(x), frozenset(map(member_key, kind.__iter__(x))))
    return Node(type(x), tuple(items_key(v, leaf, around, inputs) for v in kind.__iter__(x)))


def function_key(x: FunctionType) -> Key:
    """Returns the key of a function: its code, and what its closure and defaults hold.

    A lambda that is made twice has one key. Arrays, lists and other objects in a closure are
    compared by identity; so are functions with a closure.
    """
    parts = tuple(map(held_key, _held(x)))
    return Node(FunctionType, (x.__code__, Identity(_Globals.of(x.__globals__)), parts))


def _held(x: FunctionType) -> list[Any]:
    """The values in the closure and the defaults of a function; itself may be one of them."""
    return [*map(cell_contents, x.__closure__ or ()), *(x.__defaults__ or ()),
            *(x.__kwdefaults__ or {}).values()]


def held_key(x: Any) -> Key:
    """Returns the key of what a function holds, which may be that function."""
    if type(x) in LITERALS:
        return value_key(x)
    if type(x) is FunctionType and not _held(x) and dispatcher_of(x) is None:
        return function_key(x)
    return Literal(type(x), x) if isinstance(x, (Enum, *LASTING)) else Identity(x)


class _Globals:
    """Stands for a module's namespace, to which Python makes no weak reference."""

    made: dict[int, _Globals] = {}

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace

    @classmethod
    def of(cls, namespace: dict[str, Any]) -> _Globals:
        return cls.made.setdefault(id(namespace), cls(namespace))


def identities(key: Key) -> Iterator[Identity]:
    """Yields the identities in a key."""
    if isinstance(key, Identity):
        yield key
    elif isinstance(key, (tuple, frozenset)):
        for part in key:
            yield from identities(part)


def is_general(key: Key) -> bool:
    """Returns True if a key covers several others: it has an unknown dim or a symbolic number."""
    if isinstance(key, ArrayType):
        return not key.is_static
    if isinstance(key, tuple):
        return any(map(is_general, key))
    return isinstance(key, PyType) or hasattr(key, "is_subtype_of")


def covers(general: Key, specific: Key, dims: dict[str, Dim] | None = None) -> bool:
    """Returns True if a trace made for the first key serves calls with the second.

    >>> f8 = np.dtype("f8")
    >>> covers(ArrayType(f8, (None, "n", "n")), ArrayType(f8, (1, 2, 2)))
    True
    >>> covers(ArrayType(f8, ("n", "n")), ArrayType(f8, (1, 2)))
    False
    """
    dims = {} if dims is None else dims
    if isinstance(general, ArrayType):
        return isinstance(specific, ArrayType) and _covers_array(general, specific, dims)
    if isinstance(general, PyType):
        return general == specific or (
            isinstance(specific, Literal) and specific.cls is general.cls)
    if isinstance(general, Stateful):
        return isinstance(specific, Stateful) and covers(general.type, specific.type, dims)
    if isinstance(general, tuple) and type(general) is type(specific):
        return len(general) == len(specific) and all(
            covers(g, s, dims) for g, s in zip(general, specific, strict=True))
    if hasattr(general, "is_subtype_of") and hasattr(specific, "is_subtype_of"):
        return bool(specific.is_subtype_of(general))
    return bool(general == specific)


def is_alike(a: Key, b: Key, in_size: bool = False) -> bool:
    """Returns True if two keys differ in no more than the dtypes of arrays, their sizes unless
    `in_size`, and in which objects of a class are meant.

    >>> f4, f8 = np.dtype("f4"), np.dtype("f8")
    >>> is_alike(ArrayType(f8, (2, 3)), ArrayType(f4, (1, 9))), is_alike(literal(2), literal(3))
    (True, False)
    """
    if isinstance(a, (ArrayType, ForeignArray)):
        return type(a) is type(b) and _dimensions(a, in_size) == _dimensions(b, in_size)
    if isinstance(a, Identity):
        return isinstance(b, Identity) and a.type is b.type
    if isinstance(a, tuple) and type(a) is type(b):
        return len(a) == len(b) and all(is_alike(x, y, in_size) for x, y in zip(
            a, b, strict=True))
    return bool(a == b)


def _dimensions(t: Any, in_size: bool) -> tuple[Any, Any]:
    kind = t.scalar if isinstance(t, ArrayType) else t.cls
    return kind, t.shape if in_size or t.shape is None else len(t.shape)


def _covers_array(general: ArrayType, specific: ArrayType, dims: dict[str, Dim]) -> bool:
    if not _same_dtype(general, specific) and not _any_string(general, specific):
        return False
    if general.shape is None:
        return True
    if specific.shape is None or len(general.shape) != len(specific.shape):
        return False
    if general.shape == ():
        return general.scalar == specific.scalar
    return all(_covers_dim(g, s, dims) for g, s in zip(general.shape, specific.shape, strict=True))


def _covers_dim(general: Dim, specific: Dim, dims: dict[str, Dim]) -> bool:
    if isinstance(general, str):
        return dims.setdefault(general, specific) == specific
    return general is None or general == specific


def _same_dtype(a: ArrayType, b: ArrayType) -> bool:
    """Returns True if two dtypes are equal; None is not float64, as it is for NumPy."""
    return a.dtype is b.dtype or (
        a.dtype is not None and b.dtype is not None and a.dtype == b.dtype)


def _any_string(general: ArrayType, specific: ArrayType) -> bool:
    a, b = general.dtype, specific.dtype
    return a is not None and b is not None and a.kind == b.kind and a.itemsize == 0


def join_keys(a: Key, b: Key) -> Key | None:
    """Returns the least key that covers both, if arrays differ in shape only, constants in numbers.

    >>> str(join_keys(ArrayType(np.dtype("f8"), (2,)), ArrayType(np.dtype("f8"), (3,))))
    'f64[?]'
    >>> str(join_keys(literal(2), literal(3))), join_keys(literal(2), literal("a"))
    ('py.int', None)
    """
    if a == b:
        return a
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        joined = join(a, b)
        return joined if isinstance(joined, ArrayType) and _same_dtype(a, b) else None
    numbers = _number(a), _number(b)
    if numbers[0] is not None and numbers[0] == numbers[1]:
        return numbers[0]
    if isinstance(a, Node) and isinstance(b, Node):
        parts = join_keys(a.parts, b.parts) if a.kind == b.kind else None
        return None if parts is None else Node(a.kind, parts)
    if type(a) is type(b) is tuple and len(a) == len(b):
        joins = [join_keys(x, y) for x, y in zip(a, b, strict=True)]
        return None if any(x is None for x in joins) else tuple(joins)
    if hasattr(a, "most_specific_common_supertype"):
        return a.most_specific_common_supertype([b])
    return None


def _number(key: Key) -> PyType | None:
    if isinstance(key, Literal) and key.cls in (int, float):
        return PyType(key.cls)
    return key if isinstance(key, PyType) else None


def array_key(x: Any) -> ArrayType | ForeignArray:
    """Returns the key of an array: its type. Text scalars of any length have one type."""
    if isinstance(x, np.generic):
        if isinstance(x, (np.str_, np.bytes_)):
            return ArrayType(np.dtype(type(x)), (), scalar=True)
        if x.dtype.kind not in "OV":
            return ArrayType(x.dtype, (), scalar=True)
    elif type(x) is np.ndarray and x.dtype.kind not in "OV":
        return ArrayType(x.dtype, x.shape)
    return ForeignArray(type(x), x.dtype, x.shape)


def leads_to_objects(key: Any) -> bool:
    """Returns True for the key of an object, or of a container that may hold some, that is one
    input: their attributes are those of their classes, whatever arrays call theirs."""
    return isinstance(key, ByReference) and key.cls not in BUFFERS
