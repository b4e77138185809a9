"""`ag.debugging`: checks that hold each time a graph runs, or that fail at once if they cannot
hold."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.api.printing import plain
from autograph.runtime.ir.errors import CheckError
from autograph.runtime.ir.given_types import dtype_given, shape_given
from autograph.runtime.ir.types import ArrayType, Dim, type_of
from autograph.runtime.ops.printing_and_checks import check_
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.traceback_filter import hiding_frames


@hiding_frames
def Assert(condition: Any, data: Any = (), summarize: int = 3) -> None:
    """Raises unless the condition is true, in a traced function each time the graph runs.

    Args:
      condition: a bool, or an array of bools, which must all be true.
      data: values that the error shows, in a list or tuple; or one value.
      summarize: how many first and last items of a longer array it shows.

    Raises:
      CheckError: the condition is false.

    >>> Assert(2 > 1, ["never shown"])
    """
    shown = data if isinstance(data, (list, tuple)) else (data,)
    _check(condition, "assertion failed:", *shown, summarize=summarize)


def _check(holds: Any, message: str, *data: Any, summarize: int = 3) -> None:
    """Raises now if the condition is known and false; else records a check for the graph's run."""
    holds = plain(holds)
    if isinstance(holds, Tensor):
        apply("check_", holds, message, *map(plain, data), summarize=summarize)
    elif not np.all(holds):
        shown = ["(known when the graph runs)" if isinstance(d, Tensor) else d
                 for d in map(plain, data)]
        check_(False, message, *shown, summarize=summarize)


UNARY = """
Args:
  x: an array or number.
  message: the beginning of the error's text.
  summarize: how many first and last items of a longer array the error shows.
"""

BINARY = UNARY.replace("number.\n", """number.
  y: an array or number, of a shape that broadcasts with that of `x`.
""")


def _relation(name: str, test: Callable[[Any, Any], Any], words: str) -> Callable[..., None]:
    @hiding_frames
    def check(x: Any, y: Any, message: str = "", summarize: int = 3) -> None:
        x, y = plain(x), plain(y)
        _check(test(x, y), f"{message or 'the condition does not hold'}: x {words} y, element by "
                           "element", "x =", x, "y =", y, summarize=summarize)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Raises CheckError unless x {words} y, element by element.\n{BINARY}"
    return check


assert_equal = _relation("assert_equal", operator.eq, "==")
assert_none_equal = _relation("assert_none_equal", operator.ne, "!=")
assert_less = _relation("assert_less", operator.lt, "<")
assert_less_equal = _relation("assert_less_equal", operator.le, "<=")
assert_greater = _relation("assert_greater", operator.gt, ">")
assert_greater_equal = _relation("assert_greater_equal", operator.ge, ">=")


def _sign(name: str, test: Callable[[Any], Any], words: str) -> Callable[..., None]:
    @hiding_frames
    def check(x: Any, message: str = "", summarize: int = 3) -> None:
        x = plain(x)
        _check(test(x), f"{message or 'the condition does not hold'}: x {words}, element by "
                        "element", "x =", x, summarize=summarize)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Raises CheckError unless x {words}, element by element.\n{UNARY}"
    return check


assert_positive = _sign("assert_positive", lambda x: np.greater(x, 0), "> 0")
assert_negative = _sign("assert_negative", lambda x: np.less(x, 0), "< 0")
assert_non_negative = _sign("assert_non_negative", lambda x: np.greater_equal(x, 0), ">= 0")
assert_non_positive = _sign("assert_non_positive", lambda x: np.less_equal(x, 0), "<= 0")


@hiding_frames
def assert_near(x: Any, y: Any, rtol: float = 1e-9, atol: float = 0.0, message: str = "") -> None:
    """Raises CheckError unless |x - y| <= atol + rtol * |y|, element by element.

    Args:
      x: an array or number.
      y: an array or number, of a shape that broadcasts with that of `x`.
      rtol: the relative tolerance.
      atol: the absolute tolerance.
      message: the beginning of the error's text.

    >>> assert_near(0.1 + 0.2, 0.3)
    """
    x, y = plain(x), plain(y)
    _check(np.abs(x - y) <= atol + rtol * np.abs(y),
           f"{message or 'the condition does not hold'}: x and y are near", "x =", x, "y =", y)


@hiding_frames
def assert_rank(x: Any, rank: int, message: str = "") -> None:
    """Raises CheckError unless the array has so many dimensions.

    Args:
      x: an array or number.
      rank: the number of dimensions.
      message: the beginning of the error's text.

    >>> assert_rank(np.zeros((2, 3)), 2)
    """
    x = plain(x)
    ndim = x.ndim if isinstance(x, Tensor) else np.ndim(x)
    _check(ndim == rank, f"{message or 'wrong rank'}: {rank} wanted", "shape =", np.shape(x))


@hiding_frames
def assert_shape(x: Any, shape: Sequence[Dim], message: str = "") -> None:
    """Raises CheckError unless the array has this shape.

    Args:
      x: an array or number.
      shape: a sequence of ints and names; None in it stands for any number, equal names for
        equal numbers.
      message: the beginning of the error's text.

    >>> assert_shape(np.zeros((2, 3)), (2, None))
    """
    x = plain(x)
    dims = tuple(shape) if _has_symbols(shape) else shape_given(shape, "assert_shape(x, shape)")
    known = tuple(None if isinstance(dim, Tensor) else dim for dim in dims)
    text = f"{message or 'wrong shape'}: {known} wanted"
    assert_rank(x, len(dims), text)
    for axis, dim in enumerate(dims):
        if dim is not None:
            wanted = np.shape(x)[dims.index(dim)] if isinstance(dim, str) else dim
            _check(np.shape(x)[axis] == wanted, text, "shape =", np.shape(x))


def _has_symbols(shape: Any) -> bool:
    return isinstance(shape, (tuple, list)) and any(isinstance(dim, Tensor) for dim in shape)


@hiding_frames
def assert_type(x: Any, dtype: Any, message: str = "") -> None:
    """Raises CheckError unless the array has this dtype; decided while tracing.

    Args:
      x: an array or number.
      dtype: anything `np.dtype` takes.
      message: the beginning of the error's text.

    >>> assert_type(np.zeros(2), np.float64)
    """
    x = plain(x)
    t = x.type if isinstance(x, Tensor) else type_of(np.asarray(x))
    wanted = dtype_given(dtype, "assert_type(x, dtype)")
    if not isinstance(t, ArrayType) or t.dtype != wanted:
        raise CheckError(f"{message or 'wrong dtype'}: {wanted} wanted, got {t}")


@hiding_frames
def check_numerics(x: Any, message: str = "") -> Any:
    """Returns the array itself, after checking that it has no infinity and no NaN.

    Args:
      x: an array or number.
      message: the beginning of the error's text.

    Returns:
      The array.

    Raises:
      CheckError: there is an Inf or NaN.

    >>> check_numerics(1.5)
    1.5
    """
    x = plain(x)
    if trace.tracing() or not np.all(np.isfinite(x)):
        _check(np.isfinite(x), f"{message or 'check_numerics'}: there is an Inf or NaN", x)
    return x


@hiding_frames
def assert_all_finite(x: Any, message: str = "") -> None:
    """Raises CheckError if the array has an infinity or a NaN.

    Args:
      x: an array or number.
      message: the beginning of the error's text.

    >>> assert_all_finite(np.ones(2))
    """
    check_numerics(x, message or "assert_all_finite")
