"""Kinds of values in an exported graph: a dtype, or the class of a Python number, which is weak.

What is an int of Python's on one path, a float of its on another, or NumPy's, is `Mixed`: what is
computed of it has to be the same whichever it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
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

PATHS = "a value is of dtype {} on one path and {} on the other"
CLASSES = {"i": int, "f": float, "c": complex}
"""The class of Python's numbers for each kind of a dtype."""

R = TypeVar("R")


class NoForm(Exception):
    """Raised where a rule finds that the target cannot do what it would have to do."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.hint = hint


class Mixed(NamedTuple):
    """The kind of a number that is of one of several kinds, as the run decides, held in `dtype`."""

    cases: tuple[Any, ...]
    dtype: np.dtype[Any]

    @property
    def is_exact(self) -> bool:
        """Returns True if the dtype holds all digits of the number."""
        return self.dtype in WEAK.values() and all(
            k == self.dtype for k in self.cases if isinstance(k, np.dtype))


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
        return "" if kind is None else " or ".join(map(kind_name, (*kind.cases, kind.dtype)))
    return kind.str if isinstance(kind, np.dtype) else kind.__name__


def cases_of(kind: Kind) -> Sequence[Any]:
    """Returns the kinds that a value of this kind may have when the graph runs."""
    return kind.cases if isinstance(kind, Mixed) else (kind,)


def as_operands(kinds: Sequence[Kind]) -> Iterator[tuple[Any, ...]]:
    """Yields the kinds that operands of Python's operators may have together. Where all are
    Python's, an int that is held as a float is computed with as one: the number is the same."""
    for given in product(*map(cases_of, kinds)):
        yield given if any(isinstance(k, np.dtype) for k in given) else tuple(
            CLASSES[k.dtype.kind] if isinstance(k, Mixed) else k for k in kinds)


def agreed(fn: Callable[..., R], kinds: Sequence[Kind], operator: bool = False) -> R:
    """Returns what `fn` gives for kinds, whichever those are that are one of several.

    Raises:
      NoForm: it depends on which they are, or a number is held with too few digits for it.
    """
    together = as_operands(kinds) if operator else product(*map(cases_of, kinds))
    found, *others = (fn(*given) for given in together)
    if any(x != found for x in others):
        raise _unsettled(kinds)
    return found


def _unsettled(kinds: Iterable[Kind]) -> NoForm:
    kind = next(k for k in kinds if isinstance(k, Mixed))
    first, *_, last = (f"of dtype {k}" if isinstance(k, np.dtype) else
                       f"a{'n' * (k is int)} {k.__name__} of Python's"
                       for k in kind.cases)
    return NoForm(f"a number is {first} on one path and {last} on another, and what NumPy computes "
                  "of it differs",
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
    found = agreed(lambda *given: dtype_of(reduce(_joined, given)), _without_repeats(kinds))
    _check_digits(kinds, [found] * len(kinds))
    return found


def _without_repeats(kinds: Sequence[Kind]) -> list[Kind]:
    """Returns the kinds, each as often as its values can be of different kinds when the graph
    runs: more of them are promoted to nothing else.

    >>> _without_repeats([int, float, int, int])
    [<class 'int'>, <class 'float'>]
    """
    seen: Counter[str] = Counter()
    found = []
    for kind in kinds:
        seen[kind_name(kind)] += 1
        if seen[kind_name(kind)] <= len(cases_of(kind)):
            found.append(kind)
    return found


def kind_of_items(kinds: Sequence[Kind]) -> np.dtype[Any] | Mixed:
    """Returns the kind of an array of things of these kinds: Python numbers have dtypes there.

    >>> kind_of_items([float, np.dtype("float32")])
    dtype('float64')
    """
    found = dict.fromkeys(np.result_type(*map(dtype_of, given)) for given in product(
        *map(cases_of, _without_repeats(kinds))))
    held = [k.dtype for k in kinds if isinstance(k, Mixed) and not k.is_exact]
    if len(found) == 1 and all(dtype in found for dtype in held):
        return next(iter(found))
    return Mixed(tuple(dict.fromkeys([*found, *held])), np.result_type(*found))


def common_kind(kinds: Iterable[Kind | None]) -> Kind | None:
    """Returns the kind of an array made of things of these kinds."""
    known = [k for k in kinds if k is not None]
    return kind_of_items(known) if known else None


def of_either(a: Kind, b: Kind) -> Kind | None:
    """Returns the kind of a value that is of one kind on one path, and of another on the other;
    None if no dtype holds both.

    A Python number beside an array's float has no width of its own. Of two dtypes, one wraps or has
    fewer digits.

    >>> of_either(float, np.dtype("float32"))
    Mixed(cases=(<class 'float'>, dtype('float32')), dtype=dtype('float32'))
    >>> of_either(int, np.dtype("int8")), of_either(*map(np.dtype, ("uint8", "float64")))
    (None, None)
    """
    cases = dict.fromkeys((kind_name(k), k) for kind in (a, b) for k in cases_of(kind))
    weak = sorted((k for _, k in cases if not isinstance(k, np.dtype)), key=list(WEAK).index)
    dtypes = [k for _, k in cases if isinstance(k, np.dtype)]
    if kind_name(a) == kind_name(b) or len(dtypes) > 1:
        return None if kind_name(a) != kind_name(b) else a
    held = dtypes[0] if dtypes else WEAK[weak[-1]]
    order = "ifc"
    if held.kind not in order[order.index(WEAK[weak[-1]].kind):] or (
            held.kind == "i" and held != WEAK[int]):
        return None
    return Mixed((*weak, *dtypes), held)


def of_all(kinds: Sequence[Kind]) -> Kind | None:
    """Returns the kind of a value that is of one of several kinds; None if no dtype holds all.

    >>> of_all([int, int]), of_all([float, np.dtype("int32")])
    (<class 'int'>, None)
    """
    joined: Kind | None = kinds[0]
    for kind in kinds[1:]:
        joined = None if joined is None else of_either(joined, kind)
    return joined


def kind_of_result(ufunc: np.ufunc, kinds: Sequence[Kind], dtype: np.dtype[Any]) -> Kind | None:
    """Returns the kind of what an operator of Python's gives for numbers that may be Python's.

    >>> kind_of_result(np.divide, [int, int], np.dtype(float))
    <class 'float'>
    """
    if dtype.kind not in CLASSES:
        return None
    cases = dict.fromkeys(
        dtype if any(isinstance(k, np.dtype) for k in given) else
        CLASSES[_loop_of(ufunc, given)[-1].kind]
        for given in product(*map(cases_of, kinds)))
    return Mixed(tuple(cases), dtype) if len(cases) > 1 else next(iter(cases))


def loop_of(ufunc: np.ufunc, *kinds: Kind, operator: bool = False) -> tuple[np.dtype[Any], ...]:
    """Returns the dtypes of the loop that NumPy takes: of the operands, then of the results.

    Args:
      operator: True for an operator of Python's, False for the ufunc itself.

    >>> loop_of(np.add, np.dtype("int32"), np.dtype("float32"))
    (dtype('float64'), dtype('float64'), dtype('float64'))
    >>> loop_of(np.add, np.dtype("float32"), int)
    (dtype('float32'), dtype('float32'), dtype('float32'))

    Comparisons of integers with a Python int are exact, whatever fits the dtype:

    >>> loop_of(np.less, np.dtype("int8"), int)
    (dtype('int64'), dtype('int64'), dtype('bool'))
    """
    found = agreed(lambda *given: _loop_of(ufunc, given), kinds, operator)
    _check_digits(kinds, found)
    return found


def _loop_of(ufunc: np.ufunc, kinds: tuple[Any, ...]) -> tuple[np.dtype[Any], ...]:
    if ufunc in COMPARISONS and all(dtype_of(k) in NARROW for k in kinds) and any(
            k is int for k in kinds):
        kinds = (int, int)
    if all(not isinstance(k, np.dtype) for k in kinds):
        kinds = tuple(map(dtype_of, kinds))
    return tuple(ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout)))
