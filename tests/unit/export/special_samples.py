"""The samples of the op table with NaN, infinities and the ends of the integers in their arrays."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from autograph.runtime.export.samples import samples_in
from autograph.runtime.ops.op import Op

SORTED = {"searchsorted": 0, "digitize": 1, "interp": 1}
"""The position of the argument that has to be sorted."""

Sample = tuple[tuple[Any, ...], dict[str, Any], Any]
"""Arguments, keywords, and what NumPy gives."""


def extremes(dtype: str) -> list[list[Any]]:
    """Returns groups of numbers that are put into arrays of a dtype, one group at a time."""
    if np.dtype(dtype).kind == "f":
        return [[np.nan], [np.inf], [-np.inf], [np.inf, -np.inf], [-np.inf, np.nan, -0.0]]
    if np.dtype(dtype).kind == "b":
        return []
    ends = np.iinfo(dtype)
    return [[ends.max], [ends.min], [ends.max - 1, 0]]  # both ends cancel in sums of floats


def with_extremes(x: Any, numbers: list[Any], every: int) -> Any:
    """Returns an array or number with the numbers, in turn, at each position of so many."""
    made = np.array(x)
    flat = made.reshape(-1)
    flat[::every] = np.resize(np.array(numbers, made.dtype), len(flat[::every]))
    return made if isinstance(x, np.ndarray) else made[()]


def special_samples(op: Op, dtype: str) -> Iterator[Sample]:
    """The samples of an op in a dtype, with extreme numbers in the arrays that have the dtype: at
    some positions, and everywhere; without those on which it raises."""
    for numbers in extremes(dtype):
        for every in (2, 1):
            for sample in samples_in(op, dtype, partial(
                    with_extremes, numbers=numbers, every=every)):
                if has_order(op, sample[0]):
                    yield sample


def has_order(op: Op, args: tuple[Any, ...]) -> bool:
    """Returns True if the argument is sorted that has to be: of others, each library has its own
    result."""
    x = np.asarray(args[SORTED[op.name]]) if op.name in SORTED else np.zeros(0)
    return bool(np.array_equal(x, np.sort(x), equal_nan=True))
