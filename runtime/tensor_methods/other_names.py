"""NumPy functions that give views which others give, too: they are recorded as those others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.type_rules import by_position
from autograph.runtime.symbolic.numpy_protocols import call_numpy
from autograph.runtime.symbolic.tensor import Tensor

View = Callable[..., Any]


def _rank(x: Any) -> int | None:
    shape = getattr(x.type, "shape", None) if isinstance(x, Tensor) else None
    return None if shape is None else len(shape)


def _known(function: View, least: int, view: View) -> View:
    """Returns what records `view` of an array whose rank is known, and not too small; else the
    function itself is recorded, and the run tells what is wrong."""
    def called(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = by_position(function, args, kwargs)
        rank = _rank(args[0]) if args else None
        made = NotImplemented if rank is None or rank < least else view(*args, **kwargs)
        return call_numpy(function, args, kwargs) if made is NotImplemented else made

    return called


def _transposed(x: Any) -> Any:
    return call_numpy(np.swapaxes, (x, -1, -2), {})


def _diagonal(x: Any, *, offset: Any = 0) -> Any:
    return call_numpy(np.diagonal, (x, offset, -2, -1), {})


def _rolled(x: Any, axis: Any, start: Any = 0) -> Any:
    rank = len(x.type.shape)
    if type(axis) is not int or type(start) is not int or not (
            -rank <= axis < rank and -rank <= start <= rank):
        return NotImplemented
    axis, start = axis % rank, start + rank if start < 0 else start
    return call_numpy(np.moveaxis, (x, axis, start - 1 if axis < start else start), {})


def _unstacked(x: Any, *, axis: Any = 0) -> Any:
    shape = x.type.shape
    if type(axis) is not int or not -len(shape) <= axis < len(shape) or (
            type(shape[axis]) is not int):
        return NotImplemented
    rows = call_numpy(np.moveaxis, (x, axis, 0), {})
    return tuple(rows[k] for k in range(shape[axis]))


def _split(along: int) -> View:
    def parts(x: Any, indices_or_sections: Any) -> Any:
        axis = 0 if along == 1 and len(x.type.shape) == 1 else along
        made = _in_one(x, indices_or_sections, axis)
        return made if made is not NotImplemented else call_numpy(
            np.split, (x, indices_or_sections, axis), {})

    return parts


def _in_one(x: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """A list of one part, which is a view of it all: what an op gives is no list then."""
    one = type(indices_or_sections) is int and indices_or_sections == 1
    known = type(axis) is int and -len(x.type.shape) <= axis < len(x.type.shape)
    return [x[...]] if known and (one or indices_or_sections in ([], ())) else NotImplemented


RECORDED: tuple[tuple[View | None, int, View], ...] = (
    (np.matrix_transpose, 2, _transposed), (np.linalg.matrix_transpose, 2, _transposed),
    (np.linalg.diagonal, 2, _diagonal), (np.rollaxis, 1, _rolled),
    (getattr(np, "unstack", None), 1, _unstacked),  # NumPy 2.0 has none
    (np.split, 1, _in_one), (np.array_split, 1, _in_one), (np.hsplit, 1, _split(1)),
    (np.vsplit, 2, _split(0)), (np.dsplit, 3, _split(2)))

FUNCTIONS: dict[View, View] = {function: _known(function, least, view)
                               for function, least, view in RECORDED if function is not None}
"""Each function -> what is called instead."""
