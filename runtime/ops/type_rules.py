"""NumPy's broadcasting and promotion for type rules, where dims and dtypes may be unknown.

A rule is called with an op's args and kwargs in which symbolic values are replaced by their types.
What it cannot know it asks of helpers here, which raise `NotKnown`; `rule` turns that into the
widest type.

One bound is looser than the word of it: where NumPy turns a Python int into an array, the int is
taken to fit int64. A larger one still runs (NumPy itself runs), its type is then wrong.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial, reduce, wraps
from itertools import takewhile
from operator import index
from typing import Any

import numpy as np

from autograph.runtime.ir.types import (
    DYNAMIC,
    PY_NUMBERS,
    TEXT,
    ArrayType,
    Dim,
    DynamicType,
    PyType,
    Shape,
    StackType,
    Type,
    join,
    type_of,
)

TYPES = (ArrayType, PyType, DynamicType, StackType)
INT = PyType(int)
INTP = np.dtype(np.intp)
WEAK = {int: np.dtype(int), float: np.dtype(float), complex: np.dtype(complex)}
DISCOVERED = {**WEAK, bool: np.dtype(bool)}
"""The dtype of an array made of one Python number."""

Kind = np.dtype[Any] | type
"""An operand in a promotion: a dtype, or the class of a Python number (weak)."""


class NotKnown(Exception):
    """A rule needs a value that only the run knows."""


def rule(fn: Callable[..., Any], otherwise: Any = DYNAMIC) -> Callable[..., Any]:
    """Returns a type rule that gives `otherwise` where `fn` raises NotKnown."""
    @wraps(fn)
    def infer(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except NotKnown:
            return otherwise

    return infer


def arrays(count: int) -> Callable[..., Any]:
    """Returns what makes a type rule of a function that gives the types of so many arrays; they are
    so many, though it may raise NotKnown."""
    return partial(rule, otherwise=(ArrayType(None, None),) * count)


def fixed(t: Type | tuple[Type, ...]) -> Callable[..., Any]:
    """Returns the rule of an op whose result always has the same type."""
    return lambda *args, **kwargs: t


# -- from arguments to types ----------------------------------------------------------------------


def as_type(x: Any) -> Type:
    """Returns the type of an argument leaf: types stand for values, anything else for itself."""
    return x if isinstance(x, TYPES) else type_of(x)


def constant(x: Any) -> Any:
    """Returns an argument that the rule needs as a constant; raises NotKnown for a type."""
    if isinstance(x, TYPES) or (isinstance(x, (tuple, list)) and any(
            isinstance(i, TYPES) for i in x)):
        raise NotKnown
    return x


def array_of(x: Any) -> ArrayType:
    """The array that `np.asarray` makes of an argument, which may be a nest of types and
    constants."""
    if isinstance(x, (list, tuple)):
        kinds = set(map(type, x))
        if kinds and kinds.issubset(PY_NUMBERS):
            return ArrayType(promote(*(DISCOVERED[kind] for kind in kinds)), (len(x),))
        return _array_of_items([array_of(i) for i in x])
    if isinstance(x, range):
        return ArrayType(np.dtype(int), (len(x),))
    t = as_type(x)
    if isinstance(t, PyType) and t.cls in PY_NUMBERS:
        return ArrayType(DISCOVERED[t.cls], ())
    if not isinstance(t, ArrayType) or (t.dtype is not None and t.dtype.kind == "O"):
        raise NotKnown
    return ArrayType(t.dtype, t.shape) if t.scalar else t


def _array_of_items(items: list[ArrayType]) -> ArrayType:
    if not items:
        return ArrayType(np.dtype(float), (0,))
    inner = items[0].shape
    for item in items[1:]:
        inner = _same_shape(inner, item.shape)
    shape = None if inner is None else (len(items), *inner)
    return ArrayType(promote(*(i.dtype for i in items)), shape)


def _same_shape(a: Shape | None, b: Shape | None) -> Shape | None:
    """The common shape of two items of a nest; of two dims that must be equal, the known one."""
    if a is None or b is None:
        return None
    if len(a) != len(b):
        raise ValueError("setting an array element with a sequence. The requested array has an "
                         "inhomogeneous shape")
    return tuple(equal_dims(d, e) for d, e in zip(a, b, strict=True))


def is_numpy(t: Type) -> bool:
    """Returns True if a value of this type is certainly an array or NumPy scalar, never a Python
    number."""
    return isinstance(t, ArrayType) and (t.dtype is not None or bool(t.shape))


def is_integer(t: Type) -> bool:
    """Returns True if a value of this type is certainly one integer."""
    if isinstance(t, PyType):
        return t.cls is int
    return isinstance(t, ArrayType) and t.shape == () and t.dtype is not None and (
        t.dtype.kind in "iu")


def named(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call of a NumPy function by parameter name."""
    return {**dict(zip(parameters(fn), args, strict=False)), **kwargs}


def parameters(fn: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the parameters that may be positional; none if the function does not tell."""
    return _parameters(fn)[0]


def by_position(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
                ) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Gives what a function requires by position: rules and views ask for a first argument.

    >>> by_position(np.squeeze, (), {"a": 1.5, "axis": 0})
    ((1.5,), {'axis': 0})
    """
    required = _parameters(fn)[1][len(args):]
    if not kwargs or not required or required[0] not in kwargs:
        return args, kwargs
    given = tuple(takewhile(kwargs.__contains__, required))
    return (*args, *(kwargs[name] for name in given)), {
        name: x for name, x in kwargs.items() if name not in given}


@cache
def _parameters(fn: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the parameters that may be positional, and of those that have to be given."""
    try:
        found = inspect.signature(fn).parameters.values()
    except ValueError:
        return (), ()
    positional = [p for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return tuple(p.name for p in positional), tuple(
        p.name for p in positional if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD)


# -- dims and shapes ------------------------------------------------------------------------------


def equal_dims(a: Dim, b: Dim) -> Dim:
    """Two dims that must be equal for the call to work: what is known of both."""
    if a == b or b is None:
        return a
    if a is None or isinstance(b, int):
        if isinstance(a, int) and isinstance(b, int):
            raise ValueError(f"dimensions {a} and {b} are not equal")
        return b
    return a


def _broadcast_dims(a: Dim, b: Dim) -> Dim:
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if isinstance(a, int) and isinstance(b, int):
        raise ValueError
    if isinstance(a, int):
        return a  # the other is 1 or this
    return b if isinstance(b, int) else None


def broadcast(*shapes: Shape | None) -> Shape | None:
    """The shape that NumPy's broadcasting gives.

    >>> broadcast(("n", 1), (3,)), broadcast((None, 4), ("n", 1)), broadcast((2,), None)
    (('n', 3), (None, 4), None)
    >>> broadcast((2,), (3,))
    Traceback (most recent call last):
    ValueError: operands could not be broadcast together with shapes (2,) (3,)
    """
    out: Shape = ()
    for shape in shapes:
        if shape is None:
            return None
        if shape == out or not shape:
            continue
        longer, shorter = (out, shape) if len(out) >= len(shape) else (shape, out)
        lead = len(longer) - len(shorter)
        try:
            out = longer[:lead] + tuple(map(_broadcast_dims, longer[lead:], shorter))
        except ValueError:
            raise ValueError("operands could not be broadcast together with shapes "
                             + " ".join(map(show_shape, shapes))) from None
    return out


def show_shape(shape: Shape | None) -> str:
    """A shape as NumPy's messages show it."""
    if shape is None:
        return "(...)"
    return f"({', '.join('?' if d is None else str(d) for d in shape)}{',' * (len(shape) == 1)})"


def axis_of(axis: Any, rank: int) -> int:
    """A known axis counted from the front; NumPy's error if there is no such axis."""
    t = as_type(axis)
    if isinstance(axis, TYPES) or not is_integer(t):
        raise NotKnown
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    return int(axis) % rank


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """A known axis, or tuple of axes, counted from the front."""
    if isinstance(axis, (tuple, list)):
        return tuple(axis_of(a, rank) for a in axis)
    return (axis_of(axis, rank),)


def rank_of(t: ArrayType) -> int:
    if t.shape is None:
        raise NotKnown
    return len(t.shape)


def shape_of(t: ArrayType) -> Shape:
    if t.shape is None:
        raise NotKnown
    return t.shape


def dims_of(shape: Any) -> Shape:
    """The dims that a `shape` argument asks for: an int, or a sequence of ints, some not known."""
    if isinstance(shape, (tuple, list)):
        return tuple(_dim_of(d) for d in shape)
    if not isinstance(shape, TYPES) and isinstance(shape, np.ndarray):
        return tuple(map(int, shape.ravel()))
    if is_integer(as_type(shape)):
        return (_dim_of(shape),)
    raise NotKnown


def _dim_of(d: Any) -> Dim:
    if isinstance(d, TYPES):
        return None
    return index(d)


def size_of(shape: Shape) -> Dim:
    """The number of elements, as far as it is known.

    >>> size_of((2, 3)), size_of(("n", 1)), size_of(("n", 2))
    (6, 'n', None)
    """
    known = math.prod(d for d in shape if isinstance(d, int))
    others = [d for d in shape if not isinstance(d, int)]
    if not others or known == 0:
        return known
    return others[0] if known == 1 and len(others) == 1 else None


# -- dtypes ---------------------------------------------------------------------------------------


def promote(*dtypes: np.dtype[Any] | None) -> np.dtype[Any] | None:
    """NumPy's common dtype of arrays; None if one is not known or there is none."""
    if any(d is None for d in dtypes):
        return None
    return _promote(*dtypes)


@lru_cache(maxsize=4096, typed=True)
def _promote(*dtypes: np.dtype[Any]) -> np.dtype[Any]:
    return np.result_type(*dtypes)


def result_type(*kinds: Kind | None) -> np.dtype[Any] | None:
    """NumPy's common dtype of arrays and weak Python numbers; None if a kind is not known."""
    if any(k is None for k in kinds):
        return None
    return dtype_by_example(_result, *kinds)


def _result(*operands: Any) -> Any:
    return np.empty(0, np.result_type(*operands))


def dtype_of(dtype: Any, default: np.dtype[Any] | None) -> np.dtype[Any] | None:
    """The dtype that a `dtype` argument asks for, or the default; None where it is not known."""
    if dtype is None or (isinstance(dtype, PyType) and dtype.cls is type(None)):
        return default
    return None if isinstance(dtype, TYPES) else np.dtype(dtype)


def kind_of(t: Type) -> Kind | None:
    """The operand as NEP 50 sees it; None for an array whose dtype is not known."""
    if isinstance(t, ArrayType):
        return t.dtype
    if isinstance(t, PyType) and t.cls in PY_NUMBERS:
        return np.dtype(bool) if t.cls is bool else t.cls
    raise NotKnown


def operand_kind(x: Any) -> Kind | None:
    """The kind of an argument: a Python number is weak, a nest of them is not."""
    return array_of(x).dtype if isinstance(x, (list, tuple)) else kind_of(as_type(x))


def example(kind: Kind, shape: tuple[int, ...] = (2,)) -> Any:
    """A small object of a kind, to ask NumPy what a function makes of it."""
    return np.ones(shape, kind) if isinstance(kind, np.dtype) else kind(1)


@lru_cache(maxsize=4096, typed=True)
def dtype_by_example(fn: Callable[..., Any], *kinds: Kind, **kwargs: Any) -> np.dtype[Any]:
    """The dtype of what a NumPy function gives for arrays (or Python numbers) of these kinds."""
    return np.asarray(fn(*map(example, kinds), **kwargs)).dtype


def array(dtype: np.dtype[Any] | None, shape: Iterable[Dim] | None) -> Type:
    """The type of a result that is an array even without dimensions."""
    return ArrayType(dtype, None if shape is None else tuple(shape))


def unboxed(dtype: np.dtype[Any] | None, shape: Shape | None) -> Type:
    """The type of a result that NumPy turns into a scalar when it has no dimensions."""
    if dtype is not None and dtype.kind == "O" and not shape:
        return DYNAMIC  # the object itself
    if dtype is not None and dtype.kind in TEXT and shape == ():
        return TEXT[dtype.kind]
    return ArrayType(dtype, shape, scalar=shape == ())


def join_all(types: Iterable[Type]) -> Type:
    """The least type that admits what any of these does."""
    return reduce(join, types)
