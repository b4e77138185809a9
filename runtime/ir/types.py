"""Types of graph values: what is known before the graph runs, as upper bounds, never as casts."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from autograph.locks import new_lock
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.undefined import ClassAttribute, is_undefined

Dim = int | str | None
"""A dimension: a number, a name (equal names are equal numbers), or None for not known."""

Shape = tuple[Dim, ...]

LARGE = 256
"""So many elements, and the memory of an array matters: it is used again, and dropped early."""


class Unique(type):
    """The class of classes whose equal objects are one: they compare by identity, and each is made
    once. `key_of` gives what tells an object from others, from its arguments."""

    key_of: Callable[..., tuple[Any, ...]]
    known: WeakValueDictionary[Any, Any] = WeakValueDictionary()
    lock = new_lock()

    def __call__(cls, /, *args: Any, **kwargs: Any) -> Any:
        key = (cls, *cls.key_of(*args, **kwargs))
        found = cls.known.get(key)
        if found is None:
            with cls.lock:
                found = cls.known.setdefault(key, super().__call__(*args, **kwargs))
        return found


class _Type(metaclass=Unique):
    __slots__ = ()
    has_order = is_large = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self) if f.init)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class ArrayType(_Type):
    """A NumPy array or NumPy scalar.

    dtype None: not known (the value may then be a Python number too). shape None: rank not known
    (the value may be a scalar). `scalar` tells `np.float64(1)` from `np.array(1.0)`; only with
    shape (). `either`: a float or int that is Python's or NumPy's, as the run decides; no dtype, as
    what comes of it depends on which. `is_static`: dtype and every dimension are known. `size`: the
    number of elements, as far as the dimensions are known; `words`: how many words of eight bytes
    they take. `has_order`: it may have several rows of several elements, which lie in some order.
    `is_large`: it is certainly so large that its memory matters. `has_objects`: it holds objects of
    Python's; False where the dtype is not known.
    """

    dtype: np.dtype[Any] | None
    shape: Shape | None
    scalar: bool = False
    either: str = ""
    is_static: bool = field(init=False, repr=False)
    size: int = field(init=False, repr=False)
    words: int = field(init=False, repr=False)
    has_order: bool = field(init=False, repr=False)
    is_large: bool = field(init=False, repr=False)
    has_objects: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:  # few types are made, and each is asked often
        static, size = self.dtype is not None and self.shape is not None, 1
        for d in self.shape or ():
            if d.__class__ is int:
                size *= d
            else:
                static = False
        put = object.__setattr__
        put(self, "is_static", static)
        put(self, "size", size)
        put(self, "words", size if self.dtype is None else size * self.dtype.itemsize // 8)
        put(self, "has_order", self.shape is None or len(self.shape) - self.shape.count(1) > 1)
        put(self, "is_large", static and size >= LARGE)
        put(self, "has_objects", self.dtype is not None and self.dtype.hasobject)

    @staticmethod
    def key_of(dtype: np.dtype[Any] | None, shape: Shape | None, scalar: bool = False,
               either: str = "") -> tuple[Any, ...]:
        # NumPy says that dtypes are equal which differ in class (long long) or metadata
        return (type(dtype), dtype, getattr(dtype, "metadata", None) and id(dtype),
                tuple(map(type, shape or ())), shape, scalar, either)

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    def admits(self, value: object) -> bool:
        if self.either:
            return any(t.admits(value) for t in ALTERNATIVES[self.either])
        if isinstance(value, np.generic):
            shape: tuple[int, ...] = ()
        elif isinstance(value, np.ndarray):
            shape = value.shape
        else:
            return self.dtype is None and self.shape in (None, ()) and isinstance(
                value, (int, float, complex))
        if self.dtype is not None and value.dtype != self.dtype:
            return False
        if self.shape is None:
            return True
        if self.shape == () and self.dtype is not None and self.scalar != isinstance(
                value, np.generic):
            return False
        return len(shape) == len(self.shape) and all(
            not isinstance(d, int) or d == n for d, n in zip(self.shape, shape, strict=True))

    def __str__(self) -> str:
        name = "any" if self.dtype is None else dtype_name(self.dtype)
        if self.either:
            return self.either
        if self.scalar:
            return name
        if self.shape is None:
            return f"{name}[*]"
        return f"{name}[{', '.join('?' if d is None else str(d) for d in self.shape)}]"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PyType(_Type):
    """Exactly an object of a Python class (int, float, complex, bool, str, NoneType, range …).

    A Python number promotes weakly (NEP 50) because that very object reaches NumPy when the graph
    runs.
    """

    cls: type

    key_of = staticmethod(lambda cls: (cls,))

    def admits(self, value: object) -> bool:
        return type(value) is self.cls

    def __str__(self) -> str:
        return f"py.{self.cls.__name__}"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class DynamicType(_Type):
    """Any object at all.

    maybe_undefined: the name may be unbound at run time; `bound` is then its type where it is
    bound (None for a name that is certainly unbound). of_class: it is an attribute, which is read
    from the class while the object has none. cls: the class, where that is known: text as
    a NumPy scalar, whose dtype tells the length of the very value.
    """

    maybe_undefined: bool = False
    bound: Type | None = None
    cls: type | None = None
    of_class: bool = False

    key_of = staticmethod(lambda maybe_undefined=False, bound=None, cls=None, of_class=False: (
        maybe_undefined, bound, cls, of_class))

    @property
    def has_order(self) -> bool:  # type: ignore[override]
        return self is DYNAMIC

    def admits(self, value: object) -> bool:
        return self.cls is None or type(value) is self.cls

    def __str__(self) -> str:
        if self.cls is not None:
            return f"np.{self.cls.__name__}"
        if not self.maybe_undefined:
            return "dynamic"
        known = "undefined" if self.bound is None else f"{self.bound}?"
        return f"{known}class" if self.of_class else known


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class StackType(_Type):
    """A list that a loop fills with one value in each iteration, for its derivative to read.

    item: the type of the values; None for a list that is certainly empty.
    """

    item: Type | None

    has_order = True  # those of its items
    key_of = staticmethod(lambda item: (item,))

    def admits(self, value: object) -> bool:
        return type(value) is list

    def __str__(self) -> str:
        return f"stack<{self.item or ''}>"


Type = ArrayType | PyType | DynamicType | StackType

DYNAMIC = DynamicType()
UNDEFINED = DynamicType(maybe_undefined=True)
"""The type of a name that is certainly unbound."""

TEXT = {"U": DynamicType(cls=np.str_), "S": DynamicType(cls=np.bytes_)}
"""The types of text as a NumPy scalar, by the kind of its dtype."""

FLOATS = PyType(float), ArrayType(np.dtype(float), (), scalar=True)
EITHER = ArrayType(None, (), scalar=True, either="float")
"""A float64 that is Python's or NumPy's: what a loop makes of `0.0` by adding NumPy's numbers."""

EITHER_INT = ArrayType(None, (), scalar=True, either="int")
"""An int of Python's, or an int64 of NumPy's: what a loop makes of `0` by `k = after[k]`."""

ALTERNATIVES: dict[str, tuple[PyType, ArrayType]] = {
    EITHER.either: FLOATS,
    EITHER_INT.either: (PyType(int), ArrayType(np.dtype(np.int64), (), scalar=True))}
"""The two types of each of these."""

EITHER_OF: dict[Any, ArrayType] = {
    t: either for either in (EITHER, EITHER_INT) for t in (either, *ALTERNATIVES[either.either])}
"""What each of them, and of their two types, is joined to."""

PY_NUMBERS = (bool, int, float, complex)

IMMUTABLE = (*PY_NUMBERS, str, bytes, range, slice, type(None))
"""Python's classes whose objects never change, and hold none that do."""

CONTAINERS = (list, dict, set, deque, OrderedDict, defaultdict, Counter, *BUFFERS)
"""Python's mutable containers, of which a graph may hold one as an object."""
_SHORT = {"f": "f", "i": "i", "u": "u", "c": "c"}


def dtype_name(dtype: np.dtype[Any]) -> str:
    """`f64`, `i32`, `u8`, `c128`, `bool`; other dtypes by their NumPy string in quotes.

    >>> dtype_name(np.dtype("float64")), dtype_name(np.dtype("M8[ns]"))
    ('f64', "'M8[ns]'")
    """
    if dtype.kind == "b":
        return "bool"
    if dtype.kind in _SHORT and dtype.isnative:
        return f"{_SHORT[dtype.kind]}{dtype.itemsize * 8}"
    return repr(dtype.str.lstrip("<|="))


def in_words(t: Type | None) -> str:
    """Returns a type as messages name it; None: no number, no array.

    >>> in_words(ArrayType(np.dtype(float), (3, None))), in_words(PyType(int))
    ('an array of float64 of shape (3, ?)', 'a Python int')
    """
    if isinstance(t, PyType):
        return f"a Python {t.cls.__name__}"
    if not isinstance(t, ArrayType):
        return "an object"
    kind = "numbers" if t.dtype is None else str(t.dtype)
    if t.scalar:
        return "a number" if t.dtype is None else f"a number of {kind}"
    if t.shape is None:
        return f"an array of {kind}"
    dims = ["?" if d is None else str(d) for d in t.shape]
    return f"an array of {kind} of shape ({', '.join(dims)}{',' * (len(dims) == 1)})"


def parse_dtype(name: str) -> np.dtype[Any]:
    """The inverse of `dtype_name`.

    >>> parse_dtype("f32")
    dtype('float32')
    """
    if name == "bool":
        return np.dtype(bool)
    if name[:1] in _SHORT and name[1:].isdigit():
        return np.dtype(f"{name[0]}{int(name[1:]) // 8}")
    return np.dtype(name.strip("'\""))


def same_dtype(a: np.dtype[Any] | None, b: np.dtype[Any] | None) -> bool:
    """Returns True if both are not known, or both the same: to NumPy, None equals float64."""
    return a is b if a is None or b is None else a == b


_PY_TYPES: dict[type, PyType] = {cls: PyType(cls) for cls in IMMUTABLE}


NUMPYS_OWN = (np.ndarray, np.memmap)
"""Classes of arrays whose operators are NumPy's own; a tape's array says that it is of the first.
"""


def type_of(value: object) -> Type:
    """The exact type of a concrete object.

    >>> str(type_of(np.ones((2, 3)))), str(type_of(np.int8(1))), str(type_of(1))
    ('f64[2, 3]', 'i8', 'py.int')
    >>> str(type_of(np.str_("ab"))), str(type_of(np.array(["ab"])))
    ('np.str_', "'U2'[1]")
    """
    known = _PY_TYPES.get(type(value))
    if known is not None:
        return known
    if isinstance(value, np.generic):
        return TEXT.get(value.dtype.kind) or ArrayType(value.dtype, (), scalar=True)
    if isinstance(value, np.ndarray):  # a class derived from it gives its operators a meaning
        return ArrayType(value.dtype, value.shape) if value.__class__ in NUMPYS_OWN else DYNAMIC
    if isinstance(value, ClassAttribute):
        return DynamicType(True, type_of(value.value), of_class=True)
    return UNDEFINED if is_undefined(value) else DYNAMIC


def known_class(t: object) -> Any:
    """The class of a value of a type; None if it is not known.

    >>> known_class(PyType(dict)), known_class(ArrayType(np.dtype(float), None))
    (<class 'dict'>, None)
    """
    if isinstance(t, PyType):
        return t.cls
    if isinstance(t, ArrayType) and t.shape is not None and not t.scalar:
        return np.ndarray
    return t.dtype.type if isinstance(t, ArrayType) and t.scalar and t.dtype is not None else None


def possible_classes(t: object) -> tuple[type, ...]:
    """The classes that a value of a type may have; none if any is possible.

    >>> possible_classes(EITHER)
    (<class 'float'>, <class 'numpy.float64'>)
    """
    alternatives = ALTERNATIVES.get(t.either, (t,)) if isinstance(t, ArrayType) else (t,)
    found = tuple(map(known_class, alternatives))
    return () if None in found else found


WRITTEN_IN_C = 1 << 8
"""The flag of classes that cannot be changed: errors name them with their modules."""


def class_name(t: Type) -> str:
    """The class of a value, as Python's errors name it; empty if it is not known.

    >>> class_name(PyType(dict)), class_name(PyType(deque))
    ('dict', 'collections.deque')
    """
    if isinstance(t, PyType):
        module = t.cls.__module__ if t.cls.__flags__ & WRITTEN_IN_C else "builtins"
        return t.cls.__name__ if module == "builtins" else f"{module}.{t.cls.__name__}"
    if isinstance(t, ArrayType) and t.shape is not None:
        kind = np.generic if t.dtype is None else t.dtype.type
        return f"numpy.{kind.__name__ if t.scalar else 'ndarray'}"
    return ""


def is_container(t: Type) -> bool:
    """Returns True for one of Python's mutable containers."""
    return isinstance(t, PyType) and t.cls in CONTAINERS


def operand_type(t: Type) -> Type:
    """Returns the type that type rules see: those for arrays know nothing of containers."""
    return DYNAMIC if is_container(t) else t


def is_number(t: Type) -> bool:
    """Returns True if a value of this type is certainly a number without dimensions."""
    if isinstance(t, PyType):
        return t.cls in PY_NUMBERS
    return isinstance(t, ArrayType) and t.shape == ()


def fits(new: Type, old: Type) -> bool:
    """Returns True if a result of one type may go to an `out=` array of another, by what is known.

    NumPy asks for a cast of the same kind and a shape that broadcasts to the array's own.
    """
    return (isinstance(old, ArrayType) and isinstance(new, ArrayType)
            and old.dtype is not None and new.dtype is not None
            and old.shape is not None and new.shape is not None
            and len(new.shape) <= len(old.shape) and np.can_cast(new.dtype, old.dtype, "same_kind")
            and all(map(_may_fill, new.shape[::-1], old.shape[::-1])))


def _may_fill(new: Dim, old: Dim) -> bool:
    return new == 1 or new == old or not isinstance(new, int) or not isinstance(old, int)


def join_dims(a: Dim, b: Dim) -> Dim:
    return a if a == b else None


def join_shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(map(join_dims, a, b))


def join(a: Type, b: Type) -> Type:
    """The least type that admits all that either admits.

    >>> f, i = ArrayType(np.dtype("f8"), (2, 3)), ArrayType(np.dtype("f8"), (4, 3))
    >>> str(join(f, i)), str(join(f, PyType(int))), str(join(PyType(int), PyType(float)))
    ('f64[?, 3]', 'any[*]', 'any')
    >>> str(join(f, PyType(type(None))))
    'dynamic'
    """
    if a == b:
        return a
    if any(isinstance(t, DynamicType) and t.maybe_undefined for t in (a, b)):
        known = [t for t in map(bound_type, (a, b)) if t is not None]
        return DynamicType(True, join(known[0], known[-1]) if known else None,
                           of_class=any(map(is_of_class, (a, b))))
    if isinstance(a, StackType) and isinstance(b, StackType):
        known = [t.item for t in (a, b) if t.item is not None]
        return StackType(join(known[0], known[-1]) if known else None)
    if isinstance(a, DynamicType) or isinstance(b, DynamicType):
        return DYNAMIC
    either = EITHER_OF.get(a)
    if either is not None and either is EITHER_OF.get(b):
        return either
    a, b = _as_array(a), _as_array(b)
    if not (isinstance(a, ArrayType) and isinstance(b, ArrayType)):
        return DYNAMIC
    if any(t.dtype is not None and t.dtype.kind == "O" for t in (a, b)):
        return DYNAMIC  # an unknown dtype is never that of objects
    dtype = a.dtype if same_dtype(a.dtype, b.dtype) else None
    if a.shape == () and b.shape == () and a.scalar != b.scalar:
        return ArrayType(dtype, None)
    shape = join_shapes(a.shape, b.shape)
    return ArrayType(dtype, shape, scalar=shape == () and a.scalar)


def bound_type(t: Type) -> Type | None:
    """Returns the type of a value where its name is bound; None if that is not known."""
    return t.bound if isinstance(t, DynamicType) and t.maybe_undefined else t


def is_maybe_undefined(t: Type) -> bool:
    """Returns True if the name of the value may be unbound at run time."""
    return isinstance(t, DynamicType) and t.maybe_undefined


def is_of_class(t: Type) -> bool:
    """Returns True if the value is an attribute that an object may not have, and its class has."""
    return isinstance(t, DynamicType) and t.of_class


def _as_array(t: Type) -> Type:
    """A Python number seen as an array type with nothing known of its dtype."""
    if isinstance(t, PyType) and t.cls in PY_NUMBERS:
        return ArrayType(None, (), scalar=True)
    return t


def has_memory(t: Type) -> bool:
    """Returns True if a value of this type may be an array, so that a view can be written."""
    return isinstance(t, ArrayType) and not (t.shape == () and t.scalar)


def may_have_memory(t: Type) -> bool:
    """Returns True if a value of this type may be, or hold, an array that can be written."""
    if isinstance(t, DynamicType):
        return t.cls is None and (
            not t.maybe_undefined or (t.bound is not None and may_have_memory(t.bound)))
    return has_memory(t) or isinstance(t, StackType)
