"""Rules, the same for every target, for lists, tuples and dicts whose length and keys are known.

They are no arrays: a store at an index that only the run knows gives a list of which each item is
the new value or the old one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from autograph.runtime.export.joins import OneOf, Rows, key_of
from autograph.runtime.export.kinds import of_all
from autograph.runtime.export.lowering import Lowering
from autograph.runtime.export.sites import Site
from autograph.runtime.ir.graph import leaves
from autograph.runtime.ops import OPS


def list_pop(lw: Lowering, site: Site) -> Any:
    items, index = list(site.args[0]), site.args[1] if len(site.args) > 1 else -1
    if lw.is_symbolic(index):
        lw.refuse("a list loses an item that only the run knows")
    return items.pop(index), items


def construct(lw: Lowering, site: Site) -> Any:
    """`list(x)`, `tuple(x)`, `dict(x)`."""
    cls, *given = site.args
    if cls not in (list, tuple, dict) or site.kwargs:
        lw.refuse("it makes a Python object", hint="use tuples, lists, dicts or data classes")
    if not given:
        return cls()
    if cls is dict:
        return dict(_known_pairs(lw, *given))
    return given[0] if isinstance(given[0], Rows) and cls is list else cls(lw.rows(given[0]))


def of_class(cls: type) -> Callable[[Lowering, Site], Any]:
    """Returns the rule of Python's `list` or `tuple`, called as a function."""
    def rule(lw: Lowering, site: Site) -> Any:
        return construct(lw, replace(site, args=(cls, *site.args)))

    return rule


def object_of_class(lw: Lowering, site: Site) -> Any:
    """An object that Python's own functions are to compare or keep."""
    lw.refuse(f"it needs an object of class {site.args[0].__name__}, not its numbers alone",
              hint="compare, sort and keep its numbers: sorted(xs, key=lambda x: x.size)")


def _known_pairs(lw: Lowering, given: Any) -> Any:
    pairs = given.items() if isinstance(given, dict) else lw.rows(given)
    return [(_known(lw, key), x) for key, x in pairs]


def _known(lw: Lowering, key: Any) -> Any:
    if any(map(lw.is_symbolic, leaves(key))):
        lw.refuse("a dict with a key that only the run knows", hint="use an array and an index")
    return key


def put_item(lw: Lowering, site: Site) -> Any:
    """A list or dict after `items[key] = value`."""
    items, key, value = site.args
    if isinstance(items, dict):
        return items | {_known(lw, key): value}
    if items.__class__ is not list or key.__class__ is slice:
        lw.refuse("a store of several items into a list", hint="make an array of it: np.array(...)")
    if lw.is_symbolic(key):
        key = from_start(lw, key, len(items))
        return [lw.selected(_is_at(lw, key, k), value, item) for k, item in enumerate(items)]
    made = list(items)
    made[key] = value
    return made


def item_at(lw: Lowering, items: Any, index: Any) -> Any:
    """Returns the item of a list or tuple at an index that only the run knows."""
    if not len(items):
        lw.refuse("an item of an empty list")
    if items[0].__class__ in (list, tuple, dict) and len({key_of(x) for x in items}) == 1:
        return _of_columns(lw, items, index)
    kinds = [kind for x in items if (kind := lw.kind_of_value(x)) is not None]
    if any(x.__class__ in (list, tuple, dict, str, OneOf) or x is None for x in items) or (
            kinds and of_all(kinds) is None):
        index = from_start(lw, index, len(items))
        last, *others = reversed([*enumerate(items)])
        return reduce(lambda made, each: lw.selected(
            _is_at(lw, index, each[0]), each[1], made), others, last[1])
    array = lw.cast(items)
    return lw.of_kind(lw.apply(OPS["getitem"], (array, index), {}), lw.of_paths(*kinds))


def _of_columns(lw: Lowering, items: Any, index: Any) -> Any:
    """Returns the item of a list of containers that are all alike, part by part."""
    first = items[0]
    if first.__class__ is dict:
        return {key: item_at(lw, [x[key] for x in items], index) for key in first}
    return first.__class__(item_at(lw, column, index) for column in zip(*items, strict=True))


def picked(lw: Lowering, site: Site) -> Any:
    """The items of these numbers, in that order."""
    items, order = map(lw.rows, site.args)
    return [item_at(lw, items, i) if lw.is_symbolic(i) else items[i] for i in order]


def from_start(lw: Lowering, index: Any, length: int) -> Any:
    """Returns an index that counts from the start: an element of the indices, so that one that is
    out of range meets what an array has for that."""
    return lw.apply(OPS["getitem"], (np.arange(length), lw.integers(index)), {})


def _is_at(lw: Lowering, index: Any, number: int) -> Any:
    return lw.apply(OPS["np.equal"], (index, number), {})


def without_item(lw: Lowering, site: Site) -> Any:
    items, key = site.args
    return {k: x for k, x in items.items() if k != _known(lw, key)}


def keys_of(lw: Lowering, site: Site) -> Any:
    return list(site.args[0])


def entries(lw: Lowering, site: Site) -> Any:
    items, pairs = site.args
    return list(items.items()) if pairs else list(items.values())


def number_only(lw: Lowering, site: Site) -> Any:
    """A number that `x += y` changes, which is no object that others know."""
    x = site.args[0]
    kind = lw.kind_of_value(x)
    shape = getattr(x, "shape", None if lw.is_symbolic(x) else ())
    if kind is None or x.__class__ in (list, tuple) or shape != ():
        lw.refuse("an array or list in a container is changed in place",
                  hint="write x = x + y in place of x += y")
    return lw.of_kind(x, kind)


def check_size(lw: Lowering, site: Site) -> Any:
    x, size = site.args
    if len(x) != size:
        lw.check()


CONTAINERS: dict[str, Callable[..., Any]] = {
    "list_pop": list_pop, "construct": construct, "put_item": put_item,
    "builtins.list": of_class(list), "builtins.tuple": of_class(tuple),
    "autograph.runtime.heap.objects.build": object_of_class,
    "without_item": without_item, "keys_of": keys_of, "entries": entries,
    "number_only": number_only, "picked": picked, "check_size": check_size,
}
"""The rules by the names of ops."""
