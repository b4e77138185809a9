"""Indexing and stores in ONNX.

An op that moves elements about without a look at them is done on their positions: it runs on
`arange(size).reshape(shape)` while the graph is exported, and one `Gather` takes the elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from autograph.runtime.export.containers import put_item
from autograph.runtime.export.decomposed import by_parts
from autograph.runtime.export.kinds import joined_dtype
from autograph.runtime.export.lookups import item_of
from autograph.runtime.export.lowering import is_everything
from autograph.runtime.export.onnx.builder import BOOL, INT64, T
from autograph.runtime.export.onnx.lowering import OnnxLowering
from autograph.runtime.export.onnx.reductions import drop
from autograph.runtime.export.shared_rules import computed_into, refuse_read_only, stepped
from autograph.runtime.export.sites import Site
from autograph.runtime.ir.graph import leaves, map_leaves
from autograph.runtime.ops import OPS
from autograph.runtime.ops.type_rules import broadcast

LAST = np.iinfo(np.int64).max


# -- by positions ---------------------------------------------------------------------------------


def known_size(x: T) -> int:
    return int(np.prod([d or 0 for d in x.shape], dtype=np.int64))


def positions(lw: OnnxLowering, x: T, start: int = 0) -> np.ndarray[Any, Any]:
    """Returns the position of each element of an array whose shape is known."""
    if not x.is_static:
        lw.refuse("an array with dimensions that only the run knows",
                  hint="trace with arrays, or with TensorSpecs that give every dimension")
    return np.arange(start, start + known_size(x)).reshape(x.shape)


def gathered(lw: OnnxLowering, flat: T, where: Any) -> T:
    """Returns the elements of a vector at constant positions."""
    where = np.asarray(where, np.int64)
    return lw.b.node("Gather", [flat, lw.b.constant(where)], flat.dtype, where.shape, axis=0)


def rearranged(lw: OnnxLowering, site: Site) -> Any:
    """An op that moves the elements of its first argument."""
    x, *rest = site.args
    if any(map(lw.is_symbolic, leaves((rest, site.kwargs)))):
        lw.refuse("positions that only the run knows")
    x = lw.tensor(x)
    where = site.op.kernel(positions(lw, x), *rest, **site.kwargs)
    if isinstance(where, (tuple, list)):
        return [gathered(lw, lw.b.flat(x), w) for w in where]
    return gathered(lw, lw.b.flat(x), where)


def filled(lw: OnnxLowering, site: Site) -> Any:
    """An op that moves the elements of its first argument, and puts zeros between."""
    x, *rest = site.args
    x = lw.tensor(x)
    if any(map(lw.is_symbolic, leaves((rest, site.kwargs)))):
        lw.refuse("positions that only the run knows")
    if site.op.name == "pad" and (len(rest) > 1 and rest[1] not in (
            "constant", "edge", "reflect", "symmetric", "wrap")):
        lw.refuse(f"the mode {rest[1]!r}")
    fill = site.kwargs.get("constant_values", 0)
    kwargs = {k: v for k, v in site.kwargs.items() if k != "constant_values"}
    if not isinstance(fill, (int, float)):
        lw.refuse("several constants")
    where = site.op.kernel(positions(lw, x, 1), *rest, **kwargs)
    one = lw.b.constant(np.array([fill]), x.dtype)
    both = lw.b.node("Concat", [one, lw.b.flat(x)], x.dtype, (known_size(x) + 1,), axis=0)
    return gathered(lw, both, where)


def inserted(lw: OnnxLowering, site: Site) -> Any:
    """`np.insert`: the values are in the dtype of the array."""
    x, index, values, *rest = site.args
    x = lw.tensor(x)
    return rearranged_together(lw, replace(
        site, args=(x, index, lw.tensor(values, x.dtype), *rest)), (0, 2))


def appended(lw: OnnxLowering, site: Site) -> Any:
    return rearranged_together(lw, site, (0, 1))


def rearranged_together(lw: OnnxLowering, site: Site, which: tuple[int, ...] = (0,)) -> Any:
    """An op that moves the elements of several arrays: each has positions of its own.

    `which` are the arguments whose elements it moves.
    """
    tensors: list[T] = []
    dtype = site.dtype()
    if dtype is None:
        dtype = joined_dtype(*(kind for x in leaves([site.args[i] for i in which])
                               if (kind := lw.kind_of_value(x)) is not None))

    def numbered(x: Any) -> Any:
        tensors.append(lw.tensor(x, dtype))
        return positions(lw, tensors[-1], sum(map(known_size, tensors[:-1])))[()]

    if lw.is_symbolic(site.args[0]) and which == (0,):
        lw.refuse("an array in place of a list of arrays")
    args = [map_leaves(numbered, x) if i in which else x for i, x in enumerate(site.args)]
    if any(map(lw.is_symbolic, leaves((args, site.kwargs)))):
        lw.refuse("positions that only the run knows")
    where = site.op.kernel(*args, **site.kwargs)
    flat = lw.b.node("Concat", [lw.b.flat(t) if t.ndim else lw.b.reshape(t, (1,))
                                for t in tensors], dtype,
                     (sum(map(known_size, tensors)),), axis=0)
    return gathered(lw, flat, where)


def rearranged_each(lw: OnnxLowering, site: Site) -> Any:
    """An op that gives as many arrays as it takes, each with elements of the one it stands for."""
    tensors = [lw.tensor(x) for x in site.args]
    found = site.op.kernel(*(positions(lw, x) for x in tensors), **site.kwargs)
    return [gathered(lw, lw.b.flat(x) if x.ndim else lw.b.reshape(x, (1,)), where)
            for x, where in zip(tensors, found, strict=True)]


# -- reading --------------------------------------------------------------------------------------


def getitem(lw: OnnxLowering, site: Site) -> Any:
    x, index = site.args
    if isinstance(x, (list, tuple, dict, str, range)):
        return item_of(lw, x, index)
    return item(lw, lw.tensor(x), index)


def item(lw: OnnxLowering, x: T, index: Any) -> T:
    """Returns `x[index]`."""
    parts = list(index) if isinstance(index, tuple) else [index]
    if any(isinstance(p, (bool, np.bool_)) for p in parts):
        lw.refuse("a bool as an index")
    if Ellipsis not in [p for p in parts if p.__class__ is type(Ellipsis)]:
        parts.append(Ellipsis)
    at = next(i for i, p in enumerate(parts) if p is Ellipsis)
    used = sum(consumed(lw, p) for p in parts)
    parts[at:at + 1] = [slice(None)] * (x.ndim - used)
    axes = accumulate((consumed(lw, p) for p in parts), initial=0)
    parts = [number for p, axis in zip(parts, axes, strict=False)
             for number in expanded(lw, fitting(lw, x, p, axis))]
    arrays = [p for p in parts if is_array(lw, p)]
    x, kept = sliced(lw, x, parts)
    if not arrays:
        return x
    return advanced(lw, x, kept)


def is_array(lw: OnnxLowering, part: Any) -> bool:
    """Returns True for an index array, also for a number among such."""
    return isinstance(part, (list, np.ndarray)) or (isinstance(part, T) and part.ndim > 0)


def consumed(lw: OnnxLowering, part: Any) -> int:
    """Returns how many axes an item of an index takes."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, T):
        return part.ndim if part.dtype == BOOL else 1
    if isinstance(part, (list, np.ndarray)):
        array = np.asarray(part)
        return array.ndim if array.dtype == bool else 1
    return 1


def expanded(lw: OnnxLowering, part: Any) -> Sequence[Any]:
    """Returns a mask as the index arrays that it stands for."""
    if isinstance(part, list):
        part = lw.tensor(part) if any(map(lw.is_symbolic, part)) else np.asarray(
            part, None if part else int)
    if isinstance(part, (np.ndarray, np.generic)) and part.dtype == bool:
        return list(np.nonzero(part))
    if isinstance(part, T) and part.dtype == BOOL:
        if not part.ndim:
            lw.refuse("a bool as an index")
        found = nonzero(lw, part)
        return [lw.b.node("Gather", [found, lw.b.constant(np.int64(i))], INT64, (None,), axis=0)
                for i in range(part.ndim)]
    return [part]


def fitting(lw: OnnxLowering, x: T, part: Any, axis: int) -> Any:
    """Returns an item of an index; a mask is as long as the axes from `axis` on that it selects
    from, or the run ends with an error."""
    is_mask = np.asarray(part).dtype == bool if isinstance(part, (list, np.ndarray)) else (
        isinstance(part, T) and part.dtype == BOOL)
    if not is_mask:
        return part
    mask = lw.tensor(part)
    pairs = [*zip(mask.shape, x.shape[axis:], strict=False)]
    if any(m != n and None not in (m, n) for m, n in pairs) or len(pairs) < mask.ndim:
        lw.refuse("NumPy raises an IndexError: a mask of another shape than what it selects from")
    if all(m == n is not None for m, n in pairs):
        return part
    dims = [lw.b.dim(x, i) for i in range(axis, axis + mask.ndim)]
    return lw.b.reshape(mask, dims)


def nonzero(lw: OnnxLowering, mask: T) -> T:
    """Returns a row of positions for each axis."""
    return lw.b.node("NonZero", [lw.b.cast(mask, BOOL)], INT64, (mask.ndim, None))


def sliced(lw: OnnxLowering, x: T, parts: list[Any]) -> tuple[T, list[Any]]:
    """Applies slices, numbers and new axes; gives what is left, an item for each axis: an index
    array, or None."""
    b = lw.b
    any_array = any(is_array(lw, p) for p in parts)
    x = by_slices(lw, x, [p for p in parts if p is not None])
    kept: list[Any] = []
    axis = 0
    for p in parts:
        if p is None:
            x = lw.unsqueeze(x, axis)
            kept.append(None)
            axis += 1
        elif isinstance(p, slice):
            kept.append(None)
            axis += 1
        elif is_array(lw, p) or any_array:
            kept.append(lw.integers(p))
            axis += 1
        else:
            number = lw.integers(p)
            shape = tuple(d for i, d in enumerate(x.shape) if i != axis)
            x = b.node("Gather", [x, number], x.dtype, shape, axis=axis)
    return x, kept


def by_slices(lw: OnnxLowering, x: T, parts: list[Any]) -> T:
    """Applies the slices of an index, in one node."""
    given = [(i, p) for i, p in enumerate(parts) if isinstance(p, slice) and p != slice(None)]
    if not given:
        return x
    shape = list(x.shape)
    starts, stops, steps = [], [], []
    for i, p in given:
        step = 1 if p.step is None else p.step
        if isinstance(step, T):
            lw.refuse("a slice whose step only the run knows")
        starts.append((0 if step > 0 else LAST) if p.start is None else p.start)
        stops.append((LAST if step > 0 else -LAST) if p.stop is None else p.stop)
        steps.append(step)
        known = x.shape[i] is not None and not isinstance(p.start, T) and not isinstance(p.stop, T)
        shape[i] = len(range(x.shape[i])[p]) if known else None  # type: ignore[arg-type]
    b = lw.b
    return b.node("Slice", [x, b.vector(starts), b.vector(stops), b.ints(*(i for i, _ in given)),
                            b.vector(steps)], x.dtype, tuple(shape))


def advanced(lw: OnnxLowering, x: T, kept: list[Any]) -> T:
    """Index arrays, as NumPy has them: those side by side put their dimensions where they stand,
    others in front."""
    b = lw.b
    axes = [i for i, p in enumerate(kept) if p is not None]
    if len(axes) == 1:
        (axis,) = axes
        index = kept[axis]
        shape = (*x.shape[:axis], *index.shape, *x.shape[axis + 1:])
        return b.node("Gather", [x, index], x.dtype, shape, axis=axis)
    together = axes == list(range(axes[0], axes[-1] + 1))
    rest = [i for i in range(x.ndim) if i not in axes]
    indices = [kept[i] for i in axes]
    picked = tuple(d if isinstance(d, int) else None for d in broadcast(
        *(i.shape for i in indices)) or ())
    zero = indices[0] * 0
    for index in indices[1:]:
        zero = zero + index * 0
    points = lw.stack([index + zero for index in indices], len(picked))
    moved = transposed(lw, x, [*axes, *rest])
    shape = (*picked, *(x.shape[i] for i in rest))
    found = b.node("GatherND", [moved, points], x.dtype, shape)
    if not together or not axes[0]:
        return found
    n, lead = len(picked), axes[0]
    order = [*range(n, n + lead), *range(n), *range(n + lead, len(shape))]
    return transposed(lw, found, order)


def transposed(lw: OnnxLowering, x: T, order: Sequence[int]) -> T:
    """Returns a tensor with its axes in another order."""
    if list(order) == list(range(x.ndim)):
        return x
    return lw.b.node("Transpose", [x], x.dtype, tuple(x.shape[i] for i in order),
                     perm=[int(i) for i in order])


# -- writing --------------------------------------------------------------------------------------


def setitem(lw: OnnxLowering, site: Site) -> Any:
    if site.args[0].__class__ is list:
        return put_item(lw, site)
    return stored(lw, lw.tensor(site.args[0]), *site.args[1:])


def stored(lw: OnnxLowering, x: T, index: Any, value: Any) -> T:
    """Returns the array after `x[index] = value`."""
    b = lw.b
    value = lw.tensor(value, x.dtype)
    if isinstance(index, T) and index.dtype == BOOL and not value.ndim:
        mask = fitting(lw, x, index, 0)
        if x.ndim > mask.ndim:
            mask = lw.unsqueeze(mask, *range(mask.ndim, x.ndim))
        return b.where(mask, value, x)
    if is_everything(index):
        return spread(lw, value, b.shape_of(x), x.shape)
    where = item_positions(lw, x, lambda p: item(lw, p, index), index)
    return scattered(lw, x, where, value)


def item_positions(lw: OnnxLowering, x: T, select: Callable[[T], T], nest: Any) -> T:
    """Returns the positions in the array of what an index selects."""
    b = lw.b
    if x.is_static:
        every = b.constant(positions(lw, x))
    else:
        step = b.constant(np.int64(1))
        flat = b.node("Range", [b.constant(np.int64(0)), b.size(x), step], INT64, (None,))
        every = b.node("Reshape", [flat, b.shape_of(x)], INT64, x.shape)
    return select(every)


def spread(lw: OnnxLowering, value: T, shape: T, known: tuple[int | None, ...]) -> T:
    """Returns a value broadcast to a shape; NumPy drops leading axes of length 1."""
    extra = value.ndim - len(known)
    if extra > 0:
        value = drop(lw.b, value, *range(extra))
    return lw.b.expand(value, shape, known)


def scattered(lw: OnnxLowering, x: T, where: T, value: T, reduction: str = "") -> T:
    """Returns the array with values at positions; of several at one, the last."""
    b = lw.b
    value = spread(lw, value, b.shape_of(where), where.shape)
    flat = [b.flat(t) if t.ndim else b.reshape(t, (1,)) for t in (x, where, value)]
    how = {"reduction": reduction} if reduction else {}
    kernel = f"ScatterElements:{reduction}" if reduction else "ScatterElements"
    inner = b.computed_in(kernel, x.dtype)
    made = b.node("ScatterElements", [b.cast(flat[0], inner), flat[1], b.cast(flat[2], inner)],
                  inner, flat[0].shape, axis=0, **how)
    made = b.cast(made, x.dtype)
    if x.is_static:
        return b.reshape(made, x.shape)  # type: ignore[arg-type]
    return b.node("Reshape", [made, b.shape_of(x)], x.dtype, x.shape)


def update_view(lw: OnnxLowering, site: Site) -> Any:
    """The positions that the view has in the array are found by making the view of positions."""
    x, index, value, path = site.args
    x = lw.tensor(x)
    refuse_read_only(lw, x, path)

    def select(found: T) -> T:
        for step in path:
            found = stepped(lw, found, step)
        return item(lw, found, index)

    return scattered(lw, x, item_positions(lw, x, select, (path, index)),
                     lw.tensor(value, x.dtype))


def stored_into(lw: OnnxLowering, site: Site) -> Any:
    """`fn(…, out=x)`: the result, cast to the dtype of x, where the mask says so."""
    x, result, where = computed_into(lw, site)
    result = spread(lw, result, lw.b.shape_of(x), x.shape)
    return result if where is True else lw.b.where(lw.tensor(where, bool), result, x)


def stored_by(lw: OnnxLowering, site: Site) -> Any:
    """A function that changes its first argument."""
    x, fn, *args = site.args
    x, b = lw.tensor(x), lw.b
    ufunc = getattr(fn, "__self__", None)
    name = getattr(fn, "__name__", "")
    if isinstance(ufunc, np.ufunc) and name == "at" and len(args) == 2:
        how = {np.add: "add", np.subtract: "add", np.multiply: "mul"}.get(ufunc)  # type: ignore[call-overload]
        if how is not None:
            value = lw.tensor(args[1])
            if np.result_type(x.dtype, value.dtype).kind != x.dtype.kind:
                lw.refuse(f"{x.dtype} changed by {value.dtype}: NumPy raises an error, or casts "
                          "at each element", hint="bring both to one dtype: x.astype(float)")
            value = b.cast(value, x.dtype)
            value = b.constant(0, x.dtype) - value if ufunc is np.subtract else value
            where = item_positions(lw, x, lambda p: item(lw, p, args[0]), args[0])
            return scattered(lw, x, where, value, how)
    if name == "copyto":
        value = spread(lw, lw.tensor(args[0], x.dtype), b.shape_of(x), x.shape)
        mask = site.kwargs.get("where", True)
        return value if mask is True else b.where(lw.tensor(mask, bool), value, x)
    if name == "fill":
        return spread(lw, lw.tensor(args[0], x.dtype), b.shape_of(x), x.shape)
    if name == "sort":
        return lw.apply(OPS["sort"], (x, *args), site.kwargs)
    if name == "fill_diagonal" and x.ndim == 2 and x.is_static and not args[1:]:
        where = b.constant(np.diagonal(positions(lw, x)).copy())
        return scattered(lw, x, where, lw.tensor(args[0], x.dtype))
    rule = by_parts(site.op)
    assert rule is not None
    return rule(lw, site)


def take(lw: OnnxLowering, site: Site) -> Any:
    if site.kwargs.get("mode", "raise") != "raise" or len(site.args) > 3:
        lw.refuse("a mode of indices outside the array")
    x, index = lw.tensor(site.args[0]), lw.integers(site.args[1])
    axis = site.args[2] if len(site.args) > 2 else site.kwargs.get("axis")
    if axis is None:
        x, axis = lw.b.flat(x), 0
    axis %= x.ndim
    shape = (*x.shape[:axis], *index.shape, *x.shape[axis + 1:])
    return lw.b.node("Gather", [x, index], x.dtype, shape, axis=axis)


def take_along_axis(lw: OnnxLowering, site: Site) -> Any:
    x, index = lw.tensor(site.args[0]), lw.integers(site.args[1])
    axis = site.args[2] if len(site.args) > 2 else site.kwargs.get("axis", -1)
    if axis is None:
        x, axis = lw.b.flat(x), 0
    shapes = [s for i, s in enumerate(zip(x.shape, index.shape, strict=True)) if i != axis % x.ndim]
    if any(a != b for a, b in shapes):
        lw.refuse("indices that are broadcast")
    return lw.b.node("GatherElements", [x, index], x.dtype, index.shape, axis=axis % x.ndim)


def positions_of(lw: OnnxLowering, site: Site) -> Any:
    """`np.nonzero`: a vector for each axis."""
    return expanded(lw, lw.b.cast(lw.tensor(site.args[0]), BOOL))


def flatnonzero(lw: OnnxLowering, site: Site) -> Any:
    flat = lw.b.flat(lw.tensor(site.args[0]))
    return lw.b.reshape(nonzero(lw, flat), (-1,))


def argwhere(lw: OnnxLowering, site: Site) -> Any:
    return transposed(lw, nonzero(lw, lw.tensor(site.args[0])), (1, 0))


def compress(lw: OnnxLowering, site: Site) -> Any:
    """A condition that is longer than the axis is an error of the run, as positions are."""
    condition, x, *rest = site.args
    x, axis = lw.tensor(x), rest[0] if rest else site.kwargs.get("axis")
    if axis is None or site.op.name == "extract":
        x, axis = lw.b.flat(x), 0
    (where,) = expanded(lw, lw.b.flat(lw.tensor(condition, bool)))
    return item(lw, x, (*[slice(None)] * (axis % x.ndim), where))


INDEXING: dict[str, Callable[[OnnxLowering, Site], Any]] = {
    "getitem": getitem, "setitem": setitem, "update_view": update_view,
    "stored_into": stored_into, "stored_by": stored_by, "take": take,
    "take_along_axis": take_along_axis, "nonzero": positions_of, "flatnonzero": flatnonzero,
    "argwhere": argwhere, "compress": compress, "extract": compress,
    **dict.fromkeys(("flip", "fliplr", "flipud", "rot90", "roll", "diagonal", "split",
                     "array_split", "repeat", "tile", "delete", "atleast_3d"), rearranged),
    **dict.fromkeys(("triu", "tril", "diag", "pad"), filled),
    **dict.fromkeys(("vstack", "hstack", "dstack", "column_stack"), rearranged_together),
    "append": appended, "insert": inserted,
    **dict.fromkeys(("meshgrid", "broadcast_arrays"), rearranged_each),
}
"""The rules of this module by the op's name."""
