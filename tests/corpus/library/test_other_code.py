"""Programs taken from other people's code, plainly and traced, in both modes.

`AGREE` are those that went wrong once, or were refused; `REFUSED` those that still are, each with a
part of the reason. All that can be seen of a call is compared: see `tests.support.beside_plain`.
"""

from __future__ import annotations

import contextlib
import heapq
import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.support.beside_plain import Arguments, verdict

Fn = Callable[..., Any]


class Item:
    def __init__(self, key: Any, priority: Any) -> None:
        self.key, self.priority = key, priority

    def __lt__(self, other: Item) -> Any:
        return self.priority < other.priority

    def to_dict(self) -> Any:
        d = self.__dict__
        d["id"] = "item"
        return d


class Queue:
    def __init__(self, *items: Item) -> None:
        self.held = list(items)


def inside(queue):
    return queue.held[0].key


def inside_of_lists(rows):
    return [rows[0].key, {"second": rows[1].key}]


def copied(queue):
    d = copy(queue.held[0].to_dict())
    d["priority"] = -1 * d["priority"]
    return d


def popped(queue):
    """Nobody else holds the object whose attributes are returned."""
    d = heapq.heappop(queue.held).to_dict()
    d["priority"] = -1 * d["priority"]
    return d


def popped_and_changed(queue):
    return queue.held.pop().to_dict()


def branching(x):
    if x > 0:
        yield x
        return 5
    yield 0
    return 6


def received(x):
    result = yield from branching(x)
    yield result


def received_in_a_loop(x):
    count = 0
    for v in x:
        if v > 1:
            count = yield from branching(v)
            yield v
    rest = yield from [1, 2]
    return count, rest


def counted():
    yield 1
    return 9


def results(x):
    return list(received(x[0])), sum(received(x[1]))


def results_of_results(x):
    def outer():
        a = yield from received_in_a_loop(x)
        b = yield from counted()
        if x[0] > 0:
            yield b
        yield a

    return list(outer())


def results_left_early(x):
    total = 0
    for v in received(x[0]):
        if v > 3:
            break
        total += v
    return total


def endless_results(x):
    def up_to(limit):
        at = 0
        while True:
            if at > limit:
                return at
            at += 1
            yield at

    def both():
        a = yield from up_to(x[0])
        b = yield from up_to(x[1])
        yield a * 10 + b

    return list(both())


def iterator_read_twice(x):
    it = iter([a for a in x if a > -1.5])
    return list(zip(it, it, strict=False))


def characters(x):
    return bytearray.fromhex(" ".join(hex(int(v))[2:].zfill(2) for v in x * x)).decode("latin1")


def changed_bytes(x):
    made = bytearray.fromhex(hex(int(x[2]))[2:].zfill(2))
    if x[0] > 0:
        made.append(7)
    return made


def translated(x):
    table = str.maketrans("a", chr(int(x[2]) + 70))
    table[98] = "z"
    return "abc".translate(table), table, str.maketrans("a", "b")


def iterators(x):
    def several():
        for i in range(3):
            yield x[i]

    return (v * 2 for v in x), several(), (v for v in [1, 2])


def iterators_of_builtins(x):
    return (map(lambda v: v * 2, x), filter(lambda v: v > 0, x), zip(x, x), enumerate(x, 3),
            iter(x.tolist()), zip([1, x[0]], "ab"))


def iterators_without_items(x):
    few = [v for v in x if v > 100]
    return zip(few, few), enumerate(few), map(abs, few), filter(None, few), (v for v in few)


@dataclass
class Side:
    length: Any


@dataclass
class Polygon:
    sides: list[Side]


def chosen_side(polygon, i):
    return polygon.sides[i]


def set_side(polygon, i):
    polygon.sides[i] = polygon.sides[0]
    return polygon.sides


@dataclass
class Doubling:
    low: Any
    high: Any = 1.0

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value * 2)

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)
        self.low = -1.0


def set_by_its_class(x, made):
    if x[0] > 0:
        made.high = x[1]
    made.low += x[2]


def deleted_by_its_class(x, made):
    made.low = x[0]
    del made.high


def edges_in_order(edges, i):
    edges = sorted(edges, key=lambda edge: edge[0])
    pairs = sorted([(len(edge), edge) for edge in edges], key=lambda pair: pair[1][1])
    return edges, pairs, sorted(edges), [(edge,) for edge in edges][i]


def hashed(edges, i):
    """Keys are hashed, which an array cannot be, also where `in` asks for them."""
    return edges[0][0] in {3: 1, 5: 2}, edges[1][0] in {3, 4}, np.array(i) in {1: 2}


def least_edge(edges, i):
    return min(edges), max(edges[0], edges[i]), max(edges, key=lambda edge: edge[1])


def rows() -> list[list[Any]]:
    return [[np.int64(v) for v in row] for row in ((3, 1), (2, 2), (0, 5))]


def one() -> Item:
    return Item(np.array([1.0, 2.0]), 4.0)


def other() -> Item:
    return Item(np.array([3.0, 2.0]), 2.5)


QUEUES = [((Queue(one()),), {}), ((Queue(one(), other()),), {})]
ARRAYS = [((np.array(v),), {}) for v in ([1.0, -2.0, 3.0], [-1.0, 2.0, 5.0], [4.0, 4.0, 0.0])]

AGREE: list[tuple[Fn, list[Arguments]]] = [
    *((f, QUEUES) for f in (inside, copied, popped, popped_and_changed)),
    (inside_of_lists, [(([one(), other()],), {}), (([other(), one()],), {})]),
    *((f, ARRAYS) for f in (results, results_of_results, results_left_early, endless_results,
                         iterator_read_twice, characters, changed_bytes, translated,
                         iterators, iterators_of_builtins, iterators_without_items)),
    *((f, [((Polygon([Side(v) for v in of]), np.int64(i)), {})
           for of, i in (([1.0], 0), ([1.0], 1), ([2.0, 3.0], 1))])
      for f in (chosen_side, set_side)),
    *((f, [((*args, Doubling(1.0)), {}) for args, _ in ARRAYS])
      for f in (set_by_its_class, deleted_by_its_class)),
    *((f, [((rows(), np.int64(1)), {}), ((rows()[::-1], np.int64(2)), {})])
      for f in (edges_in_order, least_edge, hashed))]


@contextlib.contextmanager
def noted(log, k):
    log.append(k)
    yield k
    log.append(-k)


def contexts_of_the_run(x):
    log = []
    with contextlib.ExitStack() as stack:
        for i in range(int(x[2])):
            stack.enter_context(noted(log, i))
    return log


def written_by_nditer(x):
    with np.nditer(x, op_flags=["readwrite"]) as items:
        for a in items:
            a[...] = a * 2
    return x


@dataclass
class Linked:
    value: Any
    parent: Any = None
    child: Any = None


def linked_both_ways(x):
    top = Linked(x[0])
    top.child = Linked(x[1], top)
    return top


def memory(x):
    return x[1:].base is x


def group_of_the_run(x):
    errors = [ValueError(a) for a in x if a > 0]
    try:
        raise ExceptionGroup("all", errors)
    except ExceptionGroup as e:
        return len(e.exceptions)


class Signal:
    def __init__(self, samples):
        self.samples = samples

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.samples)


def mean_of_an_object(x):
    return np.mean(Signal(x * 2)), np.add(Signal(x), 1)


def array_of_an_object_under_a_handler(x):
    try:
        return np.sum(Signal(x))
    except (TypeError, ValueError):
        return "no array"


def generator(x):
    yield x


PLAIN = {
    contexts_of_the_run: "_GeneratorContextManager",
    memory: "the memory of a symbolic value is asked for",
    written_by_nditer: "np.nditer walks through the memory of symbolic values",
    group_of_the_run: "a list gets another length",
    mean_of_an_object: "NumPy asks an object for its array, which is symbolic",
    array_of_an_object_under_a_handler: "NumPy asks an object for its array, which is symbolic",
    linked_both_ways: "a data class Linked that contains itself"}
"""Programs that run as plain Python, as no trace can follow them: why."""

REFUSED = {generator: "it is a generator"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("f", "sets"), AGREE)
def test_agrees(f: Fn, sets: list[Arguments], mode: str) -> None:
    found = verdict(f, sets, mode)
    assert (found.kind, found.calls) == ("same", len(sets) + 1), found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", PLAIN)
def test_runs_as_plain_python(f: Fn, mode: str) -> None:
    found = verdict(f, ARRAYS, mode)
    assert (found.kind, found.calls) == ("same", len(ARRAYS) + 1), found
    with pytest.warns(ag.FallbackWarning, match=re.escape(PLAIN[f])):
        ag.function(f, **MODES[mode])(np.array([1.0, -2.0, 3.0]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", REFUSED)
def test_is_refused_with_its_line(f: Fn, mode: str) -> None:
    found = verdict(f, ARRAYS, mode)
    assert found.kind == "refused" and REFUSED[f] in found.why, found
    assert re.search(rf"{re.escape(__file__)}:\d+", found.why)
    assert f is generator or "hint: " in found.trace
