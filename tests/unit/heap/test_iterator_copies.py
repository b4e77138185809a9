"""Iterators from outside that a trace read before it was made again, or given up."""

import heapq
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import TracingError

CALLS = ((0.0, 3), (2.0, -1), (5.0, 2), (0.0, 1))


class Simulation:
    def __init__(self, numbers: Any) -> None:
        self.queue: list[Any] = []
        self.log: list[Any] = []
        self.now = 0.0
        self.number: Any = None
        self.other: Any = None
        self.numbers = numbers

    def at(self, delay: Any, what: Any, *args: Any) -> None:
        heapq.heappush(self.queue, (self.now + delay, next(self.numbers), what, args))

    def run(self, most: int) -> None:
        while self.queue and most > 0:
            self.now, _, what, args = heapq.heappop(self.queue)
            what(self, *args)
            most -= 1


def leave(simulation: Simulation) -> None:
    simulation.log.append(simulation.now)


def events(a: Any, b: Any, s: Simulation) -> Any:
    s.at(1.0, leave)
    s.run(1)
    if a > 1:
        s.at(a, leave)
    return len(s.queue)


def in_a_branch_too(a: Any, b: Any, s: Simulation) -> Any:
    s.number = next(s.numbers)
    if a > 1:
        s.other = next(s.numbers)
    return a


MAKERS: dict[str, Callable[[], Iterator[Any]]] = {
    "count": itertools.count, "range": lambda: iter(range(100)),
    "list": lambda: iter([*range(100)]), "tuple": lambda: iter((*range(100),)),
    "reversed": lambda: reversed([*range(100)])}


@pytest.mark.parametrize("options", [{}, {"captures": "guard", "effects": "runtime"}])
@pytest.mark.parametrize("maker", MAKERS)
def test_an_event_queue_numbers_its_events(maker: str, options: Any) -> None:
    plain, traced = Simulation(MAKERS[maker]()), Simulation(MAKERS[maker]())
    graph = ag.function(events, **options)
    for a, b in CALLS:
        assert graph(np.float64(a), np.int64(b), traced) == events(
            np.float64(a), np.int64(b), plain)
        ours, theirs = ({k: v for k, v in vars(s).items() if k != "numbers"}
                        for s in (traced, plain))
        assert ours == theirs
    assert next(traced.numbers) == next(plain.numbers)


@pytest.mark.parametrize("maker", MAKERS)
def test_a_call_that_runs_as_plain_python_reads_it_once(maker: str) -> None:
    """By default `next` reads while a trace is made; the first call has one that serves no call."""
    plain, traced = Simulation(MAKERS[maker]()), Simulation(MAKERS[maker]())
    graph = ag.function(in_a_branch_too)
    graph(np.float64(0.0), np.int64(3), traced)
    in_a_branch_too(np.float64(0.0), np.int64(3), plain)
    assert (traced.number, traced.other) == (plain.number, plain.other)
    assert next(traced.numbers) == next(plain.numbers)


def test_the_end_is_read_where_the_trace_read_it() -> None:
    items = [1.0, 2.0]
    it = iter(items)

    @ag.function
    def f(x: Any) -> Any:
        for item in it:
            x = x + item
        return x

    assert f(np.float64(1.0)) == 4.0
    items.append(3.0)
    assert next(it, None) is None


def test_a_library_that_reads_it_too() -> None:
    it = itertools.count()

    @ag.function
    def f(x: Any) -> Any:
        pairs = dict(zip("ab", it, strict=False))
        return x + next(it), pairs, "".join(map(str, zip("c", it, strict=False)))

    try:
        found = f(np.float64(1.0))
    except TracingError:
        return
    assert found == (3.0, {"a": 0, "b": 1}, "('c', 3)")


def test_one_that_has_no_copy_is_refused_where_it_was_read_too_early() -> None:
    simulation = Simulation(x for x in range(100))
    with pytest.raises(TracingError, match="what was read is lost"):
        ag.function(events)(np.float64(0.0), np.int64(3), simulation)
    simulation = Simulation(x for x in range(100))
    graph = ag.function(events, effects="runtime")
    assert [graph(np.float64(a), np.int64(3), simulation) for a, _ in CALLS] == [0, 1, 2, 2]
