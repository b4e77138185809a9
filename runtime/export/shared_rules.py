"""Rules that are the same for every target: checks, variables, views, `out=`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from autograph.runtime.export.containers import CONTAINERS
from autograph.runtime.export.joins import ABSENT, is_absent
from autograph.runtime.export.kinds import COMPARISONS, Kind, dtype_of, is_number, loop_of
from autograph.runtime.export.lookups import unpacked_rest
from autograph.runtime.export.lowering import Lowering
from autograph.runtime.export.sites import Site
from autograph.runtime.export.stand_ins import tried
from autograph.runtime.ir.graph import leaves
from autograph.runtime.ops import OPS, by_function
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.views import Step


def pack(lw: Lowering, site: Site) -> Any:
    return site.args[0]


def ufunc_loop(lw: Lowering, site: Site, kinds: Sequence[Kind]) -> tuple[np.dtype[Any], ...]:
    """Returns the dtypes of the loop that a ufunc takes: of the operands, then of the results.

    Refused is what NumPy answers with an OverflowError, and a comparison that only NumPy's own loop
    makes without rounding.
    """
    ufunc: Any = site.op.ufunc
    found = loop_of(ufunc, *kinds, operator=bool(site.op.dunder))
    signed = [lw.is_symbolic(x) and dtype_of(k).kind == "i" for x, k in zip(
        site.args, kinds, strict=False)]
    if ufunc in COMPARISONS and np.uint64 in found and any(signed):
        lw.refuse("a comparison of uint64 with integers that may be negative",
                  hint="bring both to one dtype: x.astype(np.int64)")
    if ufunc is np.power and found[-1].kind in "iu" and (signed[-1] or (not lw.is_symbolic(
            site.args[1]) and np.less(site.args[1], 0).any())):
        lw.check()  # of a negative exponent, NumPy raises a ValueError
    operator = site.op.kernel is not ufunc  # NumPy has shortcuts for `**`
    if ufunc is np.power and operator and dtype_of(kinds[0]).kind == "b":
        lw.refuse("a power of bools, whose dtype follows from the exponent's value",
                  hint="bring them to a dtype: x.astype(np.int64)")
    for x, dtype in zip(site.args, found, strict=False):
        if type(x) is int and dtype.kind in "iu" and not (
                np.iinfo(dtype).min <= x <= np.iinfo(dtype).max):
            lw.refuse(f"{x} does not fit {dtype}: NumPy raises an OverflowError")
    return found


def sum_(lw: Lowering, site: Site) -> Any:
    """Python's `sum`: an addition an item."""
    items, total = site.args[0], site.kwargs.get("start", *site.args[1:] or (0,))
    for item in lw.rows(items):
        total = lw.apply(OPS["np.add"], (total, item), {})
    return total


def extreme(comparison: Op) -> Callable[[Lowering, Site], Any]:
    """Returns the rule of Python's `min` or `max`, which gives one of its items as it is, and the
    first of equals."""
    def rule(lw: Lowering, site: Site) -> Any:
        if site.kwargs:
            lw.refuse(f"the argument {', '.join(site.kwargs)}")
        several = len(site.args) > 1
        items = site.args if several else lw.rows(site.args[0])
        kinds = site.kinds if several else [lw.kind_of_value(x) for x in items]
        if any(k is None for k in kinds):
            lw.refuse("an operand is not a number or an array of numbers")
        (found, *rest), (kind, *others) = items, kinds
        for x, other in zip(rest, others, strict=True):
            test = lw.apply(OPS["truth"], [lw.apply(comparison, (x, found), {}, (other, kind))], {})
            found = _selected(lw, test, x, found)
            kind = lw.kind_of_value(found)
        return found

    return rule


def select_(lw: Lowering, site: Site) -> Any:
    test, one, other = site.args
    return _selected(lw, lw.truth(test) if lw.is_symbolic(test) else test, one, other)


def _selected(lw: Lowering, test: Any, one: Any, other: Any) -> Any:
    return lw.selected(test, one, other) if lw.is_symbolic(test) else one if test else other


def unpacked(lw: Lowering, site: Site) -> Any:
    """`a, b = x`."""
    items, count = lw.rows(site.args[0]), site.args[1]
    if len(items) != count:
        lw.refuse(f"{len(items)} items are unpacked to {count} variables")
    return items if count != 1 else items[0]


def is_none(lw: Lowering, site: Site) -> Any:
    return False


def is_same(lw: Lowering, site: Site) -> Any:
    """`x is y` of a number and what is none."""
    if all(lw.is_symbolic(x) or is_number(x) for x in site.args):
        lw.refuse("whether two numbers are one object", hint="write x == y")
    return False


def bound(lw: Lowering, site: Site) -> Any:
    x, *rest = site.args
    if is_absent(x) or (rest[1:] != [True] and lw.may_be_unbound()):
        lw.check()
    return ABSENT if is_absent(x) else x


def raises(lw: Lowering, site: Site) -> Any:
    """An error or a check: refused, or left out."""
    site.kwargs.unread.clear()  # they say how the message is written
    lw.check()
    return ABSENT


def variable(lw: Lowering, site: Site) -> Any:
    """The value that a variable has when the graph is exported."""
    return lw.cast(site.args[0].read())


def stepped(lw: Lowering, x: Any, step: Step) -> Any:
    """Returns the view that a step makes of an array."""
    op, args, kwargs = step.call()
    return lw.apply(op, (x, *args), kwargs)


def part(lw: Lowering, site: Site) -> Any:
    x, number, several = site.args
    return stepped(lw, x, several)[number]


def computed_into(lw: Lowering, site: Site) -> tuple[Any, Any, Any]:
    """Returns x, the result and the mask of `fn(…, out=x, where=…)`; the result has x's dtype."""
    x, fn, *args = site.args
    kwargs = dict(site.kwargs)
    where = kwargs.pop("where", True) if isinstance(fn, np.ufunc) else True
    casting: Any = kwargs.pop("casting", None) or "same_kind"
    op = by_function.get(fn)
    if op is None:
        lw.refuse(f"out= of {getattr(fn, '__name__', fn)}")
    x, made = lw.cast(x), lw.cast(lw.apply(op, args, kwargs, site.kinds[2:]))
    if not isinstance(fn, np.ufunc) and isinstance(
            error := tried(lw, op, args, {**kwargs, "out": x}), Exception):
        lw.refuse(f"NumPy raises {type(error).__name__}: {error}")
    if isinstance(fn, np.ufunc) and not np.can_cast(made.dtype, x.dtype, casting):
        lw.refuse(f"NumPy raises an error: {made.dtype} is not stored into {x.dtype}",
                  hint="write x = fn(x), or bring x to the other dtype first")
    return x, lw.cast(made, x.dtype), where


def refuse_read_only(lw: Lowering, x: Any, path: Sequence[Step]) -> None:
    """Refuses a store through a view that NumPy does not let anyone write, as of `np.diagonal`."""
    if any(map(lw.is_symbolic, leaves([step.call()[1:] for step in path]))):
        return
    view: Any = np.empty([2 if d is None else d for d in x.shape], lw.dtype_of(x))
    with suppress(Exception):  # what fits no such shape
        for step in path:
            view = step.of(view)
        if not view.flags.writeable:
            view = None
    if view is None:
        lw.refuse("NumPy raises a ValueError: assignment destination is read-only",
                  hint="make a copy, and write that")


def reduction_by(op: Op) -> Callable[..., Any] | None:
    """Returns the rule of a ufunc's `reduce`, which is another function of NumPy's; that reduces
    along all axes if none is given."""
    ufunc = getattr(op.kernel, "__self__", None)
    found = next((x for x in OPS.values() if x.reduction is not None and not x.reduction.mean
                  and x.reduction.ufunc is ufunc), None)
    if found is None or op.kernel.__name__ != "reduce":
        return None

    def rule(lw: Lowering, site: Site) -> Any:
        given = {"axis": 0} | dict(site.kwargs.items()) | dict(zip(
            ("axis", "dtype", "out", "keepdims", "initial", "where"), site.args[1:], strict=False))
        return lw.apply(found, site.args[:1], given)

    return rule


def of_type(lw: Lowering, site: Site) -> Any:
    """A value of which the trace knew the type."""
    return site.args[0]


def untold(lw: Lowering, site: Site) -> None:
    """Errors of floating point: no operation tells of them there."""


SHARED: dict[str, Callable[..., Any]] = {
    **CONTAINERS, "pack": pack, "sum_": sum_, "is_none": is_none, "bound": bound,
    "min_": extreme(OPS["less"]), "max_": extreme(OPS["greater"]), "select_": select_,
    "unpacked": unpacked, "unpacked_rest": unpacked_rest,
    "_operator.is_": is_same, "part": part, "read_variable": variable, "raise_": raises,
    "assert_": raises, "check_": raises,
    "check_lengths": raises, "check_unpacked": raises, "floating_point_error": untold,
    "of_type": of_type,
}
"""The rules by the names of ops."""
