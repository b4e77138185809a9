"""The iterators of `itertools` where a function is traced: what a symbolic value may end or skip.

Those that are not here are Python's own: they only hand on what they are given.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from functools import reduce, wraps
from typing import Any

import numpy as np

from autograph.extension_points import POINTS
from autograph.operators import builtins as operators
from autograph.operators.checks import getitem
from autograph.operators.control_flow import cond
from autograph.operators.logical import and_, not_
from autograph.runtime.heap.iterators import EndlessCursor, TracedState, read_by_cursor
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor
from autograph.staging.combinatorics import COMBINATORIC
from autograph.staging.generators import Generated, Items, Stepped, is_symbolic
from autograph.staging.iterables import can_unroll, items_of, length_of, zip_

Fn = Callable[..., Any]


def _count(start: Any = 0, step: Any = 1) -> Any:
    if type(start) is int and type(step) is int:
        return EndlessCursor(lambda i: start + i * step)
    held = TracedState(start)

    def following(_: Any) -> Any:
        value = held.values
        held.values = value + step  # one after the other, as Python rounds them
        return value

    return EndlessCursor(following)


def _cycle(iterable: Any) -> Any:
    if isinstance(iterable, Tensor):
        length = length_of(iterable)
        items = iterable.copy() if iterable.ndim == 1 else iterable  # rows are views
    elif isinstance(iterable, (list, tuple, range, str, np.ndarray)):
        length, items = len(iterable), tuple(iterable)
    else:
        return NotImplemented
    if type(length) is not int or not length:
        return NotImplemented
    return EndlessCursor(lambda i: getitem(items, i % length))


def _repeat(object: Any, times: Any = None) -> Any:
    if times is None:
        return EndlessCursor(lambda _: object)
    return Items(times, lambda _: object) if is_symbolic(times) else NotImplemented


def _chain(*iterables: Any) -> Any:
    if all(map(can_unroll, iterables)):
        return NotImplemented
    return Generated(iterables, lambda each: each, nested=True)


def _islice(iterable: Any, *bounds: Any) -> Any:
    limits = slice(*bounds)
    start, stop, step = limits.start or 0, limits.stop, limits.step or 1
    if not isinstance(iterable, Generated) or any(map(is_symbolic, (start, stop, step))):
        return NotImplemented
    itertools.islice((), *bounds)  # raises what Python raises for a negative one

    def counted(i: Any, item: Any) -> tuple[Any, Any, Any, Any]:
        taken = and_(i >= start, lambda: (i - start) % step == 0)
        return i + 1, taken, lambda: item, True if stop is None else i + 1 < stop

    return Stepped(iterable, counted, 0, stop is None or stop > 0)


def _takewhile(predicate: Fn, iterable: Any) -> Any:
    predicate = POINTS.convert_callback(predicate)

    def tested(inner: Any, item: Any) -> tuple[Any, Any, Any, Any]:
        holds = predicate(item)
        return inner, holds, lambda: item, holds

    return Stepped(iterable, tested)


def _dropwhile(predicate: Fn, iterable: Any) -> Any:
    predicate = POINTS.convert_callback(predicate)

    def tested(dropping: Any, item: Any) -> tuple[Any, Any, Any, Any]:
        dropping = and_(dropping, lambda: predicate(item))
        return dropping, not_(dropping), lambda: item, True

    return Stepped(iterable, tested, True)


def _accumulate(iterable: Any, func: Fn | None = None, *, initial: Any = None) -> Any:
    function = operator.add if func is None else POINTS.convert_callback(func)
    if can_unroll(iterable):
        return itertools.accumulate(iterable, function, initial=initial)
    if initial is not None:
        iterable = _chain([initial], iterable)

    def added(inner: Any, item: Any) -> tuple[Any, Any, Any, Any]:
        begun, total = inner
        total = cond(begun, lambda: function(total, item), lambda: item)
        return (True, total), True, lambda: total, True

    return Stepped(iterable, added, (False, None))


def _compress(data: Any, selectors: Any) -> Any:
    pairs = zip_(data, selectors)
    return NotImplemented if pairs is NotImplemented else Generated(
        pairs, lambda pair: pair[0], lambda pair: pair[1])


def _pairwise(iterable: Any) -> Any:
    if can_unroll(iterable):
        return NotImplemented

    def paired(inner: Any, item: Any) -> tuple[Any, Any, Any, Any]:
        begun, previous = inner
        return (True, item), begun, lambda: (previous, item), True

    return Stepped(iterable, paired, (False, None))


def _starmap(function: Fn, iterable: Any) -> Any:
    call = POINTS.convert_callback(function)
    return Generated(read_by_cursor(iterable), lambda item: call(*item))


def _tee(iterable: Any, n: Any = 2) -> Any:
    if can_unroll(iterable) or type(n) is not int or n < 0:
        return NotImplemented
    items = items_of(iterable)
    return tuple(Generated(items, lambda item: item) for _ in range(n))


def _zip_longest(*iterables: Any, fillvalue: Any = None) -> Any:
    if all(map(can_unroll, iterables)):
        return NotImplemented
    pools = [_items(x) for x in iterables]
    longest = reduce(lambda m, n: cond(m < n, lambda: n, lambda: m), (p.length for p in pools))

    def item(pool: Items, i: Any) -> Any:
        return cond(i < pool.length, lambda: pool.get(i), lambda: fillvalue)

    return Items(longest, lambda i: tuple(item(pool, i) for pool in pools))


def _items(iterable: Any) -> Any:
    """As what has a length, and items by index."""
    if not can_unroll(iterable):
        return items_of(iterable)
    known = tuple(iterable)
    return Items(len(known), lambda i: getitem(known, i))


def _filterfalse(predicate: Fn | None, iterable: Any) -> Any:
    test = (lambda item: item) if predicate is None else POINTS.convert_callback(predicate)
    return Generated(read_by_cursor(iterable), lambda item: item, lambda item: not_(test(item)))


def _replacement(original: Fn, staged: Fn) -> Fn:
    @wraps(original, operators.NAMES, ())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        made = staged(*args, **kwargs) if trace.tracing() else NotImplemented
        return original(*args, **kwargs) if made is NotImplemented else made

    return replacement


STAGED: dict[Any, Fn] = {
    **COMBINATORIC,
    itertools.accumulate: _accumulate,
    itertools.chain: _chain,
    itertools.compress: _compress,
    itertools.count: _count,
    itertools.cycle: _cycle,
    itertools.dropwhile: _dropwhile,
    itertools.filterfalse: _filterfalse,
    itertools.islice: _islice,
    itertools.pairwise: _pairwise,
    itertools.repeat: _repeat,
    itertools.starmap: _starmap,
    itertools.takewhile: _takewhile,
    itertools.tee: _tee,
    itertools.zip_longest: _zip_longest,
}
ITERTOOLS = {original: _replacement(original, staged) for original, staged in STAGED.items()}
"""A class of `itertools` -> what is called in its place."""
