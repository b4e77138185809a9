"""The algebraic rules, one table: what is written, what is computed instead, and for which types.

A rule is two functions of the same parameters. Tracing the first gives the pattern; running both on
samples of their types is the test. A parameter named `c` or `d` stands for a constant, and the
second function computes with the very constant.

Rules of the first part give the same bits (but for the sign of a NaN) and warn of the same (the
last word of a warning, which names the ufunc, may be another); those
of the second may round differently and apply with `fast_math=True` only. What is missing is missing
on purpose: `x + 0` is not `x` for floats (-0.0 + 0 is 0.0), `x * 0` is not 0 (NaN, inf, -0.0),
`x - x` is not 0, `not x < y` is not `x >= y`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.runtime.ir.types import ArrayType, Type

MOST_ELEMENTS = 4096
"""Of a constant array that is looked at: there are no larger ones that folding made."""

Condition = Callable[..., bool]
"""Given the result's type, then for each parameter its type, or the constant itself."""


@dataclass(frozen=True, eq=False)
class Rule:
    """`before` may be replaced by `after` where `when` holds."""

    before: Callable[..., Any]
    after: Callable[..., Any]
    when: Condition

    @property
    def parameters(self) -> tuple[str, ...]:
        code = self.before.__code__
        return code.co_varnames[: code.co_argcount]


def of(kinds: str, least_rank: int = 0) -> Condition:
    """All operands have the result's own dtype, which is of one of the kinds; constants are finite
    numbers that fit it."""
    def holds(result: Type, *operands: Any) -> bool:
        if not isinstance(result, ArrayType) or not _is_of(result, kinds):
            return False
        return (result.rank or 0) >= least_rank and result.shape is not None and all(
            _agrees(x, result.dtype) for x in operands)

    return holds


def _is_of(t: object, kinds: str) -> bool:
    return isinstance(t, ArrayType) and t.dtype is not None and t.dtype.kind in kinds and (
        t.dtype.kind != "f" or t.dtype.itemsize in (4, 8))


def _agrees(x: object, dtype: np.dtype[Any] | None) -> bool:
    if isinstance(x, ArrayType):
        return x.dtype is not None and bool(x.dtype == dtype)
    if type(x) is int:
        return abs(x) < 2**31
    return type(x) is float and math.isfinite(x) and dtype is not None and dtype.kind == "f"


def mask(result: Type, m: Any, *operands: Any) -> bool:
    return _is_of(m, "b") and isinstance(result, ArrayType) and result.dtype is not None


def power_of_two(result: Type, x: Type, c: Any) -> bool:
    """Division by c is multiplication by 1 / c, exactly."""
    return of("f")(result, x, c) and c != 0 and abs(math.frexp(c)[0]) == 0.5 and (
        2**-60 <= abs(c) <= 2**60)


def not_zero(result: Type, *operands: Any) -> bool:
    return of("f")(result, *operands) and operands[-1] != 0


def fits(combined: Callable[[Any, Any], Any]) -> Condition:
    """Arrays of integers that wrap around, and the two constants make one that fits the dtype."""
    def holds(result: Type, x: Any, c: Any, d: Any) -> bool:
        if not (of("iu", 1)(result, x, c, d) and type(c) is int and type(d) is int):
            return False
        limits = np.iinfo(x.dtype)
        return all(limits.min <= x <= limits.max for x in (c, d, combined(c, d)))

    return holds


def one(result: Type, x: Any, c: Any) -> bool:
    """Multiplication by a number 1 of the array's own dtype."""
    return isinstance(c, np.generic) and isinstance(result, ArrayType) and bool(
        c.dtype == result.dtype and c == 1 and _is_of(x, "fiu") and x.dtype == c.dtype)


def uniform(result: Type, x: Any, c: Any) -> bool:
    """A constant array of one number, and an array that has the result's shape itself, and both its
    dtype."""
    return isinstance(c, np.ndarray) and c.ndim > 0 and is_uniform(c) and isinstance(
        result, ArrayType) and _is_of(x, "fiu") and x.is_static and x.shape == result.shape and (
        bool(x.dtype == c.dtype == result.dtype))


def number(result: Type, x: Any) -> bool:
    """A float without dimensions, of the result's own dtype."""
    return isinstance(result, ArrayType) and result.rank == 0 and _is_of(x, "f") and (
        x.rank == 0 and bool(x.dtype == result.dtype))


def is_uniform(x: np.ndarray[Any, Any]) -> bool:
    """Returns True if all elements of a small array are the same bits."""
    return 0 < x.size <= MOST_ELEMENTS and x.dtype.kind in "biufc" and (
        x.tobytes() == x.flat[0].tobytes() * x.size)


def has_axes(result: Type, x: Type, c: Any) -> bool:
    """An array of known rank, and axes of the result: different ones."""
    rank = result.rank if isinstance(result, ArrayType) else None
    axes = c if type(c) is tuple else (c,)
    return isinstance(x, ArrayType) and not x.scalar and x.rank is not None and (
        rank is not None and all(type(k) is int and -rank <= k < rank for k in axes)
        and len({k % rank for k in axes}) == len(axes))


def index_by_axes(rank: int, axes: Any, part: Any) -> tuple[Any, ...]:
    """Returns the index with `part` at some axes, and whole axes elsewhere.

    >>> index_by_axes(2, -1, None)
    (slice(None, None, None), None)
    """
    at = {k % rank for k in (axes if isinstance(axes, tuple) else (axes,))}
    return tuple(part if k in at else slice(None) for k in range(rank))


def new_axes(x: Any, axes: Any) -> tuple[Any, ...]:
    return index_by_axes(np.ndim(x) + np.size(axes), axes, None)


def backwards(x: Any, axes: Any) -> tuple[Any, ...]:
    return index_by_axes(np.ndim(x), axes, slice(None, None, -1))


def two_vectors(result: Type, *operands: Any) -> bool:
    """Arrays of one axis each."""
    return all(isinstance(x, ArrayType) and x.rank == 1 for x in operands)


EXACT: tuple[Rule, ...] = (
    Rule(lambda x, c: x * c, lambda x, c: x, one),
    Rule(lambda x, c: c * x, lambda x, c: x, one),
    Rule(lambda x, c: c * x, lambda x, c: c.flat[0] * x, uniform),
    Rule(lambda x, c: x * c, lambda x, c: x * c.flat[0], uniform),
    Rule(lambda x, c: c + x, lambda x, c: c.flat[0] + x, uniform),
    Rule(lambda x, c: x + c, lambda x, c: x + c.flat[0], uniform),
    Rule(lambda x: np.sum(x), lambda x: x + 0.0, number),
    Rule(lambda x: np.max(x), lambda x: x, number),
    Rule(lambda x: np.min(x), lambda x: x, number),
    Rule(lambda x, c: np.expand_dims(x, c), lambda x, c: x[new_axes(x, c)], has_axes),
    Rule(lambda x, c: np.flip(x, c), lambda x, c: x[backwards(x, c)], has_axes),
    Rule(lambda x: x * 1, lambda x: x, of("fiu")),
    Rule(lambda x: 1 * x, lambda x: x, of("fiu")),
    Rule(lambda x: x * 1.0, lambda x: x, of("f")),
    Rule(lambda x: 1.0 * x, lambda x: x, of("f")),
    Rule(lambda x: x / 1, lambda x: x, of("f")),
    Rule(lambda x: x / 1.0, lambda x: x, of("f")),
    Rule(lambda x: x - 0, lambda x: x, of("fiu")),
    Rule(lambda x: x - 0.0, lambda x: x, of("f")),
    Rule(lambda x: x + 0, lambda x: x, of("iu")),
    Rule(lambda x: 0 + x, lambda x: x, of("iu")),
    Rule(lambda x: x // 1, lambda x: x, of("iu")),
    Rule(lambda x: x ** 1, lambda x: x, of("fiu")),
    Rule(lambda x: +x, lambda x: x, of("fiu")),
    Rule(lambda x: x ** 2, lambda x: np.square(x), of("fiu", 1)),
    Rule(lambda x: x ** 2.0, lambda x: np.square(x), of("f", 1)),
    Rule(lambda x: x ** 0.5, lambda x: np.sqrt(x), of("f", 1)),
    Rule(lambda x, c: x / c, lambda x, c: x * (1 / c), power_of_two),
    Rule(lambda x: -(-x), lambda x: x, of("f")),  # noqa: B002  # not a decrement
    Rule(lambda x: -(-x), lambda x: x, of("iu", 1)),  # noqa: B002
    Rule(lambda x, y: x - (-y), lambda x, y: x + y, of("fiu", 1)),
    Rule(lambda x, y: x + (-y), lambda x, y: x - y, of("fiu", 1)),
    Rule(lambda x, y: (-x) + y, lambda x, y: y - x, of("fiu", 1)),
    Rule(lambda x, y: (-x) * (-y), lambda x, y: x * y, of("fiu", 1)),
    Rule(lambda x, y: (-x) / (-y), lambda x, y: x / y, of("f", 1)),
    Rule(lambda x: abs(-x), lambda x: abs(x), of("fi", 1)),
    Rule(lambda x: abs(abs(x)), lambda x: abs(x), of("fi", 1)),
    Rule(lambda x: np.square(-x), lambda x: np.square(x), of("fi", 1)),
    Rule(lambda x: np.square(abs(x)), lambda x: np.square(x), of("fi", 1)),
    Rule(lambda x: ~(~x), lambda x: x, of("biu")),
    Rule(lambda x: np.logical_not(np.logical_not(x)), lambda x: x, of("b")),
    Rule(lambda x, c, d: (x + c) + d, lambda x, c, d: x + (c + d), fits(lambda c, d: c + d)),
    Rule(lambda x, c, d: (x - c) - d, lambda x, c, d: x - (c + d), fits(lambda c, d: c + d)),
    Rule(lambda x, c, d: (x * c) * d, lambda x, c, d: x * (c * d), fits(lambda c, d: c * d)),
    Rule(lambda m, x, y: np.where(~m, x, y), lambda m, x, y: np.where(m, y, x), mask),
    Rule(lambda m, x, y: np.where(np.logical_not(m), x, y), lambda m, x, y: np.where(m, y, x),
         mask),
    Rule(lambda x, y: np.add.outer(x, y), lambda x, y: np.add(x[:, None], y), two_vectors),
    Rule(lambda x, y: np.subtract.outer(x, y), lambda x, y: np.subtract(x[:, None], y),
         two_vectors),
    Rule(lambda x, y: np.multiply.outer(x, y), lambda x, y: np.multiply(x[:, None], y),
         two_vectors),
    Rule(lambda x, y: np.maximum.outer(x, y), lambda x, y: np.maximum(x[:, None], y), two_vectors),
    Rule(lambda x, y: np.minimum.outer(x, y), lambda x, y: np.minimum(x[:, None], y), two_vectors),
)
"""The same bits."""

FAST: tuple[Rule, ...] = (
    Rule(lambda x: x + 0, lambda x: x, of("f")),
    Rule(lambda x: x + 0.0, lambda x: x, of("f")),
    Rule(lambda x: 0.0 + x, lambda x: x, of("f")),
    Rule(lambda x, c: x / c, lambda x, c: x * (1 / c), not_zero),
    Rule(lambda x, c, d: (x + c) + d, lambda x, c, d: x + (c + d), of("f")),
    Rule(lambda x, c, d: (x * c) * d, lambda x, c, d: x * (c * d), of("f")),
    Rule(lambda x, c, d: c * (d * x), lambda x, c, d: (c * d) * x, of("f")),
    Rule(lambda x: x ** 3, lambda x: x * x * x, of("f", 1)),
    Rule(lambda x: x ** 4, lambda x: np.square(np.square(x)), of("f", 1)),
    Rule(lambda x: x ** -1, lambda x: 1.0 / x, of("f", 1)),
    Rule(lambda x: x ** -2, lambda x: 1.0 / np.square(x), of("f", 1)),
    Rule(lambda x: x ** 1.5, lambda x: x * np.sqrt(x), of("f", 1)),
    Rule(lambda x: np.sqrt(np.square(x)), lambda x: abs(x), of("f")),
    Rule(lambda x: np.sqrt(x * x), lambda x: abs(x), of("f")),
    Rule(lambda x: np.sqrt(x) * np.sqrt(x), lambda x: x, of("f")),
    Rule(lambda x: np.log(np.exp(x)), lambda x: x, of("f")),
    Rule(lambda x, y: np.exp(x) * np.exp(y), lambda x, y: np.exp(x + y), of("f", 1)),
    Rule(lambda x, y: np.exp(x) / np.exp(y), lambda x, y: np.exp(x - y), of("f", 1)),
    Rule(lambda x, y, z: (x / y) / z, lambda x, y, z: x / (y * z), of("f", 1)),
    Rule(lambda x, y, z: x * y + x * z, lambda x, y, z: x * (y + z), of("f", 1)),
    Rule(lambda x: np.sum(x * x), lambda x: np.vdot(x, x), lambda result, x: _is_vector(result, x)),
    Rule(lambda x, y: np.sum(x * y), lambda x, y: np.vdot(x, y),
         lambda result, x, y: _is_vector(result, x, y)),
)
"""Another rounding, here or there."""


def _is_vector(result: Type, *operands: Any) -> bool:
    """Vectors of the same length and of the result's dtype."""
    return of("f")(result, *operands) and len({x.shape for x in operands}) == 1 and (
        operands[0].rank == 1)
