"""Lists of which only the run knows how many items they have: an array for each leaf of the items.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.export.joins import (
    ABSENT,
    NOTHING,
    Column,
    Leaf,
    Plan,
    Rows,
    map_parts,
)
from autograph.runtime.export.kinds import dtype_of, is_number
from autograph.runtime.export.onnx.builder import INT64, Shape, T
from autograph.runtime.ir.graph import leaves
from autograph.runtime.ops.op import OPS, Op

if TYPE_CHECKING:
    from autograph.runtime.export.lowering import Rules
    from autograph.runtime.export.onnx.lowering import OnnxLowering
    from autograph.runtime.export.sites import Site

Rule = Callable[["OnnxLowering", "Site"], Any]

GETITEM = OPS["getitem"]

ITEMS = "the items of a list whose length only the run knows are"


# -- values ---------------------------------------------------------------------------------------


def count(lw: OnnxLowering, x: Rows) -> T:
    """Returns the number of items."""
    for leaf in leaves(x.item):
        return lw.b.node("Gather", [lw.b.shape_of(leaf), lw.b.constant(np.int64(0))], INT64, ())
    lw.refuse("a list of empty containers")


def of_items(lw: OnnxLowering, x: Rows, fn: Callable[[T], T]) -> Any:
    """Returns an item, with the results of `fn` for the arrays of its leaves."""
    def leaf(rows: T) -> T:
        made = fn(rows)
        if id(rows) in lw.weak:
            lw.of_kind(made, lw.weak[id(rows)][1])
        return made

    return map_parts(leaf, x.item)


def as_array(lw: OnnxLowering, xs: Column, dtype: np.dtype[Any], shape: Shape) -> T:
    """Returns one leaf of all items of a list as an array."""
    if not xs:
        return lw.b.constant(np.zeros((0, *(d or 0 for d in shape[1:])), dtype))
    return lw.stack([lw.tensor(x, dtype) for x in xs], 0)


def joined_leaf(lw: OnnxLowering, *lists: Any) -> Leaf:
    """Returns the leaf of the array that two columns become, or a column and such an array."""
    items = [x for xs in lists for x in (xs if isinstance(xs, Column) else _item(xs))]
    if not items:
        return NOTHING
    kind, shape = reduce(lambda a, b: Leaf(ABSENT, lw.common(a, b, ITEMS)), items, items[0]).form
    return Leaf(ABSENT, (kind, (None, *shape)))


def _item(rows: Leaf) -> list[Leaf]:
    """Returns the leaf of an item of an array that has a row for each."""
    return [] if rows is NOTHING else [Leaf(ABSENT, (rows.form[0], rows.form[1][1:]))]


def checked(lw: OnnxLowering, plan: Plan) -> Plan:
    """Returns a plan; refuses lists of arrays whose shapes are not known to be the same."""
    if any(leaf.form is not None and None in leaf.form[1][1:] for leaf in plan.rows):
        lw.refuse("a list of arrays whose shapes differ, or that only the run knows")
    return plan


def joined(lw: OnnxLowering, a: Any, b: Any) -> Any:
    """Returns the items of one list, and then those of another."""
    if not (isinstance(a, Rows) or isinstance(b, Rows)):
        return [*a, *b]
    for one, other in ((a, b), (b, a)):
        if isinstance(one, (list, tuple)) and not one:
            return other
    a, b = (x if isinstance(x, Rows) else list(x) for x in (a, b))
    one, other = ([lw.leaves_in(x)] for x in (a, b))
    plan = checked(lw, Plan.joined(one, other, partial(joined_leaf, lw), rows=True))
    made = []
    for (x, leaf), (y, _) in zip(plan.given(one), plan.given(other), strict=True):
        kind, shape = leaf.form
        parts = [lw.start(part, kind, shape) for part in (x, y)]
        made.append(lw.b.node("Concat", parts, dtype_of(kind), (None, *shape[1:]), axis=0))
    return lw.filled(plan, made)[0]


def sliced(lw: OnnxLowering, x: Rows, *ends: Any) -> Rows:
    """Returns `x[slice(*ends)]`."""
    return Rows([of_items(lw, x, lambda rows: lw.apply(OPS["getitem"], (rows, slice(*ends)), {}))])


def is_open_slice(lw: OnnxLowering, x: Any, index: Any) -> bool:
    """Returns True for a part of a list whose ends only the run knows."""
    return x.__class__ is list and index.__class__ is slice and any(
        map(lw.is_symbolic, leaves(index)))


def as_rows(lw: OnnxLowering, x: list[Any]) -> Any:
    """Returns a list of items that are all alike as one whose length only the run knows."""
    nest = [lw.leaves_in(x)]
    plan = checked(lw, Plan.joined(nest, [[]], lw.joined_leaf, rows=True))
    return lw.filled(plan, [lw.start(part, *leaf.form) for part, leaf in plan.given(nest)])[0]


# -- rules ----------------------------------------------------------------------------------------


def list_of(lw: OnnxLowering, site: Site) -> Any:
    made: Any = []
    for spliced, x in site.args:
        if spliced and not isinstance(x, (list, tuple, Rows)):
            x = lw.rows(x)
        made = joined(lw, made, x if spliced else [x])
    return made


def getitem(lw: OnnxLowering, site: Site) -> Any:
    x, index = site.args
    if isinstance(x, Rows) and index.__class__ is slice:
        return sliced(lw, x, index.start, index.stop, index.step)
    if not isinstance(x, Rows) or not (isinstance(index, (int, np.integer)) or (
            isinstance(index, T) and not index.ndim)):
        lw.refuse("a list whose length only the run knows, as an index")
    number = lw.integers(index)
    return of_items(lw, x, lambda rows: lw.b.node(
        "Gather", [rows, number], rows.dtype, rows.shape[1:], axis=0))


def setitem(lw: OnnxLowering, site: Site) -> Any:
    """A list after `items[index] = value`."""
    items, index, value = site.args
    if not isinstance(items, Rows) or not (isinstance(index, int) or (
            isinstance(index, T) and not index.ndim)):
        lw.refuse("a store into a list by a list, or by a slice")
    one, other = ([lw.leaves_in(x)] for x in (items, [value]))
    plan = checked(lw, Plan.joined(one, other, partial(joined_leaf, lw), rows=True))
    made = [lw.apply(OPS["setitem"], (lw.start(x, *leaf.form), index, _at(lw, lw.start(
        y, *leaf.form), 0)), {})
        for (x, leaf), (y, _) in zip(plan.given(one), plan.given(other), strict=True)]
    return lw.filled(plan, made)[0]


def contains(lw: OnnxLowering, site: Site) -> Any:
    """`x in items`"""
    x, items = site.args
    if not isinstance(items, Rows) or isinstance(x, Rows):
        lw.refuse("a list whose length only the run knows, as a member")
    tests = [lw.apply(OPS["np.equal"], (rows, part), {}) for rows, part in zip(
        _parts(lw, items.item), _parts(lw, x), strict=True)]
    return lw.apply(OPS["any"], (reduce(lambda a, b: lw.apply(
        OPS["np.logical_and"], (a, b), {}), tests),), {})


def _parts(lw: OnnxLowering, x: Any) -> list[Any]:
    """Returns the numbers of an item, or their columns; refuses what is equal in another way."""
    parts = list(x) if x.__class__ is tuple else [x]
    if not all(isinstance(p, T) or is_number(p) for p in parts):
        lw.refuse("a list of containers or texts whose length only the run knows, and its members")
    return parts


def pop(lw: OnnxLowering, site: Site) -> Any:
    items, index, *_ = *site.args, -1
    item = getitem(lw, lw.site(site, items, index))
    if not isinstance(index, T):
        rest = sliced(lw, items, None, index)
        return item, rest if index == -1 else joined(lw, rest, sliced(lw, items, index + 1, None))
    at = lw.b.where(index < 0, index + count(lw, items), index)
    return item, joined(lw, sliced(lw, items, None, at), sliced(lw, items, at + 1, None))


def picked(lw: OnnxLowering, site: Site) -> Any:
    items, order = site.args
    if not isinstance(items, Rows):
        lw.refuse("positions that are in a list whose length only the run knows")
    number = lw.tensor(order)
    return Rows([of_items(lw, items, lambda rows: lw.b.node(
        "Gather", [rows, number], rows.dtype, (None, *rows.shape[1:]), axis=0))])


def order_of_keys(lw: OnnxLowering, site: Site) -> Any:
    """Sorts by the last part of the keys first: then those with equal first parts are in order."""
    keys, reverse = site.args
    columns = [*leaves(keys.item)]
    if reverse is not False or any(x.ndim != 1 for x in columns):
        lw.refuse("a list whose length only the run knows, in falling order or by arrays")
    order: Any = None
    for x in reversed(columns):
        new = lw.apply(OPS["argsort"], (x if order is None else _at(lw, x, order),), {})
        order = new if order is None else _at(lw, order, new)
    return Rows([order])


def _at(lw: OnnxLowering, x: T, order: Any) -> Any:
    return lw.apply(OPS["getitem"], (x, order), {})


def order_after(lw: OnnxLowering, site: Site) -> Any:
    items, name, *rest = site.args
    if name != "sort" or rest or site.kwargs.get("key") is not None:
        lw.refuse(f"the method {name} of a list whose length only the run knows")
    return order_of_keys(lw, lw.site(site, items, site.kwargs.get("reverse", False)))


def sum_(lw: OnnxLowering, site: Site) -> Any:
    """Python's `sum`."""
    items, start = site.args[0], site.kwargs.get("start", *site.args[1:] or (0,))
    return lw.apply(OPS["np.add"], (start, lw.apply(OPS["sum"], (lw.tensor(items), 0), {})), {})


def extreme(name: str) -> Rule:
    """Returns the rule of Python's `min` or `max`, which passes by every NaN but the first item."""
    def rule(lw: OnnxLowering, site: Site) -> Any:
        if len(site.args) > 1 or site.kwargs:
            lw.refuse("a list whose length only the run knows, with other arguments")
        lw.check()  # of an empty list, Python raises a ValueError
        x = lw.tensor(site.args[0])
        if x.ndim != 1:
            lw.refuse("a list of arrays")
        first = _at(lw, x, 0)
        others = lw.apply(OPS[name], (x,), {})
        found = lw.apply(OPS["where"], (~first.equals(first), first, others), {})
        return lw.of_kind(found, lw.kind_of_value(x) or x.dtype)

    return rule


def unpacked_rest(lw: OnnxLowering, site: Site) -> Any:
    """`a, *b, c = x`"""
    x, before, after = site.args
    lw.check()  # of too few items, Python raises a ValueError
    at = [*range(before), slice(before, -after or None), *range(-after, 0)]
    return [getitem(lw, lw.site(site, x, k)) for k in at]


def concatenate(lw: OnnxLowering, site: Site) -> Any:
    rows = lw.tensor(site.args[0])
    if len(site.args) > 1 or site.kwargs.keys() - {"axis"} or site.kwargs.get("axis", 0) != 0 or (
            rows.ndim < 2):
        lw.refuse("a list whose length only the run knows, joined along another axis")
    return lw.b.reshape(rows, (-1, *(d or 0 for d in rows.shape[2:])))


def stack(lw: OnnxLowering, site: Site) -> Any:
    axis = site.args[1] if len(site.args) > 1 else site.kwargs.get("axis", 0)
    return lw.apply(OPS["moveaxis"], (lw.tensor(site.args[0]), 0, axis), {})


def construct(lw: OnnxLowering, site: Site) -> Any:
    cls, items = site.args
    return items if cls is list and isinstance(items, Rows) else lw.refuse(
        "a list whose length only the run knows, as something else")


LISTS: dict[str, Rule] = {
    "construct": construct, "builtins.list": lambda lw, site: site.args[0],
    "pack": lambda lw, site: site.args[0], "list_of": list_of, "getitem": getitem, "list_pop": pop,
    "setitem": setitem, "put_item": setitem, "in_": contains,
    "len_": lambda lw, site: count(lw, site.args[0]), "sum_": sum_, "concatenate": concatenate,
    "picked": picked, "autograph.runtime.heap.sorting.order_of_keys": order_of_keys,
    "autograph.runtime.ops.container_values.order_after": order_after,
    "unpacked_rest": unpacked_rest, "min_": extreme("nanmin"), "max_": extreme("nanmax"),
    "stack": stack, "truth": lambda lw, site: lw.truth(site.args[0]),
}
"""The rules of ops on lists whose length only the run knows."""


def with_lists(rules: Rules) -> Rules:
    """Returns the rules, with those for lists whose length only the run knows."""
    def find(op: Op) -> Callable[[Any, Site], Any]:
        def rule(lw: OnnxLowering, site: Site) -> Any:
            if op is GETITEM and is_open_slice(lw, *site.args):
                return getitem(lw, lw.site(site, as_rows(lw, site.args[0]), site.args[1]))
            if not any(isinstance(x, Rows) for x in leaves((site.args, site.kwargs))):
                return rules(op)(lw, site)
            known = LISTS.get(op.name)
            if known is not None:
                return known(lw, site)
            if not takes_arrays(op):
                lw.refuse("a list whose length only the run knows")
            args = [lw.tensor(x) if isinstance(x, Rows) else x for x in site.args]
            return rules(op)(lw, lw.site(site, *args))

        return rule

    return find


def takes_arrays(op: Op) -> bool:
    """Returns True for NumPy's own functions, which make an array of a list."""
    return not op.dunder and str(getattr(op.kernel, "__module__", None)).startswith("numpy")
