"""Adjoints of indexing: reads and stores of elements cost what the element costs."""

from __future__ import annotations

from typing import Any

from autograph.runtime.differentiate.cotangents import (
    Box,
    as_tensor,
    is_array_like,
    writable,
    zeros_for,
)
from autograph.runtime.differentiate.joined import cotangents_of_parts
from autograph.runtime.differentiate.refusals import refuse
from autograph.runtime.differentiate.reverse import Sweep, adjoint_of, operands_of
from autograph.runtime.ir.graph import Equation, Value, map_leaves
from autograph.runtime.ir.types import DYNAMIC, ArrayType, is_number
from autograph.runtime.ops.indexing import GETITEM, SETITEM, is_basic_index
from autograph.runtime.ops.python import SELECT
from autograph.runtime.ops.views import PART, UPDATE_VIEW, Output
from autograph.runtime.symbolic.tensor import apply


def is_basic(index: Any) -> bool:
    """Returns True if an index certainly makes a view."""
    return is_basic_index(map_leaves(lambda x: x.type if isinstance(x, Value) else x, index)
                          ) is True


@adjoint_of(GETITEM)
def getitem(sweep: Sweep, e: Equation) -> None:
    """`x_bar[i] += g`, on the cotangent that is there."""
    x, index = e.args
    (g,) = sweep.taken(e)
    if not isinstance(x, Value):
        if isinstance(x, (tuple, list, dict)):
            _item_of_nest(sweep, e, x, g)
        elif sweep.wants(index):
            cotangents_of_parts(sweep, e, g)
        return
    if x not in sweep.cotangents.active:
        return
    if is_number(x.type):  # by None or …: an array of one element
        sweep.cotangents.add(x, g)
        return
    if (back := way_back(index)) is not None and is_array_like(x.type):
        sweep.cotangents.add(x, apply("getitem", g, back) if back else g, fits=True)
        return
    at, box = operands_of(index), box_of(x, index)
    if not is_array_like(x.type):
        made = apply("add_kept", sweep.cotangents.of(x), at, g)
        sweep.cotangents.add(x, made, True, fits=True)
        return
    is_zero = x not in sweep.cotangents or sweep.cotangents.is_zero(x, box)
    old = writable(sweep.cotangents.of(x))
    if not is_basic(index):
        made = apply("add_at", old, at, g)
    else:
        made = apply("setitem", old, at, g if is_zero else apply("getitem", old, at) + g)
    sweep.cotangents.store(x, old, as_tensor(made), box if is_zero else None)


def way_back(index: Any) -> tuple[Any, ...] | None:
    """Returns the index that undoes one which takes each element once, such as `x[:, None]`; None
    for others."""
    parts = index if type(index) is tuple else (index,)
    back = {type(None): 0, type(Ellipsis): Ellipsis}
    found = [part if type(part) is slice else back.get(type(part)) for part in parts]
    is_full = [part is not None and (type(part) is not slice or (
        part.start is None and part.stop is None and part.step in (None, -1))) for part in found]
    return tuple(found) if all(is_full) else None


def box_of(x: Value, index: Any) -> Box | None:
    """Returns the part of an array that a constant index picks; None if that is not known."""
    shape = x.type.shape if isinstance(x.type, ArrayType) and x.type.is_static else None
    parts = index if type(index) is tuple else (index,)
    if shape is None or len(parts) > len(shape):
        return None
    found = []
    for part, n in zip((*parts, *[slice(None)] * (len(shape) - len(parts))), shape, strict=True):
        ends = [x for x in (part.start, part.stop, part.step) if x is not None] if type(
            part) is slice else [part]
        if not isinstance(n, int) or not all(type(e) is int for e in ends):
            return None
        start, stop, step = part.indices(n) if type(part) is slice else (part % n, part % n + 1, 1)
        if step != 1:
            return None
        found.append((start, max(start, stop)))
    return tuple(found)


def _item_of_nest(sweep: Sweep, e: Equation, nest: Any, g: Any) -> None:
    index = operands_of(e.args[1])
    keyed = isinstance(nest, dict)
    asked = index if keyed else apply("mod", index, len(nest))
    for k, x in nest.items() if keyed else enumerate(nest):
        if isinstance(x, Value):
            if x in sweep.cotangents.active:
                chosen = apply("equal", asked, k)
                sweep.cotangents.add(x, apply("select_", chosen, g, zeros_for(x)), True)
        elif sweep.wants(x):
            refuse(e, "a container is chosen from another one by a key that only the run knows")


@adjoint_of(SETITEM)
def setitem(sweep: Sweep, e: Equation) -> None:
    """The value's cotangent is what stands at the index; the array's is zero there."""
    x, index, value = e.args
    (g,) = sweep.taken(e)
    at = operands_of(index)
    if isinstance(x, Value) and not is_array_like(x.type):
        _set_unknown(sweep, e, g)
        return
    if _stores_what_is_there(sweep, e):
        sweep.cotangents.add(x, g, sweep.is_padded(e))
        return
    if sweep.wants(value):
        if not is_basic(index) and not _is_mask(index):
            g_value = _last_written(g, at)
        else:
            g_value = apply("getitem", g, at)
        if isinstance(value, (list, tuple)):
            stored = apply("array", operands_of(value))
            sweep.cotangents.add_nest(value, apply("sum_to", g_value, stored), True)
        else:
            sweep.cotangents.add(value, g_value)
    if isinstance(x, Value) and x in sweep.cotangents.active:
        sweep.cotangents.add(x, apply("setitem", writable(as_tensor(g)), at, 0.0), True)


def _stores_what_is_there(sweep: Sweep, e: Equation) -> bool:
    """Returns True for `x[i] = x[i]`: what follows `x[i] += v` in Python, after the update."""
    x, index, value = e.args
    read = sweep.maker(value)
    return read is not None and read.op is GETITEM and read.args[0] is x and (
        same(read.args[1], index))


def same(a: Any, b: Any) -> bool:
    """Returns True if two indices are certainly equal: the same values, slices of them, or ints."""
    if type(a) is slice and type(b) is slice:
        return all(same(*ends) for ends in ((a.start, b.start), (a.stop, b.stop), (a.step, b.step)))
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(map(same, a, b))
    return a is b or (type(a) is int and type(b) is int and a == b)


def _set_unknown(sweep: Sweep, e: Equation, g: Any) -> None:
    """The same for a list, or for an array of which nothing is known."""
    x, index, value = e.args
    at = operands_of(index)
    if not is_basic(index) and isinstance(index, (list, Value)) and not is_number(
            getattr(index, "type", DYNAMIC)):
        refuse(e, "an array of which nothing is known is stored into by an array of indices")
    if sweep.wants(value):
        if not isinstance(value, Value) and not _is_integer(index):
            refuse(e, "a list is stored; make an array of it, np.array(…)")
        sweep.cotangents.add_item(value, g, at)
    sweep.cotangents.add(x, apply("cleared", g, at), True, fits=True)


def _is_integer(index: Any) -> bool:
    return type(index) is int or (
        isinstance(index, Value) and is_number(index.type))


def _is_mask(index: Any) -> bool:
    t = index.type if isinstance(index, Value) else None
    dtype = getattr(t, "dtype", None) if t is not None else getattr(index, "dtype", None)
    return dtype is not None and dtype.kind == "b"


def _last_written(g: Any, at: Any) -> Any:
    """Returns the cotangents of stored elements; of an element, the last store wins."""
    order = apply("arange", apply("size", apply("getitem", g, at)))
    shaped = apply("reshape", order, apply("shape", apply("getitem", g, at)))
    locations = apply("setitem", apply("zeros_like", g, int), at, shaped)
    won = apply("equal", apply("getitem", locations, at), shaped)
    return apply("where", won, apply("getitem", g, at), 0.0)


@adjoint_of(UPDATE_VIEW)
def update_view(sweep: Sweep, e: Equation) -> None:
    """The same through a path of views, which are taken of the conjugate: the imaginary part of a
    cotangent has the other sign."""
    x, index, value, path = e.args
    (g,) = sweep.taken(e)
    steps = operands_of(path)
    if any(step.call()[0].unwritable for step in steps if not isinstance(step, Output)) or any(
            step.several.op.unwritable for step in steps if isinstance(step, Output)):
        refuse(e, "a store into a view that has one number at several places")
    if sweep.wants(value):
        view: Any = as_tensor(g).conj()
        for step in steps:
            op, args, kwargs = step.call()
            view = apply(op, view, *args, **kwargs)
        sweep.cotangents.add(value, apply("getitem", view, operands_of(index)).conj())
    if isinstance(x, Value) and x in sweep.cotangents.active:
        sweep.cotangents.add(x, apply("update_view", g, operands_of(index), 0.0, steps), True)


@adjoint_of(PART)
def part(sweep: Sweep, e: Equation) -> None:
    """A piece of a view op that gives several: stored into zeros."""
    x, number, several = e.args
    (g,) = sweep.taken(e)
    if isinstance(x, Value) and x in sweep.cotangents.active:
        fresh = x not in sweep.cotangents
        old = sweep.cotangents.of(x)
        made = apply("update_view", old, Ellipsis, g if fresh else apply(
            "part", old, number, operands_of(several)) + g, (
            Output(number, operands_of(several)),))
        sweep.cotangents.add(x, made, True)


@adjoint_of(SELECT)
def select(sweep: Sweep, e: Equation) -> None:
    """`a if test else b`: the cotangent goes to the chosen one."""
    test, a, b = e.args
    (g,) = sweep.taken(e)
    for x, sides in ((a, (g, None)), (b, (None, g))):
        if isinstance(x, Value) and x in sweep.cotangents.active:
            zero = zeros_for(x)
            first, second = (zero if s is None else s for s in sides)
            sweep.cotangents.add(x, apply("select_", operands_of(test), first, second), True)
