"""Reductions, scans, sorting and products in ONNX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.export.kinds import joined_dtype
from autograph.runtime.export.onnx.builder import BOOL, INT64, Builder, T, dims
from autograph.runtime.export.onnx.integers import multiplied, reduce, reduce_exactly
from autograph.runtime.export.onnx.lowering import OnnxLowering
from autograph.runtime.export.sites import NO_MATTER, Site
from autograph.runtime.ops import OPS
from autograph.runtime.ops.products import einsum_terms, product_shape
from autograph.runtime.ops.type_rules import axes_of, named

Rule = Callable[[OnnxLowering, Site], Any]


def arguments(site: Site, allowed: tuple[str, ...], lw: OnnxLowering) -> dict[str, Any]:
    """Returns the arguments of a call of a NumPy function by name; refuses others than these."""
    given = named(site.op.kernel, site.args, site.kwargs)
    for name, value in given.items():
        if name not in allowed and name not in NO_MATTER and value is not None and (
                value is not np._NoValue) and not (name == "keepdims" and value is False):
            lw.refuse(f"the argument {name}")
    return given


def reduced_axes(lw: OnnxLowering, x: T, axis: Any) -> tuple[int, ...]:
    """Returns the axes of a reduction, counted from the front."""
    if any(map(lw.is_symbolic, axis if isinstance(axis, tuple) else (axis,))):
        lw.refuse("an axis that only the run knows")
    if axis is None or (x.ndim == 0 and axis in (0, -1)):
        return tuple(range(x.ndim))
    return axes_of(axis, x.ndim)


def operand(lw: OnnxLowering, site: Site, given: dict[str, Any]) -> tuple[T, tuple[int, ...], bool]:
    """Returns the array, the axes, and whether they stay."""
    x = lw.tensor(given["a"])
    return x, reduced_axes(lw, x, given.get("axis")), bool(given.get("keepdims", False))


COMMON = ("a", "axis", "dtype", "keepdims")


def plain(op: str) -> Rule:
    """Returns the rule of a sum or product, in NumPy's dtype of the result."""
    def rule(lw: OnnxLowering, site: Site) -> Any:
        given = arguments(site, COMMON, lw)
        x, axes, keep = operand(lw, site, given)
        made = lw.b.cast(x, reduced_dtype(site, x))
        return (reduce if x.dtype == BOOL else reduce_exactly)(lw.b, op, made, axes, keep)

    return rule


def reduced_dtype(site: Site, x: T) -> np.dtype[Any]:
    """Returns the dtype of a reduction's result."""
    known = site.dtype()
    if known is not None:
        return known
    asked = named(site.op.kernel, site.args, site.kwargs).get("dtype")
    if asked is not None and asked is not np._NoValue:
        result: np.dtype[Any] = np.dtype(asked)
    else:
        result = np.asarray(site.op.kernel(np.ones(1, x.dtype))).dtype
    return result


def extreme(op: str) -> Rule:
    """Returns the rule of a maximum or minimum: NaN if an element is NaN."""
    def rule(lw: OnnxLowering, site: Site) -> Any:
        return extreme_of(lw, op, *operand(lw, site, arguments(site, COMMON, lw)))

    return rule


def extreme_of(lw: OnnxLowering, op: str, x: T, axes: Any, keep: bool) -> T:
    found = reduce(lw.b, op, x, axes, keep)
    if x.dtype.kind != "f":
        return found
    return lw.b.where(any_of(lw.b, lw.b.op("IsNaN", x), axes, keep), np.nan, found)


def any_of(b: Builder, x: T, axes: tuple[int, ...], keep: bool) -> T:
    """Returns True where an element along the axes is True."""
    count = reduce(b, "ReduceSum", b.cast(b.cast(x, BOOL), np.int32), axes, keep)
    return count > 0


def any_(lw: OnnxLowering, site: Site) -> Any:
    x, axes, keep = operand(lw, site, arguments(site, COMMON, lw))
    return any_of(lw.b, x, axes, keep)


def all_(lw: OnnxLowering, site: Site) -> Any:
    x, axes, keep = operand(lw, site, arguments(site, COMMON, lw))
    return ~any_of(lw.b, ~lw.b.cast(x, BOOL), axes, keep)


def count_nonzero(lw: OnnxLowering, site: Site) -> Any:
    x, axes, keep = operand(lw, site, arguments(site, COMMON, lw))
    return reduce(lw.b, "ReduceSum", lw.b.cast(lw.b.cast(x, BOOL), INT64), axes, keep)


def ptp(lw: OnnxLowering, site: Site) -> Any:
    largest = lw.apply(OPS["max"], site.args, dict(site.kwargs))
    return largest - lw.apply(OPS["min"], site.args, dict(site.kwargs))


def mean_of(lw: OnnxLowering, x: T, axes: tuple[int, ...], keep: bool) -> T:
    """Returns the mean; NaN of no elements, of which ONNX says 0."""
    found = reduce(lw.b, "ReduceMean", x, axes, keep)
    if all(type(x.shape[axis]) is int and x.shape[axis] for axis in axes):
        return found
    return lw.b.where(count(lw, x, axes).equals(0), np.nan, found)


def mean(lw: OnnxLowering, site: Site) -> Any:
    x, axes, keep = operand(lw, site, arguments(site, COMMON, lw))
    dtype = reduced_dtype(site, x)
    wide = np.dtype(np.float32) if dtype == np.float16 else dtype
    return lw.b.cast(mean_of(lw, lw.b.cast(x, wide), axes, keep), dtype)


def spread(root: bool) -> Rule:
    """Returns the rule of the variance, or of its root."""
    def rule(lw: OnnxLowering, site: Site) -> Any:
        given = arguments(site, (*COMMON, "ddof"), lw)
        x, axes, keep = operand(lw, site, given)
        dtype, b = reduced_dtype(site, x), lw.b
        x = b.cast(x, np.float32 if dtype == np.float16 else dtype)
        gap = x - mean_of(lw, x, axes, True)
        total = reduce(b, "ReduceSum", gap * gap, axes, keep)
        free = b.cast(count(lw, x, axes), x.dtype) - lw.tensor(given.get("ddof", 0), x.dtype)
        found = total / b.op("Max", free, b.constant(0, x.dtype))
        return b.cast(b.op("Sqrt", found) if root else found, dtype)

    return rule


def count(lw: OnnxLowering, x: T, axes: tuple[int, ...]) -> T:
    """Returns the number of elements that a reduction joins."""
    found = lw.b.constant(np.int64(1))
    for axis in axes:
        found = found * lw.b.dim(x, axis)
    return found


def position(op: str) -> Rule:
    """Returns the rule of `argmax` or `argmin`: the first NaN, if there is one."""
    def rule(lw: OnnxLowering, site: Site) -> Any:
        given = arguments(site, ("a", "axis", "keepdims"), lw)
        x, b = lw.tensor(given["a"]), lw.b
        axis = given.get("axis")
        keep = bool(given.get("keepdims")) and given.get("keepdims") is not np._NoValue
        if axis is None:
            if keep:
                lw.refuse("the argument keepdims")
            x, axis = b.flat(x), 0
        (axis,) = reduced_axes(lw, x, axis)
        found = located(b, op, x, axis, keep)
        if x.dtype.kind != "f":
            return found
        nans = b.op("IsNaN", x)
        first = located(b, "ArgMax", b.cast(nans, np.int32), axis, keep)
        return b.where(any_of(b, nans, (axis,), keep), first, found)

    return rule


def located(b: Builder, op: str, x: T, axis: int, keep: bool) -> T:
    shape = tuple(1 if i == axis else d for i, d in enumerate(x.shape) if keep or i != axis)
    given = b.cast(x, b.computed_in(op, x.dtype))
    return b.node(op, [given], INT64, shape, axis=axis, keepdims=int(keep))


def scan(op: str) -> Rule:
    """Returns the rule of `cumsum` or `cumprod`."""
    def rule(lw: OnnxLowering, site: Site) -> Any:
        given = arguments(site, ("a", "axis", "dtype"), lw)
        x, b = lw.tensor(given["a"]), lw.b
        x = b.cast(x, reduced_dtype(site, x))
        axis = given.get("axis")
        if axis is None or not x.ndim:
            x, axis = b.flat(x) if x.ndim else b.reshape(x, (1,)), 0
        (axis,) = reduced_axes(lw, x, axis)
        return cumulated(b, x, axis) if op == "sum" else multiplied(b, x, axis)[1]

    return rule


def cumulated(b: Builder, x: T, axis: int) -> T:
    inner = b.computed_in("CumSum", x.dtype)
    made = b.node("CumSum", [b.cast(x, inner), b.constant(np.int64(axis))], inner, x.shape)
    return b.cast(made, x.dtype)


def diff(lw: OnnxLowering, site: Site) -> Any:
    given = arguments(site, ("a", "n", "axis"), lw)
    x, b = lw.tensor(given["a"]), lw.b
    (axis,) = reduced_axes(lw, x, given.get("axis", -1))
    for _ in range(given.get("n", 1)):
        later, earlier = part(b, x, axis, 1, None), part(b, x, axis, 0, -1)
        x = b.op("Xor", later, earlier) if x.dtype == BOOL else later - earlier
    return x


def part(b: Builder, x: T, axis: int, start: int, stop: int | None) -> T:
    """Returns a slice along one axis."""
    known = x.shape[axis]
    length = None if known is None else len(range(known)[start:stop])
    shape = tuple(length if i == axis else d for i, d in enumerate(x.shape))
    end = np.iinfo(np.int64).max if stop is None else stop
    return b.node("Slice", [x, b.ints(start), b.ints(end), b.ints(axis)], x.dtype, shape)


# -- sorting --------------------------------------------------------------------------------------


def ordered(b: Builder, x: T, axis: int) -> tuple[T, T]:
    """Returns the elements in ascending order, NaNs last, and where they were."""
    inner = np.dtype(np.int32) if x.dtype == BOOL else b.computed_in("TopK", x.dtype)
    x = b.cast(x, inner)
    nan = b.op("IsNaN", x) if inner.kind == "f" else None
    keys = x if nan is None else b.where(nan, np.inf, x)
    length = b.reshape(b.dim(x, axis), (1,)) if x.shape[axis] is None else b.ints(  # type: ignore[arg-type]
        x.shape[axis])  # type: ignore[arg-type]
    values, positions = b.several("TopK", [keys, length], [(inner, x.shape), (INT64, x.shape)],
                                  axis=axis, largest=0, sorted=1)
    return values, positions


def sort(lw: OnnxLowering, site: Site) -> Any:
    x, axis = sorted_operand(lw, site)
    values, _ = ordered(lw.b, x, axis)
    if x.dtype.kind == "f":
        values = nans_last(lw, x, values, axis)
    return lw.b.cast(values, x.dtype)


def nans_last(lw: OnnxLowering, x: T, values: T, axis: int) -> T:
    """As many NaNs as there were take the last positions."""
    b = lw.b
    numbers = reduce(b, "ReduceSum", b.cast(~b.op("IsNaN", x), INT64), (axis,), True)
    row = b.constant(np.int64(1))
    ones = b.expand(row, b.shape_of(x), x.shape)
    order = cumulated(b, ones, axis)
    return b.where(order > numbers, np.nan, b.cast(values, x.dtype))


def argsort(lw: OnnxLowering, site: Site) -> Any:
    """Equal elements keep their order; NaNs come last, by a second sort."""
    x, axis = sorted_operand(lw, site)
    b = lw.b
    _, first = ordered(b, x, axis)
    if x.dtype.kind != "f":
        return first
    nan = b.cast(b.op("IsNaN", x), np.int32)
    moved = b.node("GatherElements", [nan, first], nan.dtype, x.shape, axis=axis)
    _, second = ordered(b, moved, axis)
    return b.node("GatherElements", [first, second], INT64, x.shape, axis=axis)


def sorted_operand(lw: OnnxLowering, site: Site) -> tuple[T, int]:
    given = arguments(site, ("a", "axis"), lw)
    x = lw.tensor(given["a"])
    axis = given.get("axis", -1)
    if axis is None:
        return lw.b.flat(x), 0
    return x, reduced_axes(lw, x, axis)[0]


def searchsorted(lw: OnnxLowering, site: Site) -> Any:
    """How many of the sorted numbers are less (or not greater): each is compared with each."""
    given = arguments(site, ("a", "v", "side"), lw)
    if "side" in given and given["side"] not in ("left", "right"):
        lw.refuse("the argument side")
    dtype = joined_dtype(*(k for k in site.kinds[:2] if k is not None))
    a, v = lw.tensor(given["a"], dtype), lw.tensor(given["v"], dtype)
    b, left = lw.b, given.get("side", "left") == "left"
    v = lw.unsqueeze(v, v.ndim)
    below = a < v if left else a <= v
    if dtype.kind == "f":  # NaN is the greatest number
        below = below | (b.op("IsNaN", v) & ~b.op("IsNaN", a) if left else b.op("IsNaN", v))
    return reduce(b, "ReduceSum", b.cast(below, INT64), (v.ndim - 1,), False)


# -- products -------------------------------------------------------------------------------------


def operands(lw: OnnxLowering, site: Site) -> tuple[T, T]:
    """Returns the two operands in their common dtype."""
    dtype = site.dtype()
    if dtype is None:
        dtype = joined_dtype(*(k for k in site.kinds[:2] if k is not None))
    return lw.tensor(site.args[0], dtype), lw.tensor(site.args[1], dtype)


def matmul(lw: OnnxLowering, site: Site) -> Any:
    x, y = operands(lw, site)
    if not x.ndim or not y.ndim:
        return x * y
    return product(lw, x, y)


def product(lw: OnnxLowering, x: T, y: T) -> T:
    """`x @ y`, as NumPy's matmul has it."""
    b = lw.b
    if x.dtype == BOOL:
        return product(lw, b.cast(x, np.int64), b.cast(y, np.int64)) > 0
    if x.ndim == 1 and y.ndim == 1:
        return reduce_exactly(b, "ReduceSum", x * y, (0,), False)
    left = x if x.ndim > 1 else lw.unsqueeze(x, 0)
    right = y if y.ndim > 1 else lw.unsqueeze(y, 1)
    shape = dims(product_shape(left.shape, right.shape))
    made = b.op("MatMul", left, right, shape=shape)
    if x.ndim == 1:
        return drop(b, made, made.ndim - 2)
    return drop(b, made, made.ndim - 1) if y.ndim == 1 else made


def drop(b: Builder, x: T, *axes: int) -> T:
    """Returns a tensor without these axes of length 1."""
    shape = tuple(d for i, d in enumerate(x.shape) if i not in axes)
    return b.node("Squeeze", [x, b.ints(*axes)], x.dtype, shape)


def dot(lw: OnnxLowering, site: Site) -> Any:
    x, y = operands(lw, site)
    if not x.ndim or not y.ndim:
        return x * y
    if y.ndim <= 2:
        return product(lw, x, y)
    return contracted(lw, x, y, (x.ndim - 1,), (y.ndim - 2,))


def inner(lw: OnnxLowering, site: Site) -> Any:
    x, y = operands(lw, site)
    if not x.ndim or not y.ndim:
        return x * y
    return contracted(lw, x, y, (x.ndim - 1,), (y.ndim - 1,))


def contracted(lw: OnnxLowering, x: T, y: T, left: tuple[int, ...], right: tuple[int, ...]) -> T:
    """The sum over pairs of axes, as an `Einsum`."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    first, second = list(letters[:x.ndim]), list(letters[x.ndim:x.ndim + y.ndim])
    for i, j in zip(left, right, strict=True):
        second[j] = first[i]
    kept = [c for i, c in enumerate(first) if i not in left]
    kept += [c for j, c in enumerate(second) if j not in right]
    shape = tuple(d for i, d in enumerate(x.shape) if i not in left) + tuple(
        d for j, d in enumerate(y.shape) if j not in right)
    return lw.b.op("Einsum", x, y, shape=shape,
                   equation=f"{''.join(first)},{''.join(second)}->{''.join(kept)}")


def tensordot(lw: OnnxLowering, site: Site) -> Any:
    x, y = operands(lw, site)
    axes = site.args[2] if len(site.args) > 2 else site.kwargs.get("axes", 2)
    if isinstance(axes, int):
        return contracted(lw, x, y, tuple(range(x.ndim - axes, x.ndim)), tuple(range(axes)))
    return contracted(lw, x, y, axes_of(axes[0], x.ndim), axes_of(axes[1], y.ndim))


def vdot(lw: OnnxLowering, site: Site) -> Any:
    x, y = operands(lw, site)
    return reduce_exactly(lw.b, "ReduceSum", lw.b.flat(x) * lw.b.flat(y), (0,), False)


def outer(lw: OnnxLowering, site: Site) -> Any:
    x, y = operands(lw, site)
    x, y = (lw.b.flat(v) if v.ndim else lw.b.reshape(v, (1,)) for v in (x, y))
    return lw.b.op("And" if x.dtype == BOOL else "Mul", lw.unsqueeze(x, 1), lw.unsqueeze(y, 0))


def einsum(lw: OnnxLowering, site: Site) -> Any:
    ins, out, given = einsum_terms(*site.args)
    if any("." in letters for letters in ins) or site.kwargs:
        lw.refuse("an ellipsis, or other arguments")
    dtype = site.dtype()
    if dtype is None:
        first = 1 if isinstance(site.args[0], str) else 0
        dtype = joined_dtype(*(k for k in site.kinds[first::2 - first] if k is not None))
    tensors = [lw.tensor(x, dtype) for x in given]
    if dtype.kind in "iu":
        ins, tensors = _summed_alone(lw, list(ins), out, tensors)
    length = {c: d for letters, x in zip(ins, tensors, strict=True)
              for c, d in zip(letters, x.shape, strict=True)}
    return lw.b.op("Einsum", *tensors, shape=tuple(length[c] for c in out),
                   equation=f"{','.join(ins)}->{out}")


def _summed_alone(lw: OnnxLowering, ins: list[str], out: str, tensors: list[T]
                  ) -> tuple[list[str], list[T]]:
    """Sums the axes of integers that no other operand has: an `Einsum` sums them as doubles."""
    made, found = [], []
    for k, (letters, x) in enumerate(zip(ins, tensors, strict=True)):
        others = {*out, *"".join(ins[:k] + ins[k + 1:])}
        alone = tuple(i for i, c in enumerate(letters) if c not in others)
        if any(letters.count(letters[i]) > 1 for i in alone):
            lw.refuse("a sum along a diagonal of integers", hint="use np.trace or np.diagonal")
        found.append(reduce_exactly(lw.b, "ReduceSum", x, alone, False))
        made.append("".join(c for c in letters if c in others))
    return made, found


def trace(lw: OnnxLowering, site: Site) -> Any:
    given = arguments(site, ("a",), lw)
    x = lw.tensor(given["a"])
    if x.ndim != 2 or not x.is_static:
        lw.refuse("an array that is no matrix of known shape")
    dtype = reduced_dtype(site, x) if site.dtype() is not None else np.trace(
        np.ones((1, 1), x.dtype)).dtype
    rows, columns = (d or 0 for d in x.shape)
    mask = lw.b.constant(np.eye(rows, columns, dtype=bool))
    on_diagonal = lw.b.where(mask, lw.b.cast(x, dtype), 0)
    return reduce_exactly(lw.b, "ReduceSum", on_diagonal, (0, 1), False)


def norm(lw: OnnxLowering, site: Site) -> Any:
    given = arguments(site, ("x", "ord", "axis", "keepdims"), lw)
    x, b = lw.tensor(given["x"]), lw.b
    dtype = site.dtype() if site.dtype() is not None else np.dtype(
        x.dtype if x.dtype.kind == "f" else float)
    x = b.cast(x, dtype)
    order, axis = given.get("ord"), given.get("axis")
    axes = reduced_axes(lw, x, axis)
    keep = bool(given.get("keepdims", False))
    if order is None or order == "fro" or (order == 2 and len(axes) == 1):
        return b.op("Sqrt", reduce(b, "ReduceSum", x * x, axes, keep))
    if len(axes) == 1 and order == 1:
        return reduce(b, "ReduceSum", b.op("Abs", x), axes, keep)
    if len(axes) == 1 and order in (np.inf, -np.inf):
        op = "ReduceMax" if order > 0 else "ReduceMin"
        return extreme_of(lw, op, b.op("Abs", x), axes, keep)
    lw.refuse(f"the norm of order {order!r}: ONNX has no singular values")


REDUCTIONS: dict[str, Rule] = {
    "sum": plain("ReduceSum"), "prod": plain("ReduceProd"), "max": extreme("ReduceMax"),
    "min": extreme("ReduceMin"), "mean": mean, "std": spread(True), "var": spread(False),
    "any": any_, "all": all_, "count_nonzero": count_nonzero, "ptp": ptp,
    "argmax": position("ArgMax"), "argmin": position("ArgMin"), "cumsum": scan("sum"),
    "cumprod": scan("product"), "diff": diff, "sort": sort, "argsort": argsort,
    "searchsorted": searchsorted, "matmul": matmul, "np.matmul": matmul,
    "dot": dot, "inner": inner, "tensordot": tensordot, "vdot": vdot, "outer": outer,
    "einsum": einsum, "trace": trace, "linalg.norm": norm,
}
"""The rules of this module by the op's name."""
