"""The arguments that rows are run on: two values for each name, of one dtype and shape."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Pair(NamedTuple):
    """What a parameter is in the first and in the second call."""

    first: Any
    second: Any


class Point(NamedTuple):
    """A namedtuple among the arguments."""

    x: Any
    y: Any


def pair(first: Any, second: Any, dtype: Any = None) -> Pair:
    """Two arrays."""
    return Pair(np.array(first, dtype), np.array(second, dtype))


def each(fn: Callable[[Any], Any], given: Pair) -> Pair:
    """A pair made from another one."""
    return Pair(*map(fn, given))


MATRIX = pair([[0.5, -1.5, 3.0], [2.0, 0.75, -1.0]], [[1.25, 4.0, -0.5], [0.0, -2.0, 2.5]])
OTHER = pair([[2.0, 1.0, 0.5], [4.0, -0.25, 3.0]], [[1.0, -3.0, 2.0], [0.5, 8.0, 0.25]])
TABLE = pair([[3, 1, 2], [5, 4, 7]], [[0, 6, 2], [-1, 3, 3]])
RECORD = np.dtype([("a", "f8"), ("b", "i4")])
PARTS = pair([0.5, -0.75, 0.25], [0.1, 0.9, -1.0])

VALUES: dict[str, Pair] = {
    # float64
    "x": MATRIX,
    "y": OTHER,
    "v": pair([0.5, 2.0, 1.25], [3.0, -1.0, 0.25]),
    "w": pair([4.0, 0.25, 3.0], [1.0, 2.0, -2.0]),
    "u": pair([3.0, 1.0, 2.0, 1.0, 5.0, 1.0], [0.0, 2.0, 2.0, 7.0, -1.0, 0.5]),
    "part": PARTS,
    "pos": pair([0.5, 2.0, 1.25], [3.0, 1.0, 0.25]),
    "bad": pair([np.nan, 1.0, -np.inf, 0.0], [2.0, np.nan, 0.0, np.inf]),
    "c": pair(np.arange(24.0).reshape(2, 3, 4), np.arange(24.0)[::-1].reshape(2, 3, 4) / 2),
    "q": pair([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]],
              [[5.0, 0.0, 1.0], [0.0, 2.0, 0.5], [1.0, 0.5, 3.0]]),
    "qq": pair([[[4.0, 1.0], [1.0, 3.0]], [[2.0, 0.5], [0.5, 1.0]]],
               [[[1.0, 0.0], [0.0, 3.0]], [[2.0, 1.0], [1.0, 5.0]]]),
    "p": pair(0.75, -2.5),
    "e": Pair(np.zeros((0, 3)), np.zeros((0, 3))),
    "t2": Pair(np.array(MATRIX.first.T, order="C").T, np.array(MATRIX.second.T, order="C").T),
    # other dtypes
    "f": each(lambda a: a.astype(np.float32), MATRIX),
    "h": each(lambda a: a.astype(np.float16), MATRIX),
    "z": pair([1 + 2j, 3 - 1j, -0.5j], [2j, 1.5, -1 - 1j]),
    "zz": pair([[2, 1 - 1j], [1 + 1j, 3]], [[1, 2j], [-2j, 5]]),
    "t": TABLE,
    "i": pair([2, 0, 1], [1, 1, 0]),
    "j": pair([1, 0], [0, 1]),
    "i8": pair([100, -100, 27], [127, -128, 1], np.int8),
    "i32": each(lambda a: a.astype(np.int32), TABLE),
    "u8": pair([200, 3, 255], [0, 128, 77], np.uint8),
    "u64": pair([2**63, 1, 5], [7, 2**64 - 1, 0], np.uint64),
    "m": pair([True, False, True], [False, False, True]),
    "b": pair([[True, False, True], [False, False, True]], [[False, True, True], [True] * 3]),
    "words": pair(["pear", "fig", "kiwi"], ["a", "bc", "lime"], "U4"),
    "bytes_": pair([b"ab", b"c", b"de"], [b"x", b"yz", b""], "S2"),
    "days": pair(["2024-01-31", "2024-02-29", "2023-12-01"],
                 ["2020-05-05", "1999-12-31", "NaT"], "M8[D]"),
    "spans": pair([1, 40, -3], [7, 0, 365], "m8[D]"),
    "rec": pair([(1.5, 2), (0.5, 7)], [(3.0, 1), (-1.0, 0)], RECORD),
    # scalars that are known only when the graph runs
    "s": Pair(np.float64(1.5), np.float64(-0.25)),
    "s32": Pair(np.float32(0.1), np.float32(2.5)),
    "n": Pair(np.int64(3), np.int64(5)),
    "k": Pair(np.int64(1), np.int64(2)),
    "k8": Pair(np.int8(127), np.int8(-3)),
    "yes": Pair(np.True_, np.False_),
    "zs": Pair(np.complex128(1 + 2j), np.complex128(-3j)),
    # Python's
    "pt": Pair(Point(*MATRIX), Point(*OTHER)),
}
"""By parameter name. Rows use these names and nothing has to be said about them."""
