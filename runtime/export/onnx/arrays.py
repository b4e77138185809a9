"""Shapes in ONNX, and arrays that are made, joined and reshaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.export.kinds import joined_dtype
from autograph.runtime.export.onnx.builder import FLOAT64, T
from autograph.runtime.export.onnx.indexing import transposed
from autograph.runtime.export.onnx.lowering import OnnxLowering, RangeOf
from autograph.runtime.export.onnx.reductions import drop
from autograph.runtime.export.sites import Site
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops.type_rules import axes_of

Rule = Callable[[OnnxLowering, Site], Any]


def finished(lw: OnnxLowering, x: T, dtype: Any, shape: Any) -> T:
    """Returns a result in the dtype and with the shape that are known of it."""
    made = lw.b.cast(x, dtype)
    return made if made.shape == shape else T(lw.b, made.name, made.dtype, shape)


def known_kinds(lw: OnnxLowering, kinds: Sequence[Any]) -> list[Any]:
    """Returns kinds, all of which are of numbers."""
    if any(k is None for k in kinds):
        lw.refuse("an operand is not a number or an array of numbers")
    return list(kinds)


def common(lw: OnnxLowering, site: Site, kinds: Sequence[Any]) -> np.dtype[Any]:
    """Returns the dtype of a result: the graph's, or the common one of the operands."""
    dtype = site.dtype()
    return joined_dtype(*known_kinds(lw, kinds)) if dtype is None else dtype


# -- shapes ---------------------------------------------------------------------------------------


def shape(lw: OnnxLowering, site: Site) -> Any:
    x = lw.tensor(site.args[0])
    return tuple(lw.b.dim(x, i) for i in range(x.ndim))


def ndim(lw: OnnxLowering, site: Site) -> Any:
    return lw.tensor(site.args[0]).ndim


def size(lw: OnnxLowering, site: Site) -> Any:
    x = lw.tensor(site.args[0])
    axis = site.args[1] if len(site.args) > 1 else site.kwargs.get("axis")
    if axis is not None:
        return lw.b.dim(x, axis)
    return int(np.prod(x.shape)) if x.is_static else lw.b.size(x)  # type: ignore[arg-type]


def dim(lw: OnnxLowering, site: Site) -> Any:
    return lw.b.dim(lw.tensor(site.args[0]), site.args[1])


def length(lw: OnnxLowering, site: Site) -> Any:
    x = site.args[0]
    if isinstance(x, (list, tuple, dict)):
        return len(x)
    return x.length if isinstance(x, RangeOf) else lw.b.dim(lw.tensor(x), 0)


def numbers_of(lw: OnnxLowering, asked: Any) -> list[Any]:
    """Returns the dims that a `shape` argument asks for."""
    if isinstance(asked, T) and asked.ndim:
        return list(lw.rows(asked))
    return list(asked) if isinstance(asked, (tuple, list, np.ndarray)) else [asked]


def reshape(lw: OnnxLowering, site: Site) -> Any:
    x = lw.tensor(site.args[0])
    if site.kwargs.get("order", site.args[2] if len(site.args) > 2 else "C") != "C":
        lw.refuse("an order other than C")
    asked = site.args[1] if len(site.args) > 1 else site.kwargs.get("shape")
    made = lw.b.reshape(x, [d if isinstance(d, T) else int(d) for d in numbers_of(lw, asked)])
    known = site.types[0].shape if site.types and isinstance(site.types[0], ArrayType) else None
    if known is not None and len(known) == made.ndim:
        return finished(lw, made, made.dtype, tuple(
            d if isinstance(d, int) else e for d, e in zip(known, made.shape, strict=True)))
    return made


def ravel(lw: OnnxLowering, site: Site) -> Any:
    x = lw.tensor(site.args[0])
    if site.kwargs.get("order", site.args[1] if len(site.args) > 1 else "C") not in "CK":
        lw.refuse("an order other than C")
    return lw.b.flat(x) if x.ndim else lw.b.reshape(x, (1,))


def moved(lw: OnnxLowering, site: Site) -> Any:
    """An op that brings axes into another order: seen from axes of unlike lengths."""
    x = lw.tensor(site.args[0])
    sample = np.empty(tuple(range(2, x.ndim + 2)), np.int8)
    made = site.op.kernel(sample, *site.args[1:], **site.kwargs)
    return transposed(lw, x, [d - 2 for d in made.shape])


def expand_dims(lw: OnnxLowering, site: Site) -> Any:
    x = lw.tensor(site.args[0])
    axis = site.args[1] if len(site.args) > 1 else site.kwargs["axis"]
    many = axis if isinstance(axis, (tuple, list)) else (axis,)
    return lw.unsqueeze(x, *sorted(axes_of(tuple(many), x.ndim + len(many))))


def squeeze(lw: OnnxLowering, site: Site) -> Any:
    x = lw.tensor(site.args[0])
    axis = site.args[1] if len(site.args) > 1 else site.kwargs.get("axis")
    if axis is None and not x.is_static:
        lw.refuse("dimensions that only the run knows", hint="give the axis")
    axes = [i for i, d in enumerate(x.shape) if d == 1] if axis is None else axes_of(axis, x.ndim)
    return drop(lw.b, x, *axes) if axes else x


def broadcast_to(lw: OnnxLowering, site: Site) -> Any:
    x = lw.tensor(site.args[0])
    wanted = numbers_of(lw, site.args[1] if len(site.args) > 1 else site.kwargs["shape"])
    known = tuple(None if isinstance(d, T) else int(d) for d in wanted)
    return lw.b.expand(x, lw.b.vector(wanted), known)


def at_least(rank: int) -> Rule:
    def rule(lw: OnnxLowering, site: Site) -> Any:
        made = []
        for each in site.args:
            x = lw.tensor(each)
            made.append(x if x.ndim >= rank else lw.unsqueeze(x, *range(rank - x.ndim)))
        return made[0] if len(made) == 1 else made

    return rule


def concatenate(lw: OnnxLowering, site: Site) -> Any:
    axis = site.args[1] if len(site.args) > 1 else site.kwargs.get("axis", 0)
    parts = joined_parts(lw, site)
    if axis is None:
        parts, axis = [lw.b.flat(x) if x.ndim else lw.b.reshape(x, (1,)) for x in parts], 0
    axis %= parts[0].ndim
    out = [next((x.shape[i] for x in parts if x.shape[i] is not None), None)
           for i in range(parts[0].ndim)]
    lengths = [x.shape[axis] for x in parts]
    out[axis] = None if None in lengths else sum(lengths)
    return lw.b.node("Concat", parts, parts[0].dtype, tuple(out), axis=axis)


def joined_parts(lw: OnnxLowering, site: Site) -> list[T]:
    """Returns the arrays that are joined, in their common dtype."""
    given = lw.rows(site.args[0])
    dtype = common(lw, site, [lw.kind_of_value(x) for x in given])
    return [lw.tensor(x, dtype) for x in given]


def stack(lw: OnnxLowering, site: Site) -> Any:
    axis = site.args[1] if len(site.args) > 1 else site.kwargs.get("axis", 0)
    parts = joined_parts(lw, site)
    return lw.stack(parts, axis % (parts[0].ndim + 1))


# -- making arrays --------------------------------------------------------------------------------


def array(lw: OnnxLowering, site: Site) -> Any:
    """`np.array`, `np.asarray` …: numbers, arrays, and lists of them."""
    x, *rest = site.args
    wanted = rest[0] if rest else site.kwargs.get("dtype")
    dtype = np.dtype(wanted) if wanted is not None else site.dtype()
    if dtype is None and site.kinds[0] is not None:
        dtype = joined_dtype(site.kinds[0])
    made = lw.tensor(x, dtype)
    least = site.kwargs.get("ndmin", 0)
    return made if made.ndim >= least else lw.unsqueeze(made, *range(least - made.ndim))


def copied(lw: OnnxLowering, site: Site) -> Any:
    return lw.tensor(site.args[0])


def full(lw: OnnxLowering, site: Site) -> Any:
    """`np.full`, `zeros`, `ones`, `empty`: of a size that the run may know."""
    wanted = numbers_of(lw, site.args[0] if site.args else site.kwargs["shape"])
    name = site.op.name
    value = site.args[1] if name == "full" else 1 if name == "ones" else 0
    rest = site.args[2:] if name == "full" else site.args[1:]
    dtype = rest[0] if rest else site.kwargs.get("dtype")
    found = np.dtype(dtype) if dtype is not None else (
        common(lw, site, site.kinds[1:2]) if name == "full" else FLOAT64)
    known = tuple(None if isinstance(d, T) else int(d) for d in wanted)
    return lw.b.expand(lw.tensor(value, found), lw.b.vector(wanted), known)


def full_like(lw: OnnxLowering, site: Site) -> Any:
    x, *rest = site.args
    x, name = lw.tensor(x), site.op.name
    value = rest.pop(0) if name == "full_like" else 1 if name == "ones_like" else 0
    dtype = rest[0] if rest else site.kwargs.get("dtype")
    if site.kwargs.get("shape") is not None:
        lw.refuse("the argument shape")
    found = x.dtype if dtype is None else np.dtype(dtype)
    return lw.b.expand(lw.tensor(value, found), lw.b.shape_of(x), x.shape)


def arange(lw: OnnxLowering, site: Site) -> Any:
    ends = list(site.args)
    start, stop, step = (0, *ends, 1) if len(ends) == 1 else (*ends, 1)[:3]
    dtype = site.kwargs.get("dtype")
    found = np.dtype(dtype) if dtype is not None else common(lw, site, site.kinds)
    inner = found if found.str[1:] in ("i4", "i8", "f4", "f8") else np.dtype(
        np.float64 if found.kind == "f" else np.int64)
    made = lw.b.node("Range", [lw.b.reshape(lw.tensor(x, inner), ()) for x in (
        start, stop, step)], inner, (None,))
    return lw.b.cast(made, found)


def linspace(lw: OnnxLowering, site: Site) -> Any:
    given = dict(zip(("start", "stop", "num", "endpoint"), site.args, strict=False)) | site.kwargs
    if given.keys() - {"start", "stop", "num", "endpoint", "dtype"} or any(
            lw.is_symbolic(given.get(k)) for k in ("num", "endpoint")):
        lw.refuse("a number of points that only the run knows, or other arguments")
    num, endpoint = given.get("num", 50), given.get("endpoint", True)
    start, stop = (lw.tensor(given[k], FLOAT64) for k in ("start", "stop"))
    steps = np.arange(num) / max(num - 1 if endpoint else num, 1)
    steps = steps.reshape((num,) + (1,) * max(start.ndim, stop.ndim))
    last = np.zeros(steps.shape, bool)
    last[num - 1:] = endpoint and num > 1
    found = start + (stop - start) * lw.b.constant(steps)
    found = lw.b.where(lw.b.constant(last), stop, found)
    dtype = given.get("dtype")
    if dtype is None:
        dtype = site.dtype()
    if dtype is None:
        dtype = joined_dtype(float, *known_kinds(lw, site.kinds[:2]))
    return lw.b.cast(found, dtype)
