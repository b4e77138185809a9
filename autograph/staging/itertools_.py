"""The iterators of `itertools` while a function is traced: symbolic values may end or skip items.

Those that are not here are Python's own: they only pass on their items.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from functools import cache, reduce, wraps
from typing import Any

import numpy as np

from autograph.extension_points import POINTS
from autograph.operators import builtins as operators
from autograph.operators.checks import getitem
from autograph.operators.control_flow import cond
from autograph.operators.logical import and_, not_
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.iterators import (
    Cursor,
    EndlessCursor,
    TracedState,
    cursor_of,
    needs_cursor,
    read_by_cursor,
)
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.rebuilt_functions import uses_symbols
from autograph.runtime.heap.run_time_containers import has_tensor, new_object
from autograph.runtime.ir.errors import InvalidArgumentError
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ops import pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.class_names import of_class
from autograph.staging.cursor_loops import items_ahead, read_ahead, read_ahead_of_readers
from autograph.staging.generators import (
    Generated,
    Items,
    Position,
    Stepped,
    as_written,
    collected,
    is_symbolic,
    made_by_python,
    of_kind,
)
from autograph.staging.iteration import can_unroll, length_of
from autograph.staging.reductions import as_values
from autograph.staging.streams_of_run import opened_stream
from autograph.staging.unpacking import call_spread
from autograph.staging.zips import zip_

Fn = Callable[..., Any]
Taken = tuple[Any, ...]
"""The indices in the outer loops."""


def _count(start: Any = 0, step: Any = 1) -> Any:
    if type(start) is int and type(step) is int:
        return EndlessCursor(lambda i: start + i * step)
    held = TracedState(start)

    def following(_: Any) -> Any:
        value = held.values
        held.values = value + step  # one after the other, with Python's rounding
        return value

    return EndlessCursor(following)


def _cycle(iterable: Any) -> Any:
    if is_symbolic(iterable) and not (
            isinstance(iterable, Tensor) and isinstance(iterable.type, ArrayType)):
        return _cycle_of_run(as_values(iterable))
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


def _cycle_of_run(items: Any) -> Any:
    """Returns a cursor over the items of a list of which only the run knows the length."""
    held = new_object(list, items)  # the list may change meanwhile
    length = length_of(held)

    def item(i: Any) -> Any:
        cond(length == 0, _refuse_nothing, tuple)
        return getitem(held, i % length)

    return EndlessCursor(item)


def _refuse_nothing() -> None:
    raise InvalidArgumentError("itertools.cycle of a list that turned out to be empty")


def _repeat(object: Any, times: Any = None) -> Any:
    if times is None:
        return EndlessCursor(lambda _: object)
    return Items(times, lambda _: object, position=Position()) if is_symbolic(times) else (
        NotImplemented)


def _chain(*iterables: Any) -> Any:
    if all(map(can_unroll, iterables)):
        return NotImplemented
    return Generated(iterables, lambda each: each, nested=True)


def from_iterable(method: Fn) -> Fn:
    """Returns the replacement of `chain.from_iterable`."""
    def replacement(iterable: Any) -> Any:
        if not trace.tracing() or (isinstance(iterable, (list, tuple)) and can_unroll(
                iterable) and all(map(can_unroll, iterable))):
            return method(iterable)
        return Generated(read_by_cursor(iterable), lambda each: each, nested=True)

    return of_kind(itertools.chain, replacement)


def _grouped(items: list[Any], keys: list[Any]) -> list[tuple[Any, list[Any]]]:
    """The groups of items whose keys are equal, in one run each."""
    pairs = zip(keys, items, strict=True)
    return [(key, [item for _, item in group])
            for key, group in itertools.groupby(pairs, operator.itemgetter(0))]


def _groupby(iterable: Any, key: Fn | None = None) -> Any:
    if isinstance(iterable, Cursor) and (iterable.outer or _is_known(iterable, key)):
        return NotImplemented
    items = as_values(read_ahead_of_readers(iterable))
    keys = items if key is None else as_values(as_written(
        Generated(items, POINTS.convert_callback(key)), map, (key, items), {}))
    if not any(is_symbolic(x) or has_tensor(x) for x in (items, keys)):
        return iter([(k, iter(group)) for k, group in _grouped(list(items), list(keys))])
    groups = apply(GROUPED, items, keys)
    return Generated(groups, lambda pair: (
        pair[0], Generated(StagedList([Splice(apply(AS_LIST, pair[1]))]), lambda item: item)))


def _is_known(cursor: Cursor, key: Fn | None) -> bool:
    """Returns True if a trace knows the items of an iterator, and their keys."""
    return not (cursor.endless or has_tensor(read_ahead(cursor)) or uses_symbols(key, set()))


GROUPED = pure(_grouped, lambda items, keys: PyType(list))
AS_LIST = pure(list, lambda items: PyType(list))


def _islice(iterable: Any, *bounds: Any) -> Any:
    limits = slice(*bounds)
    start, stop, step = limits.start or 0, limits.stop, limits.step or 1
    in_steps = isinstance(iterable, Generated) or not can_unroll(iterable) or (
        isinstance(iterable, Items) and iterable.position is not None)
    if not in_steps or any(map(is_symbolic, (start, stop, step))):
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
    if pairs is NotImplemented:
        pairs = read_by_cursor(zip(read_by_cursor(data), read_by_cursor(selectors), strict=False))
    return Generated(pairs, lambda pair: pair[0], lambda pair: pair[1])


def _pairwise(iterable: Any) -> Any:
    if can_unroll(iterable):
        return NotImplemented

    def paired(inner: Any, item: Any) -> tuple[Any, Any, Any, Any]:
        begun, previous = inner
        return (True, item), begun, lambda: (previous, item), True

    return Stepped(iterable, paired, (False, None))


def _starmap(function: Fn, iterable: Any) -> Any:
    call = POINTS.convert_callback(function)
    return Generated(
        read_by_cursor(iterable), lambda item: call_spread(call, ((True, item),), (), {}))


def _tee(iterable: Any, n: Any = 2) -> Any:
    if type(n) is not int or n < 0:
        return NotImplemented
    of_trace = isinstance(iterable, (Cursor, Generated, Items))
    if of_trace and (can_unroll(iterable) or (isinstance(iterable, Cursor) and iterable.outer)):
        # Python's own reads it where the program reads one of these, and does not copy a generator.
        return itertools.tee((item for item in iterable), n)
    if can_unroll(iterable):
        return NotImplemented
    items = items_ahead(iterable)
    return tuple(Generated(items, lambda item: item) for _ in range(n))


def _zip_longest(*iterables: Any, fillvalue: Any = None) -> Any:
    if all(map(can_unroll, iterables)) or all(
            isinstance(x, Cursor) or can_unroll(x) for x in iterables):
        return NotImplemented
    pools = [items_ahead(x) for x in iterables]
    longest = reduce(lambda m, n: cond(m < n, lambda: n, lambda: m), (p.length for p in pools))

    def item(pool: Items, i: Any) -> Any:
        return cond(i < pool.length, lambda: pool.get(i), lambda: fillvalue)

    return Items(longest, lambda i: tuple(item(pool, i) for pool in pools), position=Position())


def _filterfalse(predicate: Fn | None, iterable: Any) -> Any:
    test = (lambda item: item) if predicate is None else POINTS.convert_callback(predicate)
    return Generated(read_by_cursor(iterable), lambda item: item, lambda item: not_(test(item)))


# -- combinations: nested loops -------------------------------------------------------------------


def _product(*iterables: Any, repeat: Any = 1) -> Any:
    if is_symbolic(repeat):
        made = apply(PRODUCTS, *map(as_values, iterables), repeat=repeat)
        return Generated(made, lambda item: item)
    if all(map(can_unroll, iterables)) or type(repeat) is not int or not iterables:
        return NotImplemented
    pools = [x if can_unroll(x) else items_ahead(x, True) for x in iterables] * repeat

    def level(taken: Taken) -> Any:
        pool = pools[len(taken)]
        if len(taken) == len(pools) - 1:
            return Generated(pool, lambda item: (*taken, item))
        return Generated(pool, lambda item: level((*taken, item)), nested=True)

    return level(()) if pools else NotImplemented


def _products(*iterables: Any, repeat: Any) -> list[Any]:
    """All tuples of `itertools.product`."""
    return list(itertools.product(*iterables, repeat=repeat))


PRODUCTS = pure(_products, lambda *args, **kwargs: PyType(list))


def _combinations(iterable: Any, r: Any) -> Any:
    return _choices(itertools.combinations, iterable, r,
                    lambda taken: taken[-1] + 1 if taken else 0)


def _combinations_with_replacement(iterable: Any, r: Any) -> Any:
    return _choices(itertools.combinations_with_replacement, iterable, r,
                    lambda taken: taken[-1] if taken else 0)


def _permutations(iterable: Any, r: Any = None) -> Any:
    return _choices(itertools.permutations, iterable, r, lambda _: 0, distinct=True)


def _choices(original: Fn, iterable: Any, r: Any, first_of: Callable[[Taken], Any],
             distinct: bool = False) -> Any:
    """Returns all selections of `r` items of a pool, in the order of their indices: nested loops.
    Where only the run knows how many items are taken, the graph calls the original.

    first_of  returns the index with which the next loop begins.
    distinct  True if no index is taken twice.
    """
    if can_unroll(iterable) and type(r) in (int, type(None)):
        return NotImplemented
    if type(r) is not int or r < 1:
        made = apply(pure(_listed(original), lambda *args: PyType(list)), as_values(iterable), r)
        return Generated(made, lambda item: item)
    pool = items_ahead(iterable, True)

    def level(taken: Taken) -> Any:
        first = first_of(taken)
        rest = Items(pool.length - first, lambda k: first + k)
        where = (lambda i: _none_is(i, taken)) if distinct and taken else None
        if len(taken) == r - 1:
            return Generated(rest, lambda i: tuple(pool.get(j) for j in (*taken, i)), where)
        return Generated(rest, lambda i: level((*taken, i)), where, nested=True)

    return level(())


@cache
def _listed(original: Fn) -> Fn:
    @wraps(original, operators.NAMES, ())
    def listed(*args: Any) -> list[Any]:
        return list(original(*args))

    return listed


def _none_is(i: Any, taken: Taken) -> Any:
    return reduce(lambda so_far, j: and_(so_far, lambda: i != j), taken, True)


# -- the table ------------------------------------------------------------------------------------


def _replacement(original: Fn, staged: Fn) -> Fn:
    at_once = AT_ONCE.get(original, 0)

    @wraps(original, operators.NAMES, ())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if not trace.tracing():
            return original(*args, **kwargs)
        read = [(_pool if k < at_once else _reader)(x) for k, x in enumerate(args)]
        named = {name: (_pool if at_once else _reader)(x) if name in SOURCES else x
                 for name, x in kwargs.items()}
        made = staged(*read, **named)
        return made_by_python(original, read, named) if made is NotImplemented else (
            of_class(read_by_cursor(made), original))

    return replacement


def _reader(x: Any) -> Any:
    return cursor_of(x) if needs_cursor(x) else opened_stream(x)


def _pool(x: Any) -> Any:
    """Returns the items that an iterable has now: who makes the iterator again finds them, and sees
    neither that the iterable ended nor that it changed."""
    x = _reader(x)
    if can_unroll(x):
        return tuple(x)
    return x if isinstance(x, Tensor) else x.copy() if type(x) is StagedList else collected(x)


AT_ONCE: dict[Any, float] = {
    itertools.product: math.inf, itertools.permutations: 1, itertools.combinations: 1,
    itertools.combinations_with_replacement: 1}
"""Class -> how many of its arguments are iterables that it reads when it is made."""

SOURCES = {"iterable", "data", "selectors"}
"""The names of parameters that are iterables."""

STAGED: dict[Any, Fn] = {
    itertools.accumulate: _accumulate,
    itertools.chain: _chain,
    itertools.combinations: _combinations,
    itertools.combinations_with_replacement: _combinations_with_replacement,
    itertools.compress: _compress,
    itertools.count: _count,
    itertools.cycle: _cycle,
    itertools.dropwhile: _dropwhile,
    itertools.filterfalse: _filterfalse,
    itertools.groupby: _groupby,
    itertools.islice: _islice,
    itertools.pairwise: _pairwise,
    itertools.permutations: _permutations,
    itertools.product: _product,
    itertools.repeat: _repeat,
    itertools.starmap: _starmap,
    itertools.takewhile: _takewhile,
    itertools.tee: _tee,
    itertools.zip_longest: _zip_longest,
}
ITERTOOLS = {original: _replacement(original, of_kind(original, staged))
             for original, staged in STAGED.items()}
"""A class of `itertools` -> its replacement."""
