"""Derivative rules of ops that arrange, join, split, repeat and pad elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import (
    axes_of,
    axis_of,
    is_symbol,
    known,
    on_symbols,
    positions,
    rank,
    shape_of,
    size_of,
    zeros,
)
from autograph.runtime.ops.derivatives import (
    ZERO,
    Derivative,
    Formula,
    Linear,
    NotDifferentiableHere,
    Parts,
    add_at,
    pieces_of,
)

# -- rearranging ----------------------------------------------------------------------------------


def scattered(g: Any, x: Any, where: Any) -> Any:
    """Returns the cotangent of x if element k of g came from the element of x with number
    `where[k]` in C order."""
    flat = add_at(zeros(size_of(np.shape(x)), g), np.reshape(where, -1), np.reshape(g, -1))
    return np.reshape(flat, np.shape(x))


def moved_by(fn: Callable[..., Any], operand: int = 0) -> Callable[..., Any]:
    """Returns the transpose of a function whose result is made of elements of an operand."""
    def transpose(g: Any, z: Any, *args: Any, **kwargs: Any) -> Any:
        numbers = positions(args[operand])
        return scattered(g, args[operand], on_symbols(
            fn, *args[:operand], numbers, *args[operand + 1:], **kwargs))

    return transpose


def _back(g: Any, z: Any, a: Any, *args: Any, **kwargs: Any) -> Any:
    """The transpose of what only drops and adds dimensions of length 1, or changes none."""
    return np.reshape(g, np.shape(a))


def _order(args: Sequence[Any], at: int, order: Any) -> Any:
    order = args[at] if len(args) > at else order
    if order not in ("C", "F", None):
        raise NotDifferentiableHere(f"order={order!r} depends on how the array lies in memory; "
                                    "write order='C' or 'F'")
    return order or "C"


def _reshape(g: Any, z: Any, a: Any, *args: Any, order: Any = "C", **kwargs: Any) -> Any:
    return np.reshape(g, np.shape(a), order=_order(args, 1, order))


def _ravel(g: Any, z: Any, a: Any, *args: Any, order: Any = "C") -> Any:
    return np.reshape(g, np.shape(a), order=_order(args, 0, order))


def _transpose(g: Any, z: Any, a: Any, axes: Any = None) -> Any:
    if axes is None:
        return np.transpose(g)
    back = np.argsort(axes_of(axes, rank(a)))
    return np.transpose(g, tuple(map(int, back)))


def _rot90(g: Any, z: Any, m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    return np.rot90(g, -k, axes)


def _roll(g: Any, z: Any, a: Any, shift: Any, axis: Any = None) -> Any:
    back = tuple(-s for s in shift) if isinstance(shift, (tuple, list)) else -shift
    return np.roll(g, back, axis)


def _diagonal(g: Any, z: Any, a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    return scattered(g, a, np.diagonal(positions(a), offset, axis1, axis2))


def _diag(g: Any, z: Any, v: Any, k: Any = 0) -> Any:
    if rank(v) == 1:
        return np.diagonal(g, k)
    return scattered(g, v, np.diagonal(positions(v), k))


# -- repeating and padding ------------------------------------------------------------------------


def _tile(g: Any, z: Any, A: Any, reps: Any) -> Any:
    shape = np.shape(A)
    times = tuple(reps) if isinstance(reps, (tuple, list)) else tuple(
        known(reps, "reps").ravel().tolist()) if isinstance(reps, np.ndarray) else (reps,)
    n = max(len(shape), len(times))
    shape = (1,) * (n - len(shape)) + tuple(shape)
    times = (1,) * (n - len(times)) + times
    pairs = [d for pair in zip(times, shape, strict=True) for d in pair]
    return np.reshape(np.sum(np.reshape(g, pairs), axis=tuple(range(0, 2 * n, 2))), np.shape(A))


def _repeat(g: Any, z: Any, a: Any, repeats: Any, axis: Any = None) -> Any:
    if not isinstance(repeats, int):
        return moved_by(np.repeat)(g, z, a, repeats, axis)
    shape = (size_of(np.shape(a)),) if axis is None else np.shape(a)
    at = 0 if axis is None else axis_of(axis, rank(a))
    parts = np.reshape(g, (*shape[:at + 1], repeats, *shape[at + 1:]))
    return np.reshape(np.sum(parts, axis=at + 1), np.shape(a))


def _pad(array: Any, pad_width: Any, mode: Any = "constant", **more: Any) -> Any:
    """The parts of a padding: elements of the array, sums of them, and constants."""
    if mode in ("maximum", "minimum", "median") or callable(mode):
        raise NotDifferentiableHere(f"mode={mode!r} computes the border; pad by np.concatenate "
                                    "with the values that are wanted")
    if mode in ("constant", "empty"):
        return _padded(array, pad_width, more.get("constant_values", 0))
    if mode in ("mean", "linear_ramp") or more.get("reflect_type", "even") != "even":
        return _padded_by_sums(array, pad_width, mode, **more)
    return np.reshape(array, -1)[on_symbols(np.pad, positions(array), pad_width, mode, **more)]


def _padded_by_sums(array: Any, pad_width: Any, mode: Any, end_values: Any = 0,
                    stat_length: Any = None, **more: Any) -> Any:
    """A padding whose border is a weighted sum along each axis, and of the values at its ends."""
    n, shape = rank(array), np.shape(array)
    widths, ends, counts = (_pairs(x, n) for x in (pad_width, end_values, stat_length))
    if not all(isinstance(d, int) for d in (*shape, *(w for pair in widths for w in pair))):
        raise NotDifferentiableHere(f"mode={mode!r} needs a shape that the trace knows")
    for axis, (width, (first, last), count) in enumerate(zip(widths, ends, counts, strict=True)):
        if mode == "mean" and count[0] is not None:
            more["stat_length"] = (count,)
        share = np.pad(np.eye(shape[axis]), (width, (0, 0)), mode, **more)
        array = np.moveaxis(np.tensordot(share, array, (1, axis)), 0, axis)
        if mode == "linear_ramp":
            ramps = [np.pad(np.zeros(shape[axis]), width, mode, end_values=pair)
                     for pair in ((1.0, 0.0), (0.0, 1.0))]
            after = (-1, *(1,) * (n - 1 - axis))
            array = array + np.reshape(first * ramps[0] + last * ramps[1], after)
    return array


def _padded(array: Any, pad_width: Any, values: Any) -> Any:
    n = rank(array)
    for axis, (before, after), (first, last) in zip(
            range(n), _pairs(pad_width, n), _pairs(values, n), strict=True):
        array = np.concatenate([_border(array, axis, before, first), array,
                                _border(array, axis, after, last)], axis)
    return array


def _pairs(given: Any, n: int) -> list[tuple[Any, Any]]:
    """Returns the widths or values before and after each axis."""
    if isinstance(given, dict):
        return [_pairs(given.get(i, given.get(i - n, 0)), 1)[0] for i in range(n)]
    if not isinstance(given, (tuple, list, np.ndarray)) and rank(given):
        grid = np.broadcast_to(given, (n, 2))  # only the run knows what is in it
        return [(grid[i, 0], grid[i, 1]) for i in range(n)]
    rows = given if isinstance(given, (tuple, list)) else known(np.asarray(given), "").tolist(
        ) if isinstance(given, np.ndarray) else [given]
    if not isinstance(rows, (tuple, list)):
        rows = [rows]
    if not any(isinstance(row, (tuple, list)) for row in rows):
        rows = [rows]
    pairs = [(row[0], row[-1]) if isinstance(row, (tuple, list)) else (row, row) for row in rows]
    return pairs * n if len(pairs) == 1 else pairs


def _border(array: Any, axis: int, width: Any, value: Any) -> Any:
    shape = tuple(width if i == axis else d for i, d in enumerate(np.shape(array)))
    return np.broadcast_to(zeros((), array) + value, shape) if isinstance(
        value, float) else zeros(shape, array) + value


# -- joining and splitting ------------------------------------------------------------------------


def _pieces(g: Any, axis: int, lengths: Sequence[Any]) -> list[Any]:
    """Returns g taken apart along an axis."""
    pieces, start = [], 0
    for length in lengths:
        pieces.append(g[(slice(None),) * axis + (slice(start, start + length),)])
        start = start + length
    return pieces


def _axis(args: Sequence[Any], axis: Any) -> Any:
    return known(args[0] if args else axis, "axis")


def _concatenate(g: Any, z: Any, arrays: Any, *args: Any, axis: Any = 0, **more: Any) -> Any:
    axis = _axis(args, axis)
    if is_symbol(arrays):
        return pieces_of(g, arrays, axis)
    if axis is None:
        flat = _pieces(g, 0, [size_of(shape_of(x)) for x in arrays])
        return [np.reshape(p, shape_of(x)) for p, x in zip(flat, arrays, strict=True)]
    at = axis_of(axis, rank(g))
    return _pieces(g, at, [shape_of(x)[at] for x in arrays])


def _stack(g: Any, z: Any, arrays: Any, *args: Any, axis: Any = 0, **more: Any) -> Any:
    if is_symbol(arrays):
        return np.moveaxis(g, _axis(args, axis), 0)
    at = axis_of(_axis(args, axis), rank(g))
    return [g[(slice(None),) * at + (k,)] for k in range(len(arrays))]


def _joined_after(shape: Callable[[Any], tuple[Any, ...]],
                  axis: Callable[[Any], int]) -> Callable[..., Any]:
    """Returns the transpose of a function that gives the arrays more dimensions, and joins them."""
    def transpose(g: Any, z: Any, tup: Any, **more: Any) -> Any:
        pieces = _pieces(g, axis(g), [shape(shape_of(x))[axis(g)] for x in tup])
        return [np.reshape(p, shape_of(x)) for p, x in zip(pieces, tup, strict=True)]

    return transpose


def _at_least_2d(shape: Any) -> tuple[Any, ...]:
    return (1,) * (2 - len(shape)) + tuple(shape)


def _at_least_3d(shape: Any) -> tuple[Any, ...]:
    return (1, *shape, 1)[:3] if len(shape) == 1 else (*shape, *(1,) * (3 - len(shape)))


def _as_columns(shape: Any) -> tuple[Any, ...]:
    return (*shape, 1, 1)[:2] if len(shape) < 2 else tuple(shape)


def _append(arr: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        return np.concatenate([np.reshape(arr, -1), np.reshape(values, -1)])
    return np.concatenate([arr, values], axis)


def _split_vjp(g: Any, z: Any, ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    parts = g if isinstance(g, (tuple, list)) else g[0]
    filled = [np.zeros_like(part) if p is None else p for p, part in zip(parts, z, strict=True)]
    return (np.concatenate(filled, axis),)


def _split_jvp(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda t, z, ary, *args, **kwargs: tuple(fn(t[0], *args, **kwargs))


def _each_vjp(g: Any, z: Any, *arrays: Any) -> Any:
    """The transpose of `np.atleast_1d(x, y, …)`."""
    if len(arrays) == 1:
        return (np.reshape(g, np.shape(arrays[0])),)
    return tuple(None if c is None else np.reshape(c, np.shape(x))
                 for c, x in zip(g, arrays, strict=True))


def _each_jvp(fn: Callable[..., Any]) -> Callable[..., Any]:
    def jvp(t: Any, z: Any, *arrays: Any) -> Any:
        made = [None if d is None else fn(d) for d in t]
        return made[0] if len(arrays) == 1 else tuple(made)

    return jvp


def _broadcast_arrays(*arrays: Any, subok: Any = False) -> Any:
    shape = np.broadcast_shapes(*map(np.shape, arrays))
    return tuple(np.broadcast_to(x, shape) for x in arrays)


RULES: dict[str, Derivative] = {
    "reshape": Linear(_reshape), "ravel": Linear(_ravel), "expand_dims": Linear(_back),
    "squeeze": Linear(_back), "transpose": Linear(_transpose),
    "swapaxes": Linear(lambda g, z, a, i, j: np.swapaxes(g, i, j)),
    "moveaxis": Linear(lambda g, z, a, source, destination: np.moveaxis(g, destination, source)),
    "flip": Linear(lambda g, z, m, axis=None: np.flip(g, axis)),
    "fliplr": Linear(lambda g, z, m: np.fliplr(g)), "flipud": Linear(lambda g, z, m: np.flipud(g)),
    "rot90": Linear(_rot90), "roll": Linear(_roll),
    "broadcast_to": Linear(lambda g, z, array, *args, **more: g),
    "broadcast_arrays": Parts(_broadcast_arrays),
    "diagonal": Linear(_diagonal, pads=True), "diag": Linear(_diag, pads=True),
    "triu": Linear(lambda g, z, m, k=0: np.triu(g, k), pads=True),
    "tril": Linear(lambda g, z, m, k=0: np.tril(g, k), pads=True),
    "tile": Linear(_tile), "repeat": Linear(_repeat, pads=True), "pad": Parts(_pad),
    "concatenate": Linear(_concatenate, nests=True), "stack": Linear(_stack, nests=True),
    "vstack": Linear(_joined_after(_at_least_2d, lambda g: 0), nests=True),
    "hstack": Linear(_joined_after(lambda s: tuple(s) or (1,), lambda g: min(1, rank(g) - 1)),
                     nests=True),
    "dstack": Linear(_joined_after(_at_least_3d, lambda g: 2), nests=True),
    "column_stack": Linear(_joined_after(_as_columns, lambda g: 1), nests=True),
    "append": Parts(_append),
    "split": Formula(_split_vjp, _split_jvp(np.split)),
    "array_split": Formula(_split_vjp, _split_jvp(np.array_split)),
    "atleast_1d": Formula(_each_vjp, _each_jvp(np.atleast_1d), pads=False),
    "atleast_2d": Formula(_each_vjp, _each_jvp(np.atleast_2d), pads=False),
    "atleast_3d": Formula(_each_vjp, _each_jvp(np.atleast_3d), pads=False),
    "shape": ZERO, "ndim": ZERO, "size": ZERO, "dim": ZERO, "dtype": ZERO,
}
