"""Looking for what only the run knows: in dicts, ranges, texts, and what is a member of them."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from autograph.runtime.export.containers import from_start, item_at
from autograph.runtime.export.joins import Rows
from autograph.runtime.export.kinds import dtype_of, is_number
from autograph.runtime.export.lowering import Lowering
from autograph.runtime.export.sites import Site
from autograph.runtime.ir.graph import leaves
from autograph.runtime.ops import OPS


def item_of(lw: Lowering, x: Any, key: Any) -> Any:
    """Returns the item of a list, tuple, dict, text or range; None for a value of another class."""
    if isinstance(x, (list, tuple)):
        return item_at(lw, x, key) if lw.is_symbolic(key) else x[key]
    if isinstance(x, str):
        return item_at(lw, list(x), key)
    if isinstance(x, dict):
        return entry(lw, x, key)
    if isinstance(x, range) and lw.is_symbolic(key):
        return lw.of_kind(_sum(lw, x.start, x.step, from_start(lw, key, len(x))), int)
    return None


def entry(lw: Lowering, x: dict[Any, Any], key: Any) -> Any:
    """Returns the entry of a dict by a key that only the run knows."""
    tests = {k: test for k in x if (test := equality(lw, key, k)) is not False}
    lw.check()  # Python raises a KeyError if it has none
    if not tests:
        lw.refuse("a key that the dict does not have")
    last, *others = reversed(tests)
    return reduce(lambda made, k: lw.selected(tests[k], x[k], made), others, x[last])


def equality(lw: Lowering, a: Any, b: Any) -> Any:
    """Returns if two keys or items are equal: a bool, or one of the target."""
    if not any(map(lw.is_symbolic, leaves((a, b)))):
        return a is b or bool(np.all(a == b))
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b) or isinstance(a, list) != isinstance(b, list):
            return False
        return reduce(lambda x, y: _both(lw, x, y), (
            equality(lw, x, y) for x, y in zip(a, b, strict=True)), True)
    if not all(lw.is_symbolic(x) or is_number(x) for x in (a, b)):
        return False
    return lw.truth(lw.apply(OPS["np.equal"], (a, b), {}))


def _both(lw: Lowering, a: Any, b: Any) -> Any:
    if a is False or b is False:
        return False
    return b if a is True else a if b is True else lw.apply(OPS["np.logical_and"], (a, b), {})


def membership(lw: Lowering, site: Site) -> Any:
    """Returns the result of `x in xs`; None if `xs` is an array."""
    x, xs = site.args
    if isinstance(xs, (list, tuple, dict, set, frozenset)):
        tests = [t for each in xs if (t := equality(lw, x, each)) is not False]
        if not tests or any(t is True for t in tests):
            return bool(tests)
        return reduce(lambda a, b: lw.apply(OPS["np.logical_or"], (a, b), {}), tests)
    if isinstance(xs, str) or (isinstance(xs, Rows) and not lw.is_symbolic(xs.item)):
        lw.refuse("a test of membership in this")
    if hasattr(xs, "start") and hasattr(xs, "step"):
        return _in_range(lw, x, xs)
    return None


def _in_range(lw: Lowering, x: Any, xs: Any) -> Any:
    kind = lw.kind_of_value(x)
    if kind is None:
        return False
    if dtype_of(kind) == np.uint64 or getattr(x, "shape", ()) != ():
        lw.refuse("an array or an uint64 as a member of a range")
    if dtype_of(kind).kind != "f":
        x = lw.integers(x)
    steps = lw.apply(OPS["np.floor_divide"], (_sum(lw, x, -1, xs.start), xs.step), {})
    count = len(xs) if isinstance(xs, range) else xs.length
    tests = (("np.equal", _sum(lw, xs.start, xs.step, steps), x),
             ("np.greater_equal", steps, 0), ("np.less", steps, count))
    return reduce(lambda a, b: _both(lw, a, b), (lw.apply(OPS[name], (a, b), {})
                                                 for name, a, b in tests))


def _sum(lw: Lowering, start: Any, step: Any, number: Any) -> Any:
    """Returns start + step * number."""
    return lw.apply(OPS["np.add"], (start, lw.apply(OPS["np.multiply"], (step, number), {})), {})


def unpacked_rest(lw: Lowering, site: Site) -> Any:
    """`a, *b, c = x`."""
    x, before, after = site.args
    items = list(lw.rows(x))
    if len(items) < before + after:
        lw.refuse(f"{len(items)} items are unpacked to more variables")
    end = len(items) - after
    return [*items[:before], items[before:end], *items[end:]]
