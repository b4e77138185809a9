"""Rules that are the same for every target: containers, checks, variables, views, `out=`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.export.lowering import ABSENT, Lowering, Site
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops import OPS, by_function
from autograph.runtime.ops.views import Step


def pack(lw: Lowering, site: Site) -> Any:
    return site.args[0]


def list_pop(lw: Lowering, site: Site) -> Any:
    items, index = list(site.args[0]), site.args[1] if len(site.args) > 1 else -1
    if lw.is_symbolic(index):
        lw.refuse("a list loses an item that only the run knows")
    return items.pop(index), items


def sum_(lw: Lowering, site: Site) -> Any:
    """Python's `sum`: an addition an item."""
    items, total = site.args[0], site.kwargs.get("start", *site.args[1:] or (0,))
    for item in items if isinstance(items, (list, tuple)) else _rows(lw, items):
        total = lw.apply(OPS["np.add"], (total, item), {})
    return total


def _rows(lw: Lowering, x: Any) -> list[Any]:
    kind = lw.kind_of_value(x)
    shape = kind.shape if isinstance(kind, ArrayType) and kind.shape else (None,)
    if not isinstance(shape[0], int) or shape[0] > LONGEST:
        lw.refuse("a long array as an iterable", hint="use NumPy's own function")
    return [lw.apply(OPS["getitem"], (x, i), {}) for i in range(shape[0])]


LONGEST = 1024
"""Arrays up to this length are gone through item by item."""


def is_none(lw: Lowering, site: Site) -> Any:
    return False


def bound(lw: Lowering, site: Site) -> Any:
    x = site.args[0]
    if type(x).__name__ == "Undefined":
        lw.check()
        return ABSENT
    return x


def raises(lw: Lowering, site: Site) -> Any:
    """An error or a check: refused, or left out."""
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
    kwargs.pop("casting", None)
    op = by_function.get(fn)
    if op is None:
        lw.refuse(f"out= of {getattr(fn, '__name__', fn)}")
    x = lw.cast(x)
    return x, lw.cast(lw.apply(op, args, kwargs, site.kinds[2:]), x.dtype), where


SHARED: dict[str, Callable[..., Any]] = {
    "pack": pack, "list_pop": list_pop, "sum_": sum_, "is_none": is_none, "bound": bound,
    "part": part, "read_variable": variable, "raise_": raises, "assert_": raises, "check_": raises,
    "check_lengths": raises, "check_unpacked": raises,
}
"""The rules by the names of ops."""
