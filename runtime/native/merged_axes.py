"""Merged axes: arrays whose axes lie one after the other in memory, as arrays of fewer axes.

A loop over rows of three elements has no vectors, and calls a function of NumPy's for every three.
Where two axes are one in all arrays of an operation, as far as their strides are known, they become
one; an axis of one element goes. NumPy does so, too, before it calls its own loops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from autograph.runtime.native.builder import is_constant, known
from autograph.runtime.native.llvm_ir import word
from autograph.runtime.native.llvm_values import Memory


def merged(arrays: Sequence[Any]) -> list[Any]:
    """Returns arrays with as few axes as they have in common; numbers stay.

    All have the same number of axes; the last one has the dimensions of the result, the others
    may be repeated along an axis, with a step of 0.

    >>> row = Memory(None, (word(4), word(3), word(1)), (word(24), word(8), word(8)), None)
    >>> (x, y) = merged([row, row])
    >>> [n.number for n in x.dims], [n.number for n in x.strides]
    ([12], [8])
    """
    memories = [x for x in arrays if isinstance(x, Memory)]
    if len(memories[-1].dims) < 2:
        return list(arrays)
    groups: list[list[int]] = []
    lengths = [known(n) for n in memories[-1].dims]
    for k, n in enumerate(lengths):
        if n == 1:
            continue
        if groups and n is not None and lengths[groups[-1][-1]] is not None and all(
                _follows(x, groups[-1][-1], k, n) for x in memories):
            groups[-1].append(k)
        else:
            groups.append([k])
    groups = groups or [[len(memories[-1].dims) - 1]]
    if len(groups) == len(memories[-1].dims):
        return list(arrays)
    dims = [_size(memories[-1].dims, group) for group in groups]
    return [_with_axes(x, groups, dims) if isinstance(x, Memory) else x for x in arrays]


def _follows(x: Memory, outer: int, inner: int, length: int) -> bool:
    """Returns True if a step along one axis is as long as the inner one."""
    step, size = known(x.strides[outer]), known(x.strides[inner])
    return step is not None and size is not None and step == size * length


def _size(dims: Sequence[Any], group: list[int]) -> Any:
    if len(group) == 1:
        return dims[group[0]]
    lengths = [known(dims[k]) for k in group]
    return word(math.prod(n for n in lengths if n is not None))  # all are known


def _with_axes(x: Memory, groups: list[list[int]], dims: list[Any]) -> Memory:
    once = [all(is_constant(x.dims[k], 1) for k in group) for group in groups]
    return Memory(x.data, tuple(word(1) if one else n for one, n in zip(once, dims, strict=True)),
                  tuple(x.strides[group[-1]] for group in groups), x.dtype)
