"""Kinds: what machine code knows of a value, its representation apart from its box."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.types import EITHER, ArrayType, PyType, Type
from autograph.runtime.ir.undefined import is_undefined

PYTHON, NUMPY = "python", "numpy"
"""The boxes of a number: an object of Python's class, or a NumPy scalar."""

Box = frozenset[str]
"""The boxes that a number may have when the program runs."""

IN_PYTHON, IN_NUMPY = frozenset({PYTHON}), frozenset({NUMPY})

BOOL, INT, FLOAT = np.dtype(bool), np.dtype(np.int64), np.dtype(np.float64)
COMPLEX = np.dtype(np.complex128)
"""The representations of Python's numbers; an int is checked to fit."""

DTYPES = frozenset(map(np.dtype, (
    "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16")))
"""The representations that machine code computes on."""

PARTS: dict[np.dtype[Any], np.dtype[Any]] = {
    COMPLEX: FLOAT, np.dtype(np.complex64): np.dtype(np.float32)}
"""The dtypes of the real part of a complex number, and of its imaginary one."""

CLASSES: dict[type, np.dtype[Any]] = {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX}
EXAMPLES: dict[np.dtype[Any], Any] = {BOOL: True, INT: 1, FLOAT: 1.0, COMPLEX: 1j}


def known_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the object that stands for a dtype of numbers in NumPy's own arrays."""
    return np.dtype(dtype.char)


class NotNative(Exception):
    """There is no machine code for this; the reason, and the user's line."""

    def __init__(self, reason: str, location: Location | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.location = location


@dataclass(frozen=True, slots=True)
class Number:
    """A number.

    dtype     how it is held.
    box       what object it is where Python sees it.
    unbound   on some ways the name is not bound.
    in_array  where Python sees it, it is an array of no axes: it counts as NumPy's.
    """

    dtype: np.dtype[Any]
    box: Box
    unbound: bool = False
    in_array: bool = False

    def __str__(self) -> str:
        return f"{self.dtype}|{'|'.join(sorted(self.box))}{'|unbound' * self.unbound}"


@dataclass(frozen=True, slots=True)
class Nothing:
    """Stands for a name that is not bound."""

    def __str__(self) -> str:
        return "an unbound name"


REVERSED, TURNED = "reversed", "transposed"
"""The orders of views: a row from its end to its start, and columns as rows."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array of `rank` axes.

    memory  the value whose memory it has: an array from outside, as it is when the loop begins;
            the result of an operation; a carried value or the result of a branch.
    view    it may be a part of that memory.
    own     it is certainly a new array, and none from outside the loop.
    order   that of a view whose steps do not fall as in C order: REVERSED or TURNED.
    """

    dtype: np.dtype[Any]
    rank: int
    memory: Value
    view: bool = False
    own: bool = False
    order: str = ""

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join('?' * self.rank)}]"


@dataclass(frozen=True, slots=True)
class Steps:
    """A Python `range`."""

    def __str__(self) -> str:
        return "range"


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack that the equation made which gives `memory`.

    item      the kind of what it holds; None where it holds nothing yet.
    complete  it was put on another stack, and is only read.
    """

    memory: Value
    item: Item | None
    complete: bool = False

    def __str__(self) -> str:
        return "a stack"


Item = Number | Nothing | Steps | Stack
"""The kinds of what a stack holds."""

Kind = Number | Nothing | Array | Steps | Stack


def is_int(kind: Kind) -> bool:
    """Returns True for the kind of an int of 64 bits, in whatever box."""
    return isinstance(kind, Number) and kind.dtype == INT


def kind_of_type(t: Type, value: Value) -> Kind:
    """Returns the kind of a value from outside the loop.

    Raises:
      NotNative: machine code does not compute on such values.
    """
    if isinstance(t, PyType):
        if t.cls in CLASSES:
            return Number(CLASSES[t.cls], IN_PYTHON)
        if t.cls is range:
            return Steps()
    elif t == EITHER:
        return Number(FLOAT, IN_PYTHON | IN_NUMPY)
    elif isinstance(t, ArrayType) and t.dtype in DTYPES and t.dtype is not None:
        if t.scalar:
            return Number(t.dtype, IN_NUMPY)
        if t.shape:
            return Array(t.dtype, len(t.shape), value)
    raise NotNative(f"a value of type {t}")


def static_shape(v: Value) -> tuple[int, ...] | None:
    """Returns the shape of an array if its type has it, which need not have its dtype."""
    shape = v.type.shape if isinstance(v.type, ArrayType) else None
    return None if shape is None or not all(
        type(n) is int for n in shape) else shape  # type: ignore[return-value]


def kind_of_constant(constant: object) -> Kind:
    """Returns the kind of a constant.

    Raises:
      NotNative: it is no number, or a Python int of more than 64 bits.

    >>> str(kind_of_constant(2)), str(kind_of_constant(np.float32(1.5)))
    ('int64|python', 'float32|numpy')
    """
    if is_undefined(constant):
        return Nothing()
    if type(constant) in CLASSES:
        if type(constant) is int and not fits(constant):
            raise NotNative("an int of more than 64 bits")
        return Number(CLASSES[type(constant)], IN_PYTHON)
    if isinstance(constant, np.generic) and constant.dtype in DTYPES:
        return Number(constant.dtype, IN_NUMPY)
    if type(constant) is range and all(map(fits, (constant.start, constant.stop, constant.step))):
        return Steps()
    raise NotNative(f"a constant of class {type(constant).__name__}")


def fits(number: int) -> bool:
    """Returns True if an int fits in 64 bits."""
    return -2 ** 63 <= number < 2 ** 63


def check_cast(old: np.dtype[Any], new: np.dtype[Any]) -> None:
    """Refuses casts that drop an imaginary part: NumPy warns of them, and Python raises.

    Raises:
      NotNative: it is such a cast.
    """
    if old.kind == "c" and new.kind not in "cb":
        raise NotNative(f"a cast of {old} to {new}")


def join(a: Kind, b: Kind) -> Kind:
    """Returns the kind of a value that is of one kind or the other.

    Raises:
      NotNative: the two are held in different ways.
    """
    if a == b and not (isinstance(a, Array) and a.view):
        return a
    if isinstance(a, Nothing) or isinstance(b, Nothing):
        bound = a if isinstance(b, Nothing) else b
        if isinstance(bound, Number):
            return replace(bound, unbound=True)
    if isinstance(a, Number) and isinstance(b, Number) and a.dtype == b.dtype and (
            a.in_array == b.in_array):
        return Number(a.dtype, a.box | b.box, a.unbound or b.unbound, a.in_array)
    if isinstance(a, Stack) and isinstance(b, Stack) and a.memory is b.memory and (
            a.complete == b.complete):
        found: Any = join(a.item, b.item) if a.item and b.item else a.item or b.item
        return replace(a, item=found)
    raise NotNative(f"{a} on one way and {b} on another")


# -- the rules of promotion ------------------------------------------------------------------------

def promoted(a: Number, b: Number) -> Number:
    """Returns the kind of `a + b`: Python's own rule for Python's numbers, NumPy's for the rest.

    Raises:
      NotNative: the result depends on a box that only the run knows, or has no machine code.

    >>> x, one = Number(np.dtype("f4"), IN_NUMPY), Number(FLOAT, IN_PYTHON)
    >>> str(promoted(x, one)), str(promoted(one, Number(INT, IN_PYTHON)))
    ('float32|numpy', 'float64|python')
    """
    ways = list(product(a.box, b.box))
    found = {_promoted(p, a.dtype, q, b.dtype) for p, q in ways}
    takes_floats = a.dtype == COMPLEX and b.dtype == FLOAT  # NumPy's float64s are Python's floats
    boxes = frozenset(PYTHON if p == PYTHON and (q == PYTHON or takes_floats) else NUMPY
                      for p, q in ways)
    if len(found) != 1 or (takes_floats and len(boxes) == 2 and NUMPY in b.box):
        raise NotNative("a result whose dtype only the run knows")
    (dtype,) = found
    if dtype not in DTYPES:
        raise NotNative(f"a result of dtype {dtype}")
    return Number(dtype, boxes)


def _promoted(p: str, a: np.dtype[Any], q: str, b: np.dtype[Any]) -> np.dtype[Any]:
    if p == q == PYTHON:
        return next((d for d in (COMPLEX, FLOAT) if d in (a, b)), INT)
    return np.result_type(EXAMPLES[a] if p == PYTHON else a, EXAMPLES[b] if q == PYTHON else b)
