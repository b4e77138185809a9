"""Iterators that a run makes in place of those that a function returns, each of the same class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import GeneratorType
from typing import Any

from autograph.runtime.heap.iterators import Cursor


def as_generator(items: Iterable[Any]) -> Iterator[Any]:
    """Yields the items."""
    yield from items


def as_map(items: Iterable[Any]) -> Iterator[Any]:
    """Returns a `map` of the items."""
    return map(_same, items)


def _same(x: Any) -> Any:
    return x


def as_filter(items: Iterable[Any]) -> Iterator[Any]:
    """Returns a `filter` of the items."""
    return filter(lambda _: True, items)


def as_zip(items: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Returns a `zip` of the columns of which the items are the rows.

    >>> list(as_zip([(1, 2), (3, 4)]))
    [(1, 2), (3, 4)]
    """
    return zip(*zip(*items, strict=True), strict=False)


def as_enumerate(items: list[tuple[int, Any]]) -> Iterator[Any]:
    """Returns an `enumerate` with these numbers and items.

    >>> list(as_enumerate([(3, "a"), (4, "b")]))
    [(3, 'a'), (4, 'b')]
    """
    return enumerate([x for _, x in items], items[0][0] if items else 0)


MAKERS: dict[Any, Callable[[Any], Iterator[Any]]] = {
    GeneratorType: as_generator, map: as_map, filter: as_filter, zip: as_zip,
    enumerate: as_enumerate}
"""Class of an iterator -> what makes one of a list of its items."""


def maker_of(x: Any) -> Callable[[Any], Iterator[Any]]:
    """Returns what makes an iterator like this one of a list of its items."""
    inner = x.iterator if isinstance(x, Cursor) else x
    return MAKERS.get(getattr(inner, "kind", type(inner)), iter)
