"""Derivative rules of products and contractions."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import (
    axes_of,
    axis_of,
    dot_conjugate,
    is_symbol,
    known,
    rank,
    size_of,
    swap_last,
)
from autograph.runtime.ops.derivatives import (
    Derivative,
    Formula,
    Multilinear,
    NotDifferentiableHere,
    Parts,
)

# -- matrix products ------------------------------------------------------------------------------


def _matmul_left(g: Any, z: Any, x: Any, y: Any, **more: Any) -> Any:
    _plain(more)
    if rank(y) == 1:
        return np.expand_dims(g, -1) * y if rank(x) > 1 else g * y
    if rank(x) == 1:
        return np.matmul(y, np.expand_dims(g, -1))[..., 0]
    return np.matmul(g, swap_last(y))


def _matmul_right(g: Any, z: Any, x: Any, y: Any, **more: Any) -> Any:
    _plain(more)
    if rank(x) == 1:
        return g * x if rank(y) == 1 else np.expand_dims(x, -1) * np.expand_dims(g, -2)
    if rank(y) == 1:
        return np.matmul(*_as_rows(x, np.expand_dims(g, -1)))[..., 0]
    if rank(y) == 2:
        return np.matmul(*_as_rows(x, g))
    return np.matmul(swap_last(x), g)


def _as_rows(x: Any, g: Any) -> tuple[Any, Any]:
    """Returns x transposed, and g, with all matrices of a stack below one another."""
    if rank(x) > 2:
        x, g = (np.reshape(a, (size_of(np.shape(a)[:-1]), np.shape(a)[-1])) for a in (x, g))
    return swap_last(x), g


def _plain(more: dict[str, Any]) -> None:
    if more.get("axes") is not None or more.get("axis") is not None:
        raise NotDifferentiableHere("`axes=` of a product has no rule; move the axes first")


# -- contractions ---------------------------------------------------------------------------------


def _dot_axes(a: Any, b: Any) -> Any:
    return ([rank(a) - 1], [max(0, rank(b) - 2)])


def _dot_left(g: Any, z: Any, a: Any, b: Any) -> Any:
    if not rank(a) or not rank(b):
        return g * b
    if rank(a) <= 2 and rank(b) <= 2:
        return _matmul_left(g, z, a, b)
    return _contracted_left(g, z, a, b, _dot_axes(a, b))


def _dot_right(g: Any, z: Any, a: Any, b: Any) -> Any:
    if not rank(a) or not rank(b):
        return g * a
    if rank(a) <= 2 and rank(b) <= 2:
        return _matmul_right(g, z, a, b)
    return _contracted_right(g, z, a, b, _dot_axes(a, b))


def _contracted(axes: Any, a: Any, b: Any) -> tuple[list[int], list[int]]:
    """Returns the axes of each operand that are summed over."""
    axes = known(axes, "axes")
    if isinstance(axes, (tuple, list, np.ndarray)):
        left, right = axes
        return list(axes_of(_tuple(left), rank(a))), list(axes_of(_tuple(right), rank(b)))
    return list(range(rank(a) - axes, rank(a))), list(range(axes))


def _tuple(axis: Any) -> tuple[int, ...]:
    return tuple(axis) if isinstance(axis, (tuple, list, np.ndarray)) else (axis,)


def _contracted_left(g: Any, z: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    left, right = _contracted(axes, a, b)
    rest = [i for i in range(rank(b)) if i not in right]
    kept = [i for i in range(rank(a)) if i not in left]
    made = np.tensordot(g, b, (list(range(len(kept), len(kept) + len(rest))), rest))
    order = kept + [left[right.index(i)] for i in sorted(right)]
    return _unordered(made, order)


def _contracted_right(g: Any, z: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    left, right = _contracted(axes, a, b)
    rest = [i for i in range(rank(b)) if i not in right]
    kept = [i for i in range(rank(a)) if i not in left]
    made = np.tensordot(a, g, (kept, list(range(len(kept)))))
    order = [right[left.index(i)] for i in sorted(left)] + rest
    return _unordered(made, order)


def _unordered(x: Any, order: Sequence[int]) -> Any:
    """Returns x with axis k where `order[k]` says."""
    return np.transpose(x, tuple(order.index(i) for i in range(len(order)))) if order else x


def _inner(a: Any, b: Any) -> Any:
    return a * b if not rank(a) or not rank(b) else np.tensordot(a, b, ([-1], [-1]))


def _vdot(a: Any, b: Any) -> Any:
    return np.dot(dot_conjugate(np.reshape(a, -1)), np.reshape(b, -1))


def _outer(a: Any, b: Any) -> Any:
    return np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1))


def _kron(a: Any, b: Any) -> Any:
    n = max(rank(a), rank(b))
    p, q = ((1,) * (n - rank(x)) + tuple(np.shape(x)) for x in (a, b))
    wide = np.reshape(a, tuple(d for i in p for d in (i, 1)))
    other = np.reshape(b, tuple(d for i in q for d in (1, i)))
    return np.reshape(wide * other, tuple(i * j for i, j in zip(p, q, strict=True)))


def _cross(a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1,
           axis: Any = None) -> Any:
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    x, y = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    x0, x1, x2 = _components(x)
    y0, y1, y2 = _components(y)
    if np.shape(x)[-1] == 2 and np.shape(y)[-1] == 2:
        return x0 * y1 - x1 * y0
    parts = [x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0]
    shape = np.broadcast_shapes(*map(np.shape, parts))
    wide = [np.broadcast_to(p, shape) if shape else p for p in parts]
    return np.stack(wide, axis_of(axisc, len(shape) + 1))


def _components(x: Any) -> tuple[Any, Any, Any]:
    return x[..., 0], x[..., 1], x[..., 2] if np.shape(x)[-1] == 3 else 0.0 * x[..., 0]


# -- einsum ---------------------------------------------------------------------------------------


def _parsed(args: Sequence[Any]) -> tuple[list[str], str, list[int]]:
    """Returns the letters of each operand and of the result, and where the operands stand."""
    if isinstance(args[0], str):
        at = list(range(1, len(args)))
        text = args[0].replace(" ", "")
    else:
        at = list(range(0, len(args) - 1, 2))
        text = ",".join(_letters(args[i + 1]) for i in at)
        text += f"->{_letters(args[-1])}" if len(args) % 2 else ""
    left, arrow, out = text.partition("->")
    ins = left.split(",")
    dots = [rank(args[i]) - len(s.replace("...", "")) if "..." in s else 0
            for i, s in zip(at, ins, strict=True)]
    free = [c for c in string.ascii_letters if c not in text][:max(dots)]
    ins = [s.replace("...", "".join(free[len(free) - n:])) for s, n in zip(ins, dots, strict=True)]
    joined = "".join(ins)
    if not arrow:
        own = sorted(c for c in set(joined) - set(free) if joined.count(c) == 1)
        return ins, "".join([*free, *own]), at
    return ins, out.replace("...", "".join(free)), at


def _letters(labels: Sequence[Any]) -> str:
    return "".join("..." if i is Ellipsis else string.ascii_letters[i] for i in labels)


def _einsum_vjp(g: Any, z: Any, *args: Any, **more: Any) -> Any:
    ins, out, at = _parsed(args)
    cotangents: list[Any] = [None] * len(args)
    for k, i in enumerate(at):
        others = [j for j in range(len(at)) if j != k]
        cotangents[i] = _einsum_transpose(g, out, args[i], ins[k], [args[at[j]] for j in others],
                                          [ins[j] for j in others])
    return cotangents


def _einsum_transpose(g: Any, out: str, x: Any, letters: str, others: Sequence[Any],
                      other_letters: Sequence[str]) -> Any:
    """The cotangent of an operand: g and the other operands contracted to its letters."""
    once = "".join(dict.fromkeys(letters))
    there = "".join(c for c in once if c in out or any(c in s for s in other_letters))
    made = np.einsum(f"{','.join([out, *other_letters])}->{there}", g, *others)
    shape = np.shape(x)
    for axis, c in enumerate(once):
        if c not in there:
            made = np.expand_dims(made, axis)
    sizes = tuple(shape[letters.index(c)] for c in once)
    if any(map(is_symbol, (*sizes, *np.shape(made)))):
        made = made + 0.0 if len(there) == len(once) else np.broadcast_to(made, sizes)
    else:
        made = np.broadcast_to(made, np.broadcast_shapes(np.shape(made), sizes))
    return _on_diagonals(made, letters, shape)


def _on_diagonals(made: Any, letters: str, shape: Sequence[Any]) -> Any:
    """Gives an axis to each repeated letter, with zeros off the diagonal."""
    for p, c in enumerate(letters):
        first = letters.index(c)
        if first != p:
            eye = np.reshape(np.eye(known(shape[p], "shape")), tuple(
                shape[p] if i in (first, p) else 1 for i in range(rank(made) + 1)))
            made = np.expand_dims(made, p) * eye
    return made


def _einsum_jvp(t: Any, z: Any, *args: Any, **more: Any) -> Any:
    _, _, at = _parsed(args)
    return sum(np.einsum(*args[:i], t[i], *args[i + 1:], **more) for i in at if t[i] is not None)


RULES: dict[str, Derivative] = {
    "matmul": Multilinear(_matmul_left, _matmul_right),
    "np.matmul": Multilinear(_matmul_left, _matmul_right),
    "dot": Multilinear(_dot_left, _dot_right),
    "tensordot": Multilinear(_contracted_left, _contracted_right),
    "inner": Parts(_inner), "vdot": Parts(_vdot), "outer": Parts(_outer), "kron": Parts(_kron),
    "cross": Parts(_cross), "einsum": Formula(_einsum_vjp, _einsum_jvp, pads=False),
}
