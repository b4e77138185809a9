"""The combinatoric iterators of `itertools` over what has a symbolic length: nested loops."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import reduce
from typing import Any

from autograph.operators.logical import and_
from autograph.staging.generators import Generated, Items
from autograph.staging.iterables import can_unroll, items_of

Fn = Callable[..., Any]
Taken = tuple[Any, ...]
"""The indices that an outer loop has chosen."""


def _product(*iterables: Any, repeat: Any = 1) -> Any:
    if all(map(can_unroll, iterables)) or type(repeat) is not int or not iterables:
        return NotImplemented
    # a tuple, since it is gone through several times
    pools = [tuple(x) if can_unroll(x) else items_of(x) for x in iterables] * repeat

    def level(taken: Taken) -> Any:
        pool = pools[len(taken)]
        if len(taken) == len(pools) - 1:
            return Generated(pool, lambda item: (*taken, item))
        return Generated(pool, lambda item: level((*taken, item)), nested=True)

    return level(()) if pools else NotImplemented


def _combinations(iterable: Any, r: Any) -> Any:
    return _choices(iterable, r, lambda taken: taken[-1] + 1 if taken else 0)


def _combinations_with_replacement(iterable: Any, r: Any) -> Any:
    return _choices(iterable, r, lambda taken: taken[-1] if taken else 0)


def _permutations(iterable: Any, r: Any = None) -> Any:
    return _choices(iterable, r, lambda _: 0, distinct=True)


def _choices(iterable: Any, r: Any, first_of: Callable[[Taken], Any],
             distinct: bool = False) -> Any:
    """`r` items of a pool, in the order of their indices: one loop inside the other.

    first_of  the index that the next loop begins with
    distinct  whether an index that is taken is left out
    """
    if can_unroll(iterable) or type(r) is not int or r < 1:
        return NotImplemented
    pool: Any = items_of(iterable)

    def level(taken: Taken) -> Any:
        first = first_of(taken)
        rest = Items(pool.length - first, lambda k: first + k)
        where = (lambda i: _none_is(i, taken)) if distinct and taken else None
        if len(taken) == r - 1:
            return Generated(rest, lambda i: tuple(pool.get(j) for j in (*taken, i)), where)
        return Generated(rest, lambda i: level((*taken, i)), where, nested=True)

    return level(())


def _none_is(i: Any, taken: Taken) -> Any:
    return reduce(lambda so_far, j: and_(so_far, lambda: i != j), taken, True)


COMBINATORIC: dict[Any, Fn] = {
    itertools.combinations: _combinations,
    itertools.combinations_with_replacement: _combinations_with_replacement,
    itertools.permutations: _permutations,
    itertools.product: _product,
}
"""A class of `itertools` -> what goes through the same tuples in staged loops."""
