"""Sorting lists by keys that only the run knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph.runtime.ir.errors import SymbolicValueError, at
from autograph.runtime.ops import pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import apply


def in_order(items: Any, keys: Any, reverse: Any = False) -> list[Any]:
    """Returns the items in the order of their keys; those of equal keys stay in their order."""
    items = list(items)
    return [items[i] for i in order_of_keys(keys, reverse)]


def order_of_keys(keys: Any, reverse: Any = False) -> list[int]:
    """Returns which key is where when they are sorted; equal ones stay in their order.

    >>> order_of_keys([3, 1, 2])
    [1, 2, 0]
    """
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def first_best(items: Any, least: bool) -> int:
    """Returns which item is the least, or the greatest; the first one of equal ones.

    >>> first_best([3, 1, 1], True), first_best([3, 1, 3], False)
    (1, 0)
    """
    return (min if least else max)(range(len(items)), key=items.__getitem__)


def check_compared(items: Any) -> None:
    """Refuses to choose among containers, which others may know, by values that only the run knows,
    unless they are objects of the graph.

    items: a list, or a tuple of arguments.

    Raises:
      SymbolicValueError: there are containers among the items.
    """
    here = trace.current_region()
    held = [*_containers(items)] if isinstance(items, (list, tuple)) else []
    if here is not None and held:
        why = "is compared with others, and holds values that are known only when the graph runs"
        for x in [items] if isinstance(items, list) else held:
            here.trace.want(x, why)
        raise SymbolicValueError(f"a container {why}{at(user_location())}\n"
                                 "  hint: make it in the function, or compare indices")


def _containers(items: Any) -> Iterator[Any]:
    """Yields the containers in a list or tuple, and in tuples in it."""
    for x in list.__iter__(items) if isinstance(items, list) else items:
        if is_plain_container(x):
            yield x
        elif type(x) is tuple:
            yield from _containers(x)


def sorted_items(items: Any, keys: Any, reverse: Any = False) -> Any:
    """Returns the items in the order of their keys, a symbolic list.

    Raises:
      SymbolicValueError: there are containers among them, which have to be objects of the graph.
    """
    check_compared(items)
    return apply("picked", items, apply(pure(order_of_keys), keys, reverse))
