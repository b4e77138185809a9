"""The axes along which `ag.vmap` maps: of arrays, and of nests of which some arrays are mapped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NoReturn, SupportsIndex

import numpy as np

from autograph.runtime.ir.pytree import children, flatten, parts_beside
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.variables import read_all

Items = Callable[[Sequence[Any]], Any]
"""Gives an argument for the items of all mapped arrays."""


def mapped_arrays(args: Sequence[Any], axes: Sequence[Any]
                  ) -> tuple[tuple[Any, ...], Callable[[Sequence[Any]], list[Any]]]:
    """Returns the arrays to go along, that axis in front; and what gives the arguments of an item.

    Args:
      args: arrays, or nests of them.
      axes: for each argument an axis; None, if it is not mapped; or a nest of these like it.

    >>> arrays, arguments = mapped_arrays(({"a": np.ones((2, 3)), "b": 5},), ({"a": 1, "b": None},))
    >>> arrays[0].shape, arguments(["item"])
    ((3, 2), [{'a': 'item', 'b': 5}])
    """
    arrays: list[Any] = []
    parts = [_split(read_all(x), axis, arrays) for x, axis in zip(args, axes, strict=True)]
    if not arrays:
        raise ValueError("ag.vmap has no argument to go along\n  hint: in_axes has the axis of "
                         "every argument, None for one that is not mapped")
    return tuple(arrays), lambda items: [part(items) for part in parts]


def _split(x: Any, axis: Any, arrays: list[Any]) -> Items:
    if axis is None:
        return lambda items: x
    found = None if _is_array(x) else children(x)
    if found is None:
        arrays.append(_moved(x, axis))
        return itemgetter(len(arrays) - 1)
    _, inside, rebuild = found
    axes = [axis] * len(inside) if isinstance(axis, SupportsIndex) else parts_beside(axis, x)
    if axes is None:
        _refuse(axis, x)
    parts = [_split(part, each, arrays) for part, each in zip(inside, axes, strict=True)]
    return lambda items: rebuild([part(items) for part in parts])


def _is_array(x: Any) -> bool:
    """Returns True for a list or tuple of numbers, which NumPy takes for an array."""
    return isinstance(x, (list, tuple)) and not any(map(_may_have_axes, flatten(x)))


def _may_have_axes(x: Any) -> bool:
    if isinstance(x, Tensor):
        return bool(getattr(x.type, "shape", None) != ())
    return bool(np.ndim(x))


def _moved(x: Any, axis: Any) -> Any:
    """Returns an array with an axis moved to the front.

    Raises:
      AxisError: it has no such axis.
    """
    if not isinstance(axis, SupportsIndex):
        _refuse(axis, x)
    ndim = x.ndim if isinstance(x, Tensor) else np.ndim(x)
    if isinstance(ndim, int) and not -ndim <= axis.__index__() < ndim:
        raise np.exceptions.AxisError(
            f"axis {axis} of an argument of {ndim} dimensions is to be mapped\n  hint: in_axes has "
            "the axis of every argument, None for one that is not mapped")
    return np.moveaxis(x, axis, 0)


def _refuse(axis: Any, x: Any) -> NoReturn:
    raise ValueError(f"in_axes has {axis!r} for an argument of class {type(x).__name__}\n  hint: "
                     "give an axis, None, or axes in a nest like the argument")
