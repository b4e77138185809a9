"""The values of a native loop while its LLVM IR is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.runtime.native.kinds import Number


@dataclass(frozen=True, slots=True)
class Register:
    """A number: `flag` is true if its box is NumPy's, `bound` if its name is bound; None where the
    kind says it."""

    value: Any = None
    flag: Any = None
    bound: Any = None


@dataclass(frozen=True, slots=True)
class Memory:
    """An array: its elements, dimensions and strides in bytes."""

    data: Any
    dims: tuple[Any, ...]
    strides: tuple[Any, ...]
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Progression:
    """A range."""

    start: Any
    stop: Any
    step: Any


@dataclass(frozen=True, slots=True)
class Extent:
    """A stack: where it begins in its room, and how many items it has; or the memory for both."""

    start: Any
    length: Any


@dataclass(frozen=True, slots=True)
class NumberCell:
    """Where a number is, and the bits of its register if it has them."""

    kind: Number
    value: Any
    flag: Any
    bound: Any


@dataclass(frozen=True, slots=True)
class ArrayCell:
    """A carried array in memory of its own: where its pointer is, and where its dimensions are."""

    room: Any
    dims: tuple[Any, ...]
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Chain:
    """Operations on elements that are not done yet.

    tree      the number of what is given, or (operation, dtype of its operands, *trees).
    given     arrays, and numbers.
    dims      of the result; none for a number.
    dtype     of the result.
    memories  the values whose memory it reads.
    """

    tree: Any
    given: tuple[Any, ...]
    dims: tuple[Any, ...]
    dtype: np.dtype[Any]
    memories: frozenset[Any] = frozenset()
