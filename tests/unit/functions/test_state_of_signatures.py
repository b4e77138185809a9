"""What one signature of a function changes, its other signatures read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES


class Counter:
    def __init__(self) -> None:
        self.n, self.seen = 0, list[float]()

    def count(self, x: Any, writes: bool) -> Any:
        if writes:
            if x > 0:
                self.n += 1
                self.seen.append(x)
        return x + self.n + len(self.seen)


G: list[float] = []
S = Counter()


def global_list(x: Any, writes: bool, o: Counter) -> Any:
    if writes:
        if x > 0:
            G.append(x)
    return x + len(G)


def global_object(x: Any, writes: bool, o: Counter) -> Any:
    return S.count(x, writes)


def argument(x: Any, writes: bool, o: Counter) -> Any:
    if writes:
        if x > 0:
            o.n += 1
    return x + o.n


def by_shape(x: Any, writes: bool, o: Counter) -> Any:
    x = np.ones(1 + writes) * x
    return sizes(x, o)


@ag.function
def sizes(x: Any, o: Counter) -> Any:
    if len(x) > 1:
        if x.sum() > 0:
            o.n += 1
    return x[0] + o.n


FUNCTIONS = [global_list, global_object, argument]


@pytest.mark.filterwarnings("ignore::autograph.RetracingWarning")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_signatures_share_their_state(function: Callable[..., Any], mode: str) -> None:
    results = []
    for call in (function, ag.function(function, **MODES[mode])):
        G.clear()
        S.__init__()  # type: ignore[misc]
        o = Counter()
        results.append([float(call(np.float64(1.0), writes, o))
                        for writes in map(bool, (0, 1, 0, 1, 1, 0, 0, 1, 0, 0))])
    assert results[0] == results[1]


@pytest.mark.filterwarnings("ignore::autograph.RetracingWarning")
@pytest.mark.parametrize("mode", MODES)
def test_a_method_reads_what_it_changed_with_another_constant(mode: str) -> None:
    class Converted(Counter):
        count = ag.function(Counter.count, **MODES[mode])

    results = []
    for cls in (Counter, Converted):
        o, other = cls(), cls()
        results.append([float(x.count(np.float64(1.0), writes)) for x, writes in (
            (o, False), (o, True), (o, False), (other, False), (other, True), (other, False),
            (o, True), (o, False), (other, False))])
    assert results[0] == results[1]


def test_shapes_are_signatures_too() -> None:
    o = Counter()
    found = [float(by_shape(np.float64(1.0), writes, o)) for writes in (
        False, True, False, True, False)]
    assert found == [1.0, 2.0, 2.0, 3.0, 3.0]
