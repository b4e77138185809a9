"""Derivatives through `heapq` and `bisect`: where one is taken, these are Python code."""

import bisect
import heapq
from random import Random

import numpy as np
import pytest

import autograph as ag
from autograph.ported import heaps
from tests.support.slopes import Trial

VALUES = np.array([0.3, -1.2, 0.9, 0.1, -0.4])


def merged(x):
    heap = []
    for k, v in enumerate(x):
        heapq.heappush(heap, (v, k))
    made = []
    while heap:
        v, k = heapq.heappop(heap)
        made.append(v * x[k])
    return np.stack(made)


def huffman(x):
    heap = [np.exp(v) for v in x]
    heapq.heapify(heap)
    cost = 0.0
    while len(heap) > 1:
        joined = heapq.heappop(heap) + heapq.heappop(heap)
        cost += joined * joined
        heapq.heappush(heap, joined)
    return cost


def running_best(x):
    heap = [x[0], x[1]]
    heapq.heapify(heap)
    lost = 0.0
    for v in x[2:]:
        lost += heapq.heappushpop(heap, v) ** 2
    return lost + heapq.heapreplace(heap, 2.0) * heap[0]


def two_best(x):
    return heapq.nlargest(2, list(x)), heapq.nsmallest(1, x, key=lambda v: v * v)


def inserted(x):
    made = [x[0]]
    for v in x[1:]:
        bisect.insort(made, v)
    return made, made[bisect.bisect_left(made, 0.0)]


@pytest.mark.parametrize("f", [merged, huffman, running_best, two_best, inserted])
@pytest.mark.parametrize("form", [lambda f: f, ag.function])
def test_both_modes(f, form):
    verdict = Trial(form(f), (VALUES,)).verdict()
    assert verdict.outcome == "agree", verdict.told


@pytest.mark.parametrize("seed", range(20))
def test_the_python_code_does_what_the_library_does(seed):
    random, one, two = Random(seed), [], []
    for _ in range(100):
        x, name = random.randrange(20), random.choice(
            ["heappush", "heappush", "heappop", "heapreplace", "heappushpop"])
        given = () if name == "heappop" else (x,)
        if one or name in ("heappush", "heappushpop"):
            assert getattr(heaps, name)(one, *given) == getattr(heapq, name)(two, *given)
        assert one == two
    for items in (one, two):
        random = Random(seed)
        random.shuffle(items)
    heaps.heapify(one)
    heapq.heapify(two)
    assert one == two
    for name in ("nlargest", "nsmallest"):
        assert getattr(heaps, name)(3, one, key=lambda x: -x % 7) == getattr(heapq, name)(
            3, two, key=lambda x: -x % 7)
    one.sort()
    for name in ("bisect_left", "bisect_right"):
        assert getattr(heaps, name)(one, 7, 1) == getattr(bisect, name)(one, 7, 1)
        assert getattr(heaps, name)(one, -7, key=lambda x: x - 12) == getattr(bisect, name)(
            one, -7, key=lambda x: x - 12)


def conditional_sum(x):
    total = 0.0
    for v in x:
        if v > 0:
            total += v * v
    return total


def test_rows_of_floats_of_either_class_have_gradients():
    x = np.array([[1.0, -2.0], [3.0, 4.0]])
    found = ag.grad(lambda x: np.sum(ag.vmap(conditional_sum)(x)))(x)
    np.testing.assert_array_equal(found, 2 * np.maximum(x, 0))
