"""Iterators made of iterators, in every way: what they give, and what is left of their source."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import TracingError
from tests.support.amount import sample

Fn = Callable[..., Any]

SOURCES: dict[str, Fn] = {
    "list": lambda x, c: list(c),
    "iter": lambda x, c: iter(c),
    "filter": lambda x, c: filter(None, c),
    "map": lambda x, c: map(abs, c),
    "generator": lambda x, c: (v for v in c),
    "islice": lambda x, c: itertools.islice(c, 3),
    "zip": lambda x, c: zip(c, c, strict=True),
    "product": lambda x, c: itertools.product(c[:2], c[:2]),
    "chosen": lambda x, c: filter(lambda v: v > 2, x),
    "computed": lambda x, c: (v for v in x if v > 2),
    "mapped": lambda x, c: map(x[0].__add__, c),
    "taken": lambda x, c: itertools.takewhile(lambda v: v < 5, x),
}
"""Iterables of an array and of a list of constants."""

MAY_BE_REFUSED = {"generator", "chosen", "computed", "mapped", "taken"}
"""The sources whose rest, once another iterator has read from them, may not be known."""

MAKERS: dict[str, Fn] = {
    "product": lambda it: itertools.product(it, [10, 20]),
    "product_after": lambda it: itertools.product([10, 20], it),
    "product_repeat": lambda it: itertools.product(it, repeat=2),
    "permutations": lambda it: itertools.permutations(it, 2),
    "permutations_named": lambda it: itertools.permutations(iterable=it, r=2),
    "combinations": lambda it: itertools.combinations(it, 2),
    "combinations_named": lambda it: itertools.combinations(iterable=it, r=2),
    "replaced": lambda it: itertools.combinations_with_replacement(it, 2),
    "pairwise": itertools.pairwise,
    "chain": lambda it: itertools.chain(it, [7, 8]),
    "flattened": lambda it: itertools.chain.from_iterable([[1, 2], it]),
    "islice": lambda it: itertools.islice(it, 1, 3),
    "compress": lambda it: itertools.compress(it, [1, 0, 1]),
    "compress_named": lambda it: itertools.compress(data=it, selectors=[1, 0, 1]),
    "zip": lambda it: zip(it, itertools.count()),
    "zip_longest": lambda it: itertools.zip_longest(it, [1], fillvalue=-1),
    "enumerate": enumerate,
    "repeat": lambda it: itertools.repeat(it, 1),
    "groups": lambda it: ((k, len(list(g))) for k, g in itertools.groupby(it, lambda _: 1)),
    "tee": lambda it: itertools.tee(it)[1],
    "starmap": lambda it: itertools.starmap(lambda *v: v, ((v, v) for v in it)),
    "filterfalse": lambda it: itertools.filterfalse(lambda _: False, it),
}


def as_for(it: Iterator[Any]) -> Any:
    found: list[Any] = []
    for item in it:
        found.insert(0, item)
    return found


def after_first(it: Iterator[Any]) -> Any:
    return next(it, None), list(it)


USES: dict[str, Callable[[Iterator[Any]], Any]] = {
    "list": list, "for": as_for, "next": after_first,
    "sum": lambda it: sum(map(bool, zip(it))),
    "comprehension": lambda it: [(0, item) for item in it],
}

ROWS = sample(itertools.product(SOURCES, MAKERS, USES), 12)


@pytest.mark.parametrize("source, maker, use", ROWS, ids=map("-".join, ROWS))
@pytest.mark.parametrize("mode", [{}, {"effects": "runtime", "captures": "guard"}],
                         ids=["default", "runtime"])
def test_it_gives_the_items_and_leaves_the_rest(source: str, maker: str, use: str,
                                                mode: dict[str, Any]) -> None:
    def f(x: Any) -> Any:
        items = SOURCES[source](x, [1, 3, 4, 6])
        made = MAKERS[maker](items)
        if maker == "repeat":
            return [list(each) for each in made], list(items)
        found = USES[use](made)
        return found, list(items)

    traced = ag.function(f, **mode)
    for x in np.array([1.0, 3.0, 2.0, 4.0]), np.array([5.0, 1.0, 3.0, 9.0]), np.zeros(4):
        try:
            found = traced(x)
        except TracingError as refusal:
            assert source in MAY_BE_REFUSED and "hint: " in str(refusal)
            return
        assert repr(found) == repr(f(x))


def copied_before_a_change(x: Any) -> Any:
    items = [1, 2]
    made = itertools.product(items, [0])
    items.append(3)
    return list(made), len(items)


def copied_list_of_the_run(x: Any) -> Any:
    items = [v for v in x if v > 2]
    made = itertools.combinations(items, 2)
    items.append(3.0)
    return list(made), len(items)


def left_in_the_middle(x: Any) -> Any:
    made = itertools.product(iter([4, 5, 6]), [1, 2])
    before = []
    for item in made:
        if item[0] > x[0]:
            break
        before.append(item)
    return before, list(made)


@pytest.mark.parametrize(
    "f", [copied_before_a_change, copied_list_of_the_run, left_in_the_middle])
def test_who_reads_at_once_sees_no_later_change(f: Fn) -> None:
    traced = ag.function(f)
    for first in 3.0, 4.0, 9.0:
        x = np.array([first, 3.0, 7.0])
        assert repr(traced(x)) == repr(f(x))
