"""Runs elementwise code and reductions of all its elements piece by piece, bit by bit as NumPy.

NumPy adds up a long array by halves: the sum of each half, and these added. So the pieces are
halves of halves, and their sums are added in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np

from autograph.runtime.kernels.buffer_pool import BUFFERS
from autograph.runtime.kernels.tiled import (
    Kind,
    Rows,
    Run,
    Way,
    experience,
    raising_errstate,
    threads,
)

LARGE = 1 << 19
"""Elements from which on an array is worked on in pieces: below, calls cost more than memory."""

PIECE = 1 << 18

UNROLLED = 8
"""NumPy's halves are multiples of so many elements."""


class Unclear(Exception):
    """Raised when the reductions of the pieces do not determine the bits of the whole reduction."""


def in_halves(rows: Rows, count: int, reductions: Sequence[np.ufunc], made: Sequence[Kind],
              scratch: Sequence[Kind], *arrays: Any) -> Any:
    """`rows(*arrays)`, whose last results are numbers: what `reductions` make of all elements.

    Args:
      rows: as for `in_tiles`; the first `count` arrays, and the results that are arrays, have
        one shape, and the others are numbers.
      reductions: the ufuncs that reduce all elements of an array to a number of the result.
    """
    if not all(map(is_one_piece, arrays[:count])) or not agrees():
        return rows(*arrays)
    shape = arrays[0].shape
    known = experience(rows)
    way, start = known.way(), perf_counter()
    if way is Way.PLAIN or (way is Way.PIECES and arrays[0].size < LARGE):
        space = () if way is Way.PLAIN else [
            BUFFERS.take(shape, kind[0]) for kind in (*made, *scratch)]
        result = rows(*arrays, *space)
        known.took(way, perf_counter() - start)
        return result
    lines = [x.reshape(-1) for x in arrays[:count]]
    several = way is Way.THREADS
    most = min(PIECE, -(-len(lines[0]) // (2 * threads()))) if several else PIECE
    with np.errstate(**raising_errstate()), suppress(Exception):  # type: ignore[arg-type]
        outputs = [BUFFERS.take(shape, kind[0]) for kind in made]
        run = Run(rows, (*lines, *arrays[count:]), count, [x.reshape(-1) for x in outputs],
                  [kind[:1] for kind in scratch], list(halves(len(lines[0]), most)))
        run.work(several)
        numbers = [together(ufunc, parts, len(lines[0]), most)
                   for ufunc, parts in zip(reductions, zip(*run.numbers, strict=True), strict=True)]
        known.took(way, perf_counter() - start)
        results = (*outputs, *numbers)
        return results if len(results) > 1 else results[0]
    return rows(*arrays)


def is_one_piece(x: Any) -> bool:
    return type(x) is np.ndarray and x.flags.c_contiguous and x.flags.aligned


def halves(length: int, most: int, start: int = 0) -> Iterator[slice]:
    """Yields the halves of halves of an array, each of at most so many elements."""
    if length <= most:
        yield slice(start, start + length)
        return
    first = first_half(length)
    yield from halves(first, most, start)
    yield from halves(length - first, most, start + first)


def first_half(length: int) -> int:
    return length // 2 // UNROLLED * UNROLLED


def together(ufunc: np.ufunc, parts: Sequence[Any], length: int, most: int) -> Any:
    """Returns a ufunc's reduction of all elements, given those of the pieces.

    Raises:
      Unclear: an extreme is NaN or zero, whose sign depends on the order of the elements.
    """
    if parts[0].dtype.kind != "f":
        return ufunc.reduce(np.array(parts))  # integers wrap around, in any order
    if ufunc is np.add:
        return added(iter(parts), length, most)
    extreme = ufunc.reduce(np.array(parts))
    if not extreme or extreme != extreme:
        raise Unclear
    return extreme


def added(parts: Iterator[Any], length: int, most: int) -> Any:
    """Returns the sum of the pieces that `halves` gives, in NumPy's order."""
    if length <= most:
        return next(parts)
    first = first_half(length)
    return added(parts, first, most) + added(parts, length - first, most)


@cache
def agrees() -> bool:
    """Returns True if this NumPy adds up by the halves that are known here."""
    sample = np.random.default_rng(0).normal(size=(3, 7001)) ** 9
    sample[1], sample[2, :-1] = -0.0, np.inf
    for x in (*sample, sample, *sample.astype(np.float32)):
        with np.errstate(all="ignore"):
            total, flat = np.add.reduce(x, axis=None), x.reshape(-1)
            for most in (128, 1000):
                parts = [np.add.reduce(flat[piece]) for piece in halves(x.size, most)]
                if added(iter(parts), x.size, most).tobytes() != total.tobytes():
                    return False
    return True
