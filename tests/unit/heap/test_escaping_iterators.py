"""Iterators that a function made and leaves behind: real values are in them, at every call."""

import heapq
import itertools
from collections import deque

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.errors import TracingError

VECTORS = (np.array([1.0, -2.0]), np.array([-1.0, 3.0]), np.array([1.0, -2.0]))
OUTSIDE = iter([1, 2, 3])


class Holder:
    def __init__(self):
        self.kept = None


def positives(x):
    for v in x:
        if v > 0:
            yield v


def for_ever(x):
    while True:
        yield x


def in_attribute(x):
    holder = Holder()
    holder.kept = zip(x, x, strict=True)
    return holder


def rest(x):
    it = iter([x[0], x[1], 3])
    next(it)
    return it


MAKERS = {
    "zip": lambda x: zip(x, x, strict=True),
    "zip of lists": lambda x: zip([x[0]], [x[1]], strict=False),
    "zip of constants": lambda x: zip([1, 2], [3, 4], strict=True),
    "enumerate": lambda x: enumerate(x),
    "map": lambda x: (v + 1 for v in x),
    "filter": lambda x: filter(lambda v: v > 0, x),
    "reversed": lambda x: reversed(x),
    "generator expression": lambda x: (v * 2 for v in x),
    "generator": lambda x: positives(x),
    "iter": lambda x: iter([x[0], 1]),
    "what is left": rest,
    "chain": lambda x: itertools.chain(x, x),
    "takewhile": lambda x: itertools.takewhile(lambda v: v > 0, x),
    "accumulate": lambda x: itertools.accumulate(x),
    "tee": lambda x: itertools.tee(x),
    "groupby": lambda x: itertools.groupby([1, 1, 2]),
    "repeat": lambda x: itertools.repeat(x, 2),
    "nested": lambda x: ([zip(x, x, strict=True)], {"a": (map(abs, x), 1)}),
    "of iterators": lambda x: iter([zip(x, x, strict=True), map(abs, x)]),
    "in a deque": lambda x: deque([zip(x, x, strict=True)]),
    "in an attribute": in_attribute,
}


def shown(x):
    """What is in it, iterators read."""
    if isinstance(x, Holder):
        return shown(vars(x))
    if isinstance(x, dict):
        return {k: shown(v) for k, v in x.items()}
    if isinstance(x, (tuple, list, deque)):
        return type(x)(map(shown, x))
    return ("iterator", [shown(v) for v in x]) if hasattr(x, "__next__") else repr(x)


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")  # tee runs as plain Python
@pytest.mark.parametrize("name", MAKERS)
def test_every_call_gives_new_ones_with_real_values(name):
    staged = ag.function(MAKERS[name])
    for x in VECTORS:
        assert shown(staged(x)) == shown(MAKERS[name](x))


def test_it_is_one_object_wherever_it_is():
    @ag.function
    def same(x):
        z = zip(x, x, strict=True)
        return z, z, zip(x, x, strict=True)

    one, again, other = same(VECTORS[0])
    assert one is again and one is not other


def test_one_from_outside_stays_itself():
    @ag.function
    def outside(x, given):
        return OUTSIDE, given, x

    given = iter([1])
    for _ in range(2):
        found = outside(VECTORS[0], given)
        assert found[0] is OUTSIDE and found[1] is given
    assert list(given) == [1]


def test_what_is_left_in_arguments_and_outside():
    holder = Holder()

    @ag.function
    def leaves(x, items):
        items.append(map(abs, x))
        holder.kept = zip(x, x, strict=True)

    for x in VECTORS:
        items = []
        leaves(x, items)
        assert shown(items) == shown([map(abs, x)])
        assert shown(holder) == shown({"kept": zip(x, x, strict=True)})


def test_what_the_generator_raises():
    def raising(x):
        for v in x:
            if v < 0:
                raise ValueError("negative")
            yield v

    with pytest.raises(ValueError, match="negative"):
        ag.function(lambda x: raising(x))(VECTORS[0])


@pytest.mark.parametrize("make", [
    lambda x: itertools.count(x[0]), lambda x: itertools.cycle(x), lambda x: itertools.repeat(x),
    lambda x: for_ever(x)])
def test_one_without_an_end_is_refused(make):
    with pytest.raises(TracingError, match=r"without an end(.|\n)*hint: .*islice"):
        ag.function(make)(VECTORS[0])


class Events:
    def __init__(self):
        self.waiting, self.count, self.now = [], 0, 0.0

    def at(self, delay, event):
        heapq.heappush(self.waiting, (self.now + delay, self.count, event))
        self.count += 1

    def run(self, until):
        while self.waiting and self.waiting[0][0] <= until:
            self.now, _, event = heapq.heappop(self.waiting)
            event()


def items_of(x):
    yield from x


@pytest.mark.parametrize("make", [
    iter, items_of, lambda x: (abs(v) for v in x), lambda x: map(abs, x),
    lambda x: (v for v in [1.0, 2.0, 3.0]), lambda x: (v + x[0] for v in range(3)),
    lambda x: (v for v in (abs(u) for u in x))])
def test_one_in_a_variable_of_a_function_that_the_run_calls(make):
    """The call that the run makes would read where the trace stands."""
    def simulate(x):
        events, delays, log = Events(), make(x), []

        def arrive():
            log.append(events.now)
            for delay in delays:
                events.at(float(abs(delay)), arrive)
                break

        events.at(0.0, arrive)
        events.at(float(abs(x[1])), arrive)
        events.run(5.0)
        return log

    traced = ag.function(simulate)
    with pytest.warns(ag.FallbackWarning, match="an iterator that the function made"):
        found = [traced(x) for x in VECTORS]
    assert found == [simulate(x) for x in VECTORS]
