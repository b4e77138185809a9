"""The functions of `heapq` and `bisect` in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Key = Callable[[Any], Any] | None


def _rise(heap: list[Any], start: int, at: int) -> None:
    """Moves the item at a position up, past greater ones."""
    item = heap[at]
    while at > start:
        above = (at - 1) >> 1
        parent = heap[above]
        if not item < parent:
            break
        heap[at] = parent
        at = above
    heap[at] = item


def _sink(heap: list[Any], at: int) -> None:
    """Moves the item at a position to a leaf, the smaller children up, and from there to its
    place: fewer comparisons than on the way down."""
    end, start, item = len(heap), at, heap[at]
    below = 2 * at + 1
    while below < end:
        if below + 1 < end and not heap[below] < heap[below + 1]:
            below += 1
        heap[at] = heap[below]
        at = below
        below = 2 * at + 1
    heap[at] = item
    _rise(heap, start, at)


def heapify(heap: list[Any]) -> None:
    for at in reversed(range(len(heap) // 2)):
        _sink(heap, at)


def heappush(heap: list[Any], item: Any) -> None:
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap: list[Any]) -> Any:
    last = heap.pop()
    if not heap:
        return last
    least = heap[0]
    heap[0] = last
    _sink(heap, 0)
    return least


def heapreplace(heap: list[Any], item: Any) -> Any:
    least = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return least


def heappushpop(heap: list[Any], item: Any) -> Any:
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _sink(heap, 0)
    return item


def nlargest(n: int, iterable: Iterable[Any], key: Key = None) -> list[Any]:
    return sorted(iterable, key=key, reverse=True)[:max(n, 0)]


def nsmallest(n: int, iterable: Iterable[Any], key: Key = None) -> list[Any]:
    return sorted(iterable, key=key)[:max(n, 0)]


def _first(a: Any, lo: int, hi: int | None, key: Key, is_after: Callable[[Any], Any]) -> int:
    """Returns the first position of a part of a sorted list whose key is after what is searched."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if is_after(a[middle] if key is None else key(a[middle])):
            hi = middle
        else:
            lo = middle + 1
    return lo


def bisect_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Key = None) -> int:
    return _first(a, lo, hi, key, lambda found: not found < x)


def bisect_right(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Key = None) -> int:
    return _first(a, lo, hi, key, lambda found: x < found)


def insort_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Key = None) -> None:
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Key = None) -> None:
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)
