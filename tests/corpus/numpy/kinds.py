"""What else an argument may be, by name: other shapes, other dtypes, a number for an array."""

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Change = Callable[[Array, int], Any]
"""What is passed instead of an array (or NumPy number), in the first (0) or second (1) call."""

DTYPES = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g", "F", "D", "G",
          "M8[D]", "M8[ns]", "m8[s]", "U5", "S3", "O", "rec")
POOLS: dict[str, tuple[list[Any], list[Any]]] = {
    "M": (["2024-01-31", "2024-02-29", "1969-12-31"], ["2000-05-05", "NaT", "2023-12-01"]),
    "m": ([1, 40, -3], [7, 0, 365]),
    "U": (["pear", "fig", "kiwi"], ["a", "", "lime"]),
    "S": ([b"ab", b"c", b"de"], [b"x", b"yz", b""]),
    "V": ([(1.5, 2), (0.5, 7)], [(3.0, 1), (-1.0, 0)]),
}
"""Values of the dtypes that numbers are not cast to, by kind, for each call."""

NUMBERS = ([3, 1, 2], [0, 2, 1])
"""What stands for such values where a number is wanted."""

RECORD = np.dtype([("a", "f8"), ("b", "i4")])


def of_dtype(name: str) -> Change:
    """The same numbers in another dtype, wrapped around where they do not fit; else from a pool."""
    dtype = RECORD if name == "rec" else np.dtype(name)

    def change(a: Array, call: int) -> Any:
        if dtype.kind in POOLS or a.dtype.kind in POOLS:
            made = np.resize(np.array(POOLS.get(dtype.kind, NUMBERS)[call], dtype), a.shape)
        else:
            with np.errstate(all="ignore"):
                made = (a if dtype.kind in "cO" else a.real).astype(dtype)
        return made if isinstance(a, np.ndarray) else np.asarray(made)[()]

    return change


def of_shape(*shape: int) -> Change:
    """The array's elements, again and again, in another shape."""
    return lambda a, call: np.resize(a, shape)


def emptied(axis: int) -> Change:
    """Nothing along an axis."""
    return lambda a, call: a.take([], axis=axis) if a.ndim else np.resize(a, (0,))


def first(a: Array) -> Any:
    return a.reshape(-1)[0]


KINDS: dict[str, Change] = {
    "0-d": lambda a, call: np.array(first(a)),
    "empty first": emptied(0),
    "empty last": emptied(-1),
    "one": lambda a, call: a[(slice(0, 1),) * a.ndim].copy(),
    "wider": lambda a, call: np.array(a[None]),
    "1-d": of_shape(3),
    "2-d": of_shape(2, 3),
    "2-d square": of_shape(3, 3),
    "3-d": of_shape(2, 3, 3),
    "NumPy number": lambda a, call: first(a),
    "Python number": lambda a, call: first(a).item(),
    **{name: of_dtype(name) for name in DTYPES},
}


def changed(kind: str, a: Array, call: int) -> Any:
    """An argument of a kind instead of this one; what is empty stays."""
    return KINDS[kind](a, call) if a.size else a
