"""Kinds of values in an exported graph: a dtype, or the class of a Python number, which is weak.

What is a Python number on one path and NumPy's on another is `Mixed`: what is computed of it has
to be the same whichever it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import product
from typing import Any, NamedTuple, TypeVar

import numpy as np

from autograph.runtime.ir.types import PyType, Type
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.type_rules import WEAK

NUMBERS = (bool, int, float, complex, np.generic, np.ndarray)
"""Classes of constants that an exported graph can hold as an array."""
COMPARISONS = frozenset({op.ufunc for op in OPS.values() if op.comparison} - {None})
NARROW = tuple(map(np.dtype, ("i1", "i2", "i4", "i8", "u1", "u2", "u4")))
"""The integers that int64 holds."""

R = TypeVar("R")


class NoForm(Exception):
    """Raised where a rule finds that the target cannot do what it would have to do."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.hint = hint


class Mixed(NamedTuple):
    """The kind of a number that is Python's on one path and NumPy's on another, held in `dtype`."""

    weak: type
    dtype: np.dtype[Any]

    @property
    def is_exact(self) -> bool:
        """Returns True if the dtype holds all digits of the Python number."""
        return self.dtype == WEAK[self.weak]


Kind = np.dtype[Any] | type | Mixed


def is_number(x: Any) -> bool:
    """Returns True for a constant that is a number or an array of numbers."""
    return isinstance(x, NUMBERS) and np.asarray(x).dtype.kind in "biufc"


def kind_of_constant(x: Any) -> Kind:
    """Returns the kind of a number or array.

    >>> kind_of_constant(2), kind_of_constant(True), kind_of_constant(np.float32(1))
    (<class 'int'>, dtype('bool'), dtype('float32'))
    """
    return type(x) if type(x) in WEAK else np.asarray(x).dtype


def kind_of_type(t: Type) -> Kind | None:
    """Returns the kind that a Python number's type stands for; None for any other type."""
    if isinstance(t, PyType):
        return np.dtype(bool) if t.cls is bool else t.cls if t.cls in WEAK else None
    return None


def dtype_of(kind: Kind) -> np.dtype[Any]:
    """Returns the dtype that an array of this kind has.

    >>> dtype_of(int), dtype_of(np.dtype("float32"))
    (dtype('int64'), dtype('float32'))
    """
    if isinstance(kind, Mixed):
        return kind.dtype
    return kind if isinstance(kind, np.dtype) else WEAK[kind]


def kind_name(kind: Kind | None) -> str:
    """Returns a kind as text to compare: to NumPy, None and `float` equal float64.

    >>> kind_name(float), kind_name(np.dtype(float)), kind_name(None)
    ('float', '<f8', '')
    """
    if kind is None or isinstance(kind, Mixed):
        return "" if kind is None else f"{kind.weak.__name__} or {kind.dtype.str}"
    return kind.str if isinstance(kind, np.dtype) else kind.__name__


def _cases(kind: Kind) -> Sequence[Any]:
    """Returns the kinds that a value of this kind may have when the graph runs."""
    return kind if isinstance(kind, Mixed) else (kind,)


def agreed(fn: Callable[..., R], kinds: Sequence[Kind]) -> R:
    """Returns what `fn` gives for kinds, whichever those are that are one of two.

    Raises:
      NoForm: it depends on which they are, or a number is held with too few digits for it.
    """
    found, *others = (fn(*given) for given in product(*map(_cases, kinds)))
    if any(x != found for x in others):
        raise _unsettled(kinds)
    return found


def _unsettled(kinds: Iterable[Kind]) -> NoForm:
    kind = next(k for k in kinds if isinstance(k, Mixed))
    return NoForm(f"a number is a {kind.weak.__name__} of Python's on one path and {kind.dtype} on "
                  "another, and what NumPy computes of it differs",
                  f"make it one of both before the branch or loop, as np.{kind.dtype}(x)")


def _check_digits(kinds: Sequence[Kind], dtypes: Sequence[np.dtype[Any]]) -> None:
    """Refuses to compute in these dtypes with numbers that are held with fewer digits."""
    if any(isinstance(k, Mixed) and not k.is_exact and k.dtype != dtype
           for k, dtype in zip(kinds, dtypes, strict=False)):
        raise _unsettled(kinds)


def _joined(a: Any, b: Any) -> Any:
    if isinstance(a, np.dtype) or isinstance(b, np.dtype):
        return np.result_type(*(k if isinstance(k, np.dtype) else k(0) for k in (a, b)))
    return max(a, b, key=list(WEAK).index)


def joined_dtype(*kinds: Kind) -> np.dtype[Any]:
    """Returns the dtype that NumPy promotes values of these kinds to.

    >>> joined_dtype(int, float), joined_dtype(int, np.dtype("float32"))
    (dtype('float64'), dtype('float32'))
    """
    found = agreed(lambda *given: dtype_of(reduce(_joined, given)), kinds)
    _check_digits(kinds, [found] * len(kinds))
    return found


def kind_of_items(kinds: Sequence[Kind]) -> np.dtype[Any] | Mixed:
    """Returns the kind of an array of things of these kinds: Python numbers have dtypes there.

    >>> kind_of_items([float, np.dtype("float32")])
    dtype('float64')
    """
    try:
        found = agreed(lambda *given: np.result_type(*map(dtype_of, given)), kinds)
        _check_digits(kinds, [found] * len(kinds))
    except NoForm:
        narrow = (d for k in kinds if isinstance(k, Mixed) for d in (
            k.dtype, np.dtype(np.float16)) if d != WEAK[k.weak])
        return Mixed(float, next(narrow))
    return found


def common_kind(kinds: Iterable[Kind | None]) -> Kind | None:
    """Returns the kind of an array made of things of these kinds."""
    known = [k for k in kinds if k is not None]
    return kind_of_items(known) if known else None


def of_either(a: Kind, b: Kind) -> Kind | None:
    """Returns the kind of a value that is of one kind on one path, and of another on the other;
    None if what is computed of it cannot be the same.

    A Python number beside an array's float has no width of its own. Of two dtypes, one wraps or has
    fewer digits.

    >>> of_either(int, float), of_either(float, np.dtype("float32"))
    (<class 'float'>, Mixed(weak=<class 'float'>, dtype=dtype('float32')))
    >>> of_either(int, np.dtype("int8")), of_either(*map(np.dtype, ("uint8", "float64")))
    (None, None)
    """
    cases = dict.fromkeys((kind_name(k), k) for kind in (a, b) for k in _cases(kind))
    dtypes = [k for _, k in cases if isinstance(k, np.dtype)]
    weak = [k for _, k in cases if not isinstance(k, np.dtype)]
    if len(dtypes) > 1:
        return None
    if not dtypes or not weak:
        return reduce(_joined, weak) if weak else dtypes[0]
    widest, (dtype,) = reduce(_joined, weak), dtypes
    order = "ifc"
    if dtype.kind not in order[order.index(WEAK[widest].kind):] or (
            dtype.kind == "i" and dtype != WEAK[widest]):
        return None
    return Mixed({"i": int, "f": float, "c": complex}[dtype.kind], dtype)


def loop_of(ufunc: np.ufunc, *kinds: Kind) -> tuple[np.dtype[Any], ...]:
    """Returns the dtypes of the loop that NumPy takes: of the operands, then of the results.

    >>> loop_of(np.add, np.dtype("int32"), np.dtype("float32"))
    (dtype('float64'), dtype('float64'), dtype('float64'))
    >>> loop_of(np.add, np.dtype("float32"), int)
    (dtype('float32'), dtype('float32'), dtype('float32'))

    Comparisons of integers with a Python int are exact, whatever fits the dtype:

    >>> loop_of(np.less, np.dtype("int8"), int)
    (dtype('int64'), dtype('int64'), dtype('bool'))
    """
    found = agreed(lambda *given: _loop_of(ufunc, given), kinds)
    _check_digits(kinds, found)
    return found


def _loop_of(ufunc: np.ufunc, kinds: tuple[Any, ...]) -> tuple[np.dtype[Any], ...]:
    if ufunc in COMPARISONS and all(dtype_of(k) in NARROW for k in kinds) and any(
            k is int for k in kinds):
        kinds = (int, int)
    if all(not isinstance(k, np.dtype) for k in kinds):
        kinds = tuple(map(dtype_of, kinds))
    return tuple(ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout)))
