"""Iterators that a run makes in place of those that a function returns, each of the same class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import (
    accumulate,
    chain,
    compress,
    dropwhile,
    filterfalse,
    islice,
    pairwise,
    repeat,
    starmap,
    takewhile,
    zip_longest,
)
from types import GeneratorType
from typing import Any

from autograph.runtime.heap.iterators import Cursor
from autograph.runtime.ir.errors import TracingError


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


def as_reversed(items: list[Any]) -> Iterator[Any]:
    """Returns what `reversed` makes of a list."""
    backwards = items[::-1]
    made: Iterator[Any] = reversed(backwards)
    return made


def as_reversed_tuple(items: list[Any]) -> Iterator[Any]:
    """Returns what `reversed` makes of a tuple, an array or an object of a user's class."""
    made: Iterator[Any] = reversed(tuple(items[::-1]))
    return made


def as_repeat(items: list[Any]) -> Iterator[Any]:
    """Returns a `repeat` of the item, which is the same each time."""
    return repeat(items[0] if items else None, len(items))


def as_compress(items: Iterable[Any]) -> Iterator[Any]:
    """Returns a `compress` of the items."""
    return compress(items, repeat(True))


def as_islice(items: Iterable[Any]) -> Iterator[Any]:
    """Returns an `islice` of the items."""
    return islice(items, None)


def as_takewhile(items: Iterable[Any]) -> Iterator[Any]:
    """Returns a `takewhile` of the items."""
    return takewhile(lambda _: True, items)


def as_dropwhile(items: Iterable[Any]) -> Iterator[Any]:
    """Returns a `dropwhile` of the items."""
    return dropwhile(lambda _: False, items)


def as_filterfalse(items: Iterable[Any]) -> Iterator[Any]:
    """Returns a `filterfalse` of the items."""
    return filterfalse(lambda _: False, items)


def as_starmap(items: Iterable[Any]) -> Iterator[Any]:
    """Returns a `starmap` that gives the items."""
    return starmap(_same, ((x,) for x in items))


def as_accumulate(items: Iterable[Any]) -> Iterator[Any]:
    """Returns an `accumulate` that gives the items."""
    return accumulate(items, lambda _, x: x)


def as_zip_longest(items: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Returns a `zip_longest` of the columns of which the items are the rows."""
    return zip_longest(*zip(*items, strict=True))


def as_pairwise(items: list[tuple[Any, Any]]) -> Iterator[Any]:
    """Returns a `pairwise` that gives these pairs.

    >>> list(as_pairwise([(1, 2), (2, 3)]))
    [(1, 2), (2, 3)]
    """
    return pairwise([*items[0][:1], *(x for _, x in items)] if items else [])


MAKERS: dict[Any, Callable[[Any], Iterator[Any]]] = {
    GeneratorType: as_generator, map: as_map, filter: as_filter, zip: as_zip,
    enumerate: as_enumerate, type(reversed([])): as_reversed, reversed: as_reversed_tuple,
    chain: chain, repeat: as_repeat, compress: as_compress, islice: as_islice,
    takewhile: as_takewhile, dropwhile: as_dropwhile, filterfalse: as_filterfalse,
    starmap: as_starmap, accumulate: as_accumulate, zip_longest: as_zip_longest,
    pairwise: as_pairwise}
"""Class of an iterator -> what makes one of a list of its items."""


def maker_of(x: Any) -> Callable[[Any], Iterator[Any]]:
    """Returns what makes an iterator like this one of a list of its items.

    Raises:
      TracingError: nothing does: a `product` or `permutations` has no state but its beginning.
    """
    inner = x.iterator if isinstance(x, Cursor) else x
    kind = getattr(inner, "kind", type(inner))
    made: Callable[[Any], Iterator[Any]] = MAKERS.get(kind, iter)
    if made is iter and getattr(kind, "__module__", "") == "itertools":
        raise TracingError(f"an iterator of the class {kind.__name__} leaves the function, and the "
                           "run cannot make one\n  hint: return a list of its items")
    return made
