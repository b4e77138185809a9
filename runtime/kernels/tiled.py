"""Runs elementwise code over large arrays piece by piece, in pieces that fit in cache, in threads.

The result is that of the code on the full arrays, bit by bit, warnings and errors included: a row
of the result depends on the same row of the arguments only, and if a piece would warn or raise, the
code runs again on the full arrays.
"""

from __future__ import annotations

import contextvars
import math
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.locks import new_lock
from autograph.runtime.kernels.buffer_pool import BUFFERS

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

LARGE = 1 << 18
"""Words, of eight bytes each, of an array that a core's own cache does not hold until the next
operation."""

PIECE = 1 << 16
"""Words of a piece of a large array: small enough for the cache, and so large that threads do not
take turns at the interpreter too often."""

CROWDED = 3 << 18
"""Words of all arrays in the code together, from which on smaller arrays are cut as well, into
pieces half as large."""

WORTH = 200e-6
"""Seconds of work that another thread is woken for; that takes about 30 us."""

AGAIN = 64
"""After so many calls a slower way is tried again."""

Rows = Callable[..., Any]
Kind = tuple[Any, ...]
"""(dtype, *shape of a row)."""

_pool: ThreadPoolExecutor | None = None
_lock = new_lock()


def in_tiles(rows: Rows, count: int, made: Sequence[Kind], scratch: Sequence[Kind],
             *arrays: Any) -> Any:
    """Returns `rows(*arrays)`, computed with the first `count` arrays cut along their first axis.

    Args:
      rows: takes the arrays, then arrays for its results, then arrays to work in (None: it makes
        new ones), and returns its result or a tuple of them, one row for each row given.
      count: the number of arrays that are cut; they have equally many rows. All rows share the
        others.
      made: the kinds of the results.
      scratch: the kinds of the arrays to work in.
    """
    if not all(map(in_c_order, arrays)):
        return rows(*arrays)  # results get their order from the arguments, as NumPy does it
    return in_pieces(rows, count, made, scratch, arrays)


def in_pieces(rows: Rows, count: int, made: Sequence[Kind], scratch: Sequence[Kind],
              arrays: tuple[Any, ...]) -> Any:
    """Returns the result of `in_tiles` for arrays that are certainly in C order."""
    known = experience(rows)
    way, start = known.way(), time.perf_counter()
    result = rows(*arrays) if way is Way.PLAIN else _in_memory_used_again(
        rows, count, made, scratch, arrays, way)
    known.took(way, time.perf_counter() - start)
    return result


def _in_memory_used_again(rows: Rows, count: int, made: Sequence[Kind], scratch: Sequence[Kind],
                          arrays: tuple[Any, ...], way: Way) -> Any:
    """Returns the result of pieces, of one if all arrays together fit the cache."""
    length = len(arrays[0])
    own = [words(length, kind) for kind in (*made, *scratch)]
    given = [x.nbytes >> 3 for x in arrays[:count]]
    size = max(own or given)
    crowded = size < LARGE and sum(own) + sum(given) >= CROWDED
    if way is Way.PIECES and size < LARGE and not crowded:
        take = BUFFERS.take
        return rows(*arrays, *[take((length, *kind[1:]), kind[0]) for kind in (*made, *scratch)])
    step = -(-length // (2 * threads()))
    if size >= LARGE or way is Way.PIECES:
        step = length * (PIECE // 2 if crowded else PIECE) // size
    return _one_by_one(rows, count, made, scratch, arrays, max(1, step), way is Way.THREADS)


def words(length: int, kind: Kind) -> int:
    """Returns how many words an array of so many rows takes, at least one."""
    return max(1, length * math.prod(kind[1:]) * np.dtype(kind[0]).itemsize >> 3)


def _one_by_one(rows: Rows, count: int, made: Sequence[Kind], scratch: Sequence[Kind],
                arrays: tuple[Any, ...], step: int, several: bool) -> Any:
    """Warns or raises as NumPy does for the whole arrays: then they are worked on as a whole."""
    with np.errstate(**raising_errstate()), suppress(Exception):  # type: ignore[arg-type]
        pieces = [slice(k, k + step) for k in range(0, len(arrays[0]), step)]
        outputs = [BUFFERS.take((len(arrays[0]), *shape), dtype) for dtype, *shape in made]
        Run(rows, arrays, count, outputs, scratch, pieces).work(several)
        return tuple(outputs) if len(outputs) > 1 else outputs[0]
    return rows(*arrays)


def raising_errstate() -> dict[str, str]:
    """Returns the `np.errstate` in which an operation raises where it would warn."""
    return {kind: "raise" for kind, how in np.geterr().items() if how != "ignore"}


def in_c_order(x: Any) -> bool:
    """Returns True if the last axis of an array (or a view of one) runs fastest, so that NumPy's
    results have C order; numbers have no order."""
    if not isinstance(x, np.ndarray):
        return True
    flags = x.flags
    if not flags.aligned or type(x) is not np.ndarray:
        return False
    if flags.c_contiguous or x.ndim < 2:
        return True
    strides = [s for s, d in zip(x.strides, x.shape, strict=True) if d != 1 and s != 0]
    return sorted(strides, reverse=True) == strides and min(strides, default=1) > 0


class Way(Enum):
    """How a function of rows runs: as NumPy does it, on the whole arrays and in new memory, or in
    pieces that fit a cache, in memory that is used again, on one thread or on several."""

    PLAIN = auto()
    PIECES = auto()
    THREADS = auto()


class Experience:
    """The times that a function of rows took in each way: the fastest is taken.

    What a cache holds differs from machine to machine: there is no size from which on pieces pay.
    """

    def __init__(self) -> None:
        self.seconds: dict[Way, float] = {}
        self.calls = 0

    def way(self) -> Way:
        """Returns the way that is taken next."""
        ways = [Way.PIECES, Way.PLAIN]
        untried = [way for way in ways if way not in self.seconds]
        if untried:
            return untried[0]
        best = min(ways, key=self.seconds.__getitem__)
        if threads() > 1 and self.seconds[best] >= WORTH:
            ways.append(Way.THREADS)
            best = min(ways, key=lambda way: self.seconds.get(way, 0.0))
        others = [way for way in ways if way is not best]
        if self.calls % AGAIN == 0:
            return others[self.calls // AGAIN % len(others)]
        return best

    def took(self, way: Way, seconds: float) -> None:
        self.calls += 1
        before = self.seconds.get(way)
        self.seconds[way] = seconds if before is None else min(before * 1.1, seconds)


def experience(rows: Rows) -> Experience:
    """Returns the times of a function of rows."""
    known: Experience | None = rows.__dict__.get("experience")
    if known is None:
        known = rows.__dict__["experience"] = Experience()
    return known


class Run:
    """One run: the pieces that no thread has taken yet, and the arrays for their results.

    outputs  arrays for the results that are arrays.
    numbers  for each piece, the results that are numbers.
    """

    def __init__(self, rows: Rows, arrays: tuple[Any, ...], count: int, outputs: list[Any],
                 scratch: Sequence[Kind], pieces: list[slice]) -> None:
        self.rows, self.outputs, self.scratch = rows, outputs, scratch
        self.cut, self.uncut = arrays[:count], arrays[count:]
        self.longest = max(piece.stop - piece.start for piece in pieces)
        self.pieces = iter(enumerate(pieces))
        self.numbers: list[Any] = [()] * len(pieces)
        self.failed = False

    def work(self, several: bool) -> None:
        """Works on all pieces, in several threads or in this one."""
        helpers = min(threads(), len(self.numbers)) - 1 if several else 0
        asked = [_ask(self._work) for _ in range(helpers)]
        try:
            self._work()
        finally:
            for helper in asked:
                if not helper.cancel():
                    helper.exception()  # wait: it writes to the outputs
        for helper in asked:
            if not helper.cancelled():
                helper.result()

    def _work(self) -> None:
        space = [BUFFERS.take((self.longest, *shape), dtype) for dtype, *shape in self.scratch]
        try:
            while not self.failed and (taken := self._next()):
                self._piece(*taken, space)
        except BaseException:
            self.failed = True
            raise

    def _piece(self, number: int, piece: slice, space: list[Any]) -> None:
        cut = [x[piece] for x in self.cut]
        outputs = [x[piece] for x in self.outputs]
        length = len(cut[0])
        made = self.rows(*cut, *self.uncut, *outputs, *[x[:length] for x in space])
        results = made if type(made) is tuple else (made,)
        for output, result in zip(outputs, results, strict=False):
            if result is not output:
                output[...] = result
        self.numbers[number] = results[len(outputs):]

    def _next(self) -> tuple[int, slice] | None:
        with _lock:
            return next(self.pieces, None)


def threads() -> int:
    """Returns how many threads work on large arrays: AUTOGRAPH_THREADS, or one a processor."""
    return _threads


def _count_threads() -> int:
    asked = os.environ.get("AUTOGRAPH_THREADS", "")
    if asked.isdigit() and int(asked):
        return int(asked)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def set_threads(count: int | None = None) -> None:
    """Sets how many threads work on large arrays; None for AUTOGRAPH_THREADS or the processors.

    Raises:
      ValueError: the count is not positive.
    """
    global _pool, _threads
    if count is not None and count < 1:
        raise ValueError(f"the number of threads is {count}; it has to be at least 1")
    with _lock:
        pool, _pool, _threads = _pool, None, count or _count_threads()
    if pool is not None:
        pool.shutdown(wait=False)


_threads = _count_threads()


def _ask(work: Callable[[], None]) -> Future[None]:
    """Runs the work in a thread of the pool, in the caller's context (`np.errstate` among it)."""
    global _pool
    with _lock:
        if _pool is None:
            from concurrent.futures import ThreadPoolExecutor  # few programs come here

            _pool = ThreadPoolExecutor(max(1, _threads - 1), "autograph")
        return _pool.submit(contextvars.copy_context().run, work)


def _forget_pool() -> None:
    """Drops the pool in a forked process, which has no threads but its own."""
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)
