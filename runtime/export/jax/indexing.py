"""Indexing and stores in JAX: a store gives a new array, as it does in the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.export.containers import put_item
from autograph.runtime.export.decomposed import by_parts
from autograph.runtime.export.jax.lowering import JaxLowering, Masked
from autograph.runtime.export.jax.raised import check_parts, check_positions
from autograph.runtime.export.lookups import item_of
from autograph.runtime.export.lowering import is_everything
from autograph.runtime.export.shared_rules import computed_into, refuse_read_only, stepped
from autograph.runtime.export.sites import Site
from autograph.runtime.export.stand_ins import index_error
from autograph.runtime.ir.graph import leaves, map_leaves
from autograph.runtime.ops import by_function
from autograph.runtime.ops.views import Item

SHAPES_KNOWN = "JAX's arrays have shapes that are known before the program runs"


def index_of(lw: JaxLowering, index: Any) -> Any:
    """Returns an index that JAX takes: lists as arrays, numbers as they are."""
    if isinstance(index, tuple):
        return tuple(index_of(lw, i) for i in index)
    if isinstance(index, slice):
        if any(lw.is_symbolic(x) for x in (index.start, index.stop, index.step)):
            lw.refuse(f"a slice with ends that only the run knows: {SHAPES_KNOWN}",
                      hint="select with np.where, or loop over the elements")
        return index
    if isinstance(index, list):
        return lw.array(index) if any(map(lw.is_symbolic, index)) else np.asarray(
            index, None if index else int)
    if isinstance(index, Masked):
        lw.refuse("an index that a mask selected")
    return index


def symbolic_mask(lw: JaxLowering, index: Any) -> bool:
    """Returns True if the index is one mask that only the run knows."""
    return lw.is_symbolic(index) and not isinstance(index, Masked) and index.dtype == bool


def check_index(lw: JaxLowering, x: Any, index: Any) -> None:
    """Refuses an index for which NumPy raises an error whatever its symbolic parts hold, and looks
    for one that is raised for what they hold: JAX takes
    the nearest element, and broadcasts masks."""
    if any(isinstance(part, Masked) for part in leaves(index)):
        return
    error = index_error(lw, x.shape, index)
    if error is not None:
        lw.refuse(f"NumPy raises IndexError: {error}")
    check_parts(lw, x.shape, index)


def getitem(lw: JaxLowering, site: Site) -> Any:
    x, index = site.args
    return lw.typed(site, item(lw, x, index))


def item(lw: JaxLowering, x: Any, index: Any) -> Any:
    """Returns `x[index]`."""
    if isinstance(x, Masked):
        if is_everything(index):
            return x
        lw.refuse(f"an element of what a mask selected: {SHAPES_KNOWN}")
    if isinstance(x, (list, tuple, dict, str, range)):
        return item_of(lw, x, index)
    x = lw.array(x)
    check_index(lw, x, index)
    if symbolic_mask(lw, index):
        if index.ndim == 0:
            lw.refuse(f"a bool as an index: {SHAPES_KNOWN}")
        return Masked(x, index)
    index = index_of(lw, index)
    masks = [i for i in (index if isinstance(index, tuple) else (index,)) if symbolic_mask(lw, i)]
    if masks:
        lw.refuse(f"a mask beside other indices: {SHAPES_KNOWN}", hint="use np.where")
    return x[index]


def setitem(lw: JaxLowering, site: Site) -> Any:
    return put_item(lw, site) if site.args[0].__class__ is list else stored(lw, *site.args)


def stored(lw: JaxLowering, x: Any, index: Any, value: Any) -> Any:
    """Returns the array after `x[index] = value`."""
    if isinstance(x, Masked):
        if is_everything(index):
            value = lw.array(value, x.dtype)
            if isinstance(value, Masked) and value.mask is x.mask:
                return value
            if not isinstance(value, Masked) and not value.ndim:
                return Masked(lw.jnp.broadcast_to(value, x.array.shape), x.mask)
        lw.refuse(f"a store into what a mask selected: {SHAPES_KNOWN}")
    x = lw.array(x)
    value = lw.array(value, x.dtype)
    check_index(lw, x, index)
    if symbolic_mask(lw, index):
        return stored_by_mask(lw, x, index, value)
    if isinstance(value, Masked):
        lw.refuse("a store of what another mask selected")
    index = index_of(lw, index)
    if any(symbolic_mask(lw, i) for i in (index if isinstance(index, tuple) else (index,))):
        lw.refuse("a mask beside other indices", hint="use np.where")
    shape = lw.jax.eval_shape(lambda a: a[index], x).shape
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    return x.at[index].set(lw.jnp.broadcast_to(value, shape))


def stored_by_mask(lw: JaxLowering, x: Any, mask: Any, value: Any) -> Any:
    """Returns the array after `x[mask] = value`."""
    if isinstance(value, Masked):
        if value.mask is not mask:
            lw.refuse("a store of what another mask selected")
        value = value.array
    elif value.ndim > x.ndim - mask.ndim and value.size != 1:
        lw.refuse(f"as many values as a mask selects: {SHAPES_KNOWN}", hint="use np.where")
    elif value.size == 1:
        value = value.reshape(())
    return lw.jnp.where(mask.reshape(mask.shape + (1,) * (x.ndim - mask.ndim)), value, x)


# -- stores through views, and by functions -------------------------------------------------------


def update_view(lw: JaxLowering, site: Site) -> Any:
    """The positions that the view has in the array are found by making the view of positions."""
    x, index, value, path = site.args
    x = lw.array(x)
    refuse_read_only(lw, x, path)
    if len(path) == 1 and isinstance(path[0], Item) and is_everything(index):
        return stored(lw, x, path[0].index, value)
    positions: Any = np.arange(x.size).reshape(x.shape)
    if is_complex := x.dtype.kind == "c":  # each position has its two parts
        positions = 2 * positions + 1j * (2 * positions + 1)
    for step in path:
        positions = stepped(lw, positions, step)
    positions = item(lw, positions, index) if lw.is_symbolic(positions) or any(
        map(lw.is_symbolic, leaves_of(index))) else positions[index]
    if isinstance(positions, Masked):
        lw.refuse("a store through a view, by a mask")
    if is_complex and positions.dtype.kind != "c":
        parts = lw.jnp.stack([x.real, x.imag], axis=-1)
        parts = stored_at(lw, parts, positions.astype(int), value)
        return lw.jax.lax.complex(parts[..., 0], parts[..., 1])
    return stored_at(lw, x, (positions.real // 2).astype(int) if is_complex else positions, value)


def stored_at(lw: JaxLowering, x: Any, positions: Any, value: Any) -> Any:
    """Returns the array after a store at positions of its elements in order."""
    value = lw.array(value, x.dtype)
    if isinstance(value, Masked):
        lw.refuse("a store through a view, by a mask")
    shape = np.shape(positions)
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    return x.ravel().at[positions].set(lw.jnp.broadcast_to(value, shape)).reshape(x.shape)


def leaves_of(nest: Any) -> list[Any]:
    """Returns the leaves of a nest."""
    found: list[Any] = []
    map_leaves(found.append, nest)
    return found


def stored_into(lw: JaxLowering, site: Site) -> Any:
    """`fn(…, out=x)`: the result, cast to the dtype of x, where the mask says so."""
    x, result, where = computed_into(lw, site)
    result = lw.jnp.broadcast_to(result, x.shape)
    return result if where is True else lw.jnp.where(lw.array(where), result, x)


def stored_into_several(lw: JaxLowering, site: Site) -> Any:
    xs, fn, *args = site.args
    op = by_function.get(fn)
    if op is None or site.kwargs:
        lw.refuse(f"out= of {getattr(fn, '__name__', fn)}")
    results = lw.apply(op, args, {}, site.kinds[2:])
    return [r if x is None else lw.jnp.broadcast_to(lw.array(r, lw.array(x).dtype), np.shape(x))
            for x, r in zip(xs, results, strict=True)]


def stored_by(lw: JaxLowering, site: Site) -> Any:
    """A function that changes its first argument."""
    x, fn, *args = site.args
    x = lw.array(x)
    ufunc = getattr(fn, "__self__", None)
    if isinstance(ufunc, np.ufunc) and ufunc in AT and fn.__name__ == "at":
        return ufunc_at(lw, x, ufunc, args)
    rule = CHANGES.get(getattr(fn, "__name__", ""))
    if rule is None:
        return decomposed(lw, site)
    return lw.array(rule(lw, x, *args, **site.kwargs), x.dtype)


def decomposed(lw: JaxLowering, site: Site) -> Any:
    """A function that changes its first argument, by its parts."""
    rule = by_parts(site.op)
    assert rule is not None
    return rule(lw, site)


def ufunc_at(lw: JaxLowering, x: Any, ufunc: np.ufunc, args: list[Any]) -> Any:
    """`ufunc.at(x, indices, values)`: indices that occur twice count twice."""
    value = lw.array(args[1], x.dtype)
    if ufunc is np.subtract:
        value = -value
    check_index(lw, x, args[0])
    return getattr(x.at[index_of(lw, args[0])], AT[ufunc])(value)


AT: dict[Any, str] = {np.add: "add", np.subtract: "add", np.multiply: "multiply", np.maximum: "max",
      np.minimum: "min"}
"""JAX's updates for a ufunc's `at`."""


def _copyto(lw: JaxLowering, x: Any, value: Any, casting: str = "", where: Any = True) -> Any:
    new = lw.jnp.broadcast_to(lw.array(value, x.dtype), x.shape)
    return new if where is True else lw.jnp.where(lw.array(where), new, x)


def _diagonal(lw: JaxLowering, x: Any, value: Any, wrap: bool = False) -> Any:
    return lw.jnp.fill_diagonal(x, lw.array(value, x.dtype), wrap=wrap, inplace=False)


def _sorted(lw: JaxLowering, x: Any, axis: int = -1, kind: Any = None) -> Any:
    return lw.jnp.sort(x, axis)


def _filled(lw: JaxLowering, x: Any, value: Any) -> Any:
    return lw.jnp.broadcast_to(lw.array(value, x.dtype), x.shape)


def _put_along(lw: JaxLowering, x: Any, index: Any, values: Any, axis: Any) -> Any:
    index = lw.array(index)
    check_positions(lw, index, x.size if axis is None else x.shape[axis], axis or 0)
    return lw.jnp.put_along_axis(x, index, lw.array(values, x.dtype), axis,
                                 inplace=False)


CHANGES: dict[str, Callable[..., Any]] = {
    "copyto": _copyto, "sort": _sorted,
    "fill_diagonal": _diagonal, "fill": _filled, "put_along_axis": _put_along,
}
"""Functions and methods that change their first argument, by name."""

INDEXING: dict[str, Callable[[JaxLowering, Site], Any]] = {
    "getitem": getitem, "setitem": setitem, "update_view": update_view,
    "stored_into": stored_into, "stored_by": stored_by, "stored_into_several": stored_into_several,
}
"""The rules of this module by the op's name."""
