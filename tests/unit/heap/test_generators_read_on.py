"""A generator is read on where a loop, `next`, or a search for an item stopped in it."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.support.beside_plain import verdict


def after_a_search(x: Any) -> Any:
    it = (v * 2 for v in x)
    return next(v for v in it if v > 1), 8.0 in it, list(it)


def after_next(x: Any) -> Any:
    it = iter([v for v in x if v > 0])
    return next(it, -1.0), next(it, -2.0), list(it), next(it, -3.0)


def after_break(x: Any) -> Any:
    it = (v for v in x if v > 0)
    out = []
    for v in it:
        if v > 2:
            break
        out.append(v)
    out.extend(v * 100 for v in it)
    return out, sum(it)


def in_branches(x: Any) -> Any:
    it = (v for v in x if v > 0)
    first = second = None
    if x[0] > 0:
        first = next(it, None)
        if x[1] > 0:
            second = next(it, None)
    else:
        for v in it:
            if v > 1:
                break
    return first, second, list(it)


def in_calls(x: Any) -> Any:
    def count(it: Iterator[Any], most: float) -> Any:
        total = 0
        for v in it:
            total += v
            if total > most:
                return total
        return -1

    it = (v for v in x if v > 0)
    return count(it, 1), count(it, 1), count(it, 100), list(it)


def of_generators(x: Any) -> Any:
    log: list[Any] = []
    inner = (w for w in x if w > 0)
    it = map(lambda v: (log.append(v), v + 1)[1], inner)  # noqa: C417
    return next(it, 0), list(log), list(it), log, list(inner)


def together(x: Any) -> Any:
    it = zip(x, [v for v in x if v > 0], strict=False)
    for a, b in it:
        if a * b < 0:
            break
    return list(it)


def numbered(x: Any) -> Any:
    it = enumerate([v for v in x if v > 0])
    for _, v in it:
        if v > 2:
            break
    return list(it), next(it, None)


def reversed_list(x: Any) -> Any:
    it = reversed([v for v in x if v > 0])
    return any(v > 1 for v in it), list(it)


def groups(x: Any) -> Any:
    out: list[Any] = []
    for _, group in itertools.groupby(x, key=lambda v: v > 0):
        out += [next(group), sum(group), len(list(group))]  # noqa: B031
    return out


def array_changed_meanwhile(x: Any) -> Any:
    it = (v for v in x)
    first = next((v for v in it if v > 0), None)
    x[4] = 77.0
    return first, list(it)


def until_the_end(x: Any) -> Any:
    it = (v for v in x if v > 0)
    try:
        return next(it), next(it), next(it)
    except StopIteration:
        return "end", list(it)


TRACED = [after_a_search, after_next, after_break, in_branches, in_calls, of_generators, together,
          numbered, reversed_list, groups, array_changed_meanwhile, until_the_end]


def list_longer(x: Any) -> Any:
    values = [v for v in x if v > 0]
    it = iter(values)
    first = next(it, -1.0)
    values.append(x[0])
    return first, list(it)


def list_longer_after_its_end(x: Any) -> Any:
    values = [v for v in x if v > 0]
    it = iter(values)
    for v in it:
        if v > 1e9:
            break
    values.append(7.0)
    return list(it)


def inside_its_loop(x: Any) -> Any:
    it = (v for v in x)
    return [v * next(it, 50.0) for v in it if v > 0]


def nested(x: Any) -> Any:
    it = (v * w for v in x for w in x if v > w)
    return next(it, None), list(it)


PLAIN = [list_longer, list_longer_after_its_end, inside_its_loop, nested]

ARRAYS = [np.array(x) for x in ([1.0, -2.0, 3.0, 0.5, 4.0], [-1.0, 2.0, 5.0, -0.5, 0.25], [
    3.0, 4.0, 0.5, -3.0, 1.0], [-3.0, -4.0, -0.5, -3.0, -1.0], [1.0, 2.0, 3.0, 4.0, 5.0])]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", TRACED + PLAIN)
def test_as_plain(program: Callable[[Any], Any], mode: str) -> None:
    with warnings.catch_warnings():
        if program in TRACED:
            warnings.simplefilter("error", ag.FallbackWarning)
        found = verdict(program, [((x,), {}) for x in ARRAYS], mode)
    assert (found.kind, found.calls) == ("same", len(ARRAYS) + 1), found
