"""Tuples of which only the run knows the items: as indices they stay tuples, as numbers arrays."""

import heapq
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

V = np.array([0.6, 0.7, -0.4, 0.35])
WEIGHTS = np.arange(1.0, 10.0).reshape(3, 3)


def shortest(v):
    """Dijkstra's distances: each read of the table is by a node of the heap."""
    w, distances = WEIGHTS * v[0] ** 2, [1e9] * 3
    distances[0], heap = 0.0, [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distances[u]:
            continue
        for k in range(3):
            other = d + w[u, k] * v[k] ** 2
            if other < distances[k]:
                distances[k] = other
                heapq.heappush(heap, (other, k))
    return sum(distances)


def of_pairs(function):
    """A sum over pairs that a list holds."""
    def total(v):
        pairs, a, made = [(0.0, 0), (1.0, 1), (2.0, 2)], np.outer(v[:3], v[1:]), 0.0
        while pairs:
            d, u = pairs.pop()
            made = made + function(a, d, u, v)
        return made

    return total


def put(a, d, u, v):
    stored = np.zeros((3, 3))
    np.put(stored, (u, 4), v[u])
    stored[u, 1] += v[0] * d
    np.add.at(stored, (u, 2), a[u, u])
    return np.sum(stored**2 * WEIGHTS)


def merged(v):
    """The two least of a heap become one, as in Huffman's code."""
    heap, cost = [(x * x, i) for i, x in enumerate(v)], 0.0
    heapq.heapify(heap)
    while len(heap) > 1:
        x, i = heapq.heappop(heap)
        y, _ = heapq.heappop(heap)
        cost = cost + x * y + x
        heapq.heappush(heap, (x + y, i))
    return cost + heap[0][0] ** 2


def swapped(v):
    pairs = [(x, x * x) for x in v]
    for i in range(3):
        if pairs[i][0] > pairs[i + 1][0]:
            pairs[i], pairs[i + 1] = pairs[i + 1], (pairs[i][0], pairs[i][1] * 2)
    return sum(k * b for k, (_, b) in enumerate(pairs))


def rows(v):
    """A pair that is stored may be a row of a table, too, and stand in it several times."""
    table = [np.zeros((4, 2)), np.zeros((4, 2, 2))][int(v[0] < 10)]
    i = 0
    while i < 4 and v[i] < 9:
        table[i] = (v[i], v[i] ** 2)
        i += 1
    return np.sum(table**2 * np.arange(1.0, 3.0))


PROGRAMS: list[Callable[..., Any]] = [
    shortest, merged, swapped, rows, of_pairs(put), of_pairs(lambda a, d, u, v: a[u, 1] * a[1, u]),
    of_pairs(lambda a, d, u, v: np.take(a, (u, 0))[0] + np.take(v, u) ** 2),
    of_pairs(lambda a, d, u, v: np.take(a, (u, 1), axis=0)[0, 1] * v[u]),
    lambda v: np.take(v, (0, 2)).sum() ** 2 + v.take((3,))[0] ** 2]


@pytest.mark.parametrize("f", PROGRAMS)
def test_both_modes_and_both_orders_of_second_derivatives(f: Callable[..., Any]) -> None:
    verdict = Trial(f, (V,)).verdict()
    assert verdict.outcome == "agree", verdict.told
    gradient, step = ag.grad(f), 1e-5
    rows = [(gradient(V + step * e) - gradient(V - step * e)) / (2 * step) for e in np.eye(4)]
    for k, row in enumerate(rows):
        forward = ag.jvp(gradient, (V,), (np.eye(4)[k],))[1]
        reverse = ag.grad(lambda v: gradient(v)[k])(V)  # noqa: B023
        np.testing.assert_allclose(forward, row, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(reverse, row, rtol=1e-4, atol=1e-6)


LISTS: list[Callable[..., Any]] = [
    lambda v: math.prod([x + 1 for x in v if x > 0]),
    lambda v: math.fsum(x * x for x in v if x < 1),
    lambda v: math.prod([x for x in v if x > 9]) + v[0] ** 2,
    lambda v: math.prod([x * (k != 2) for k, x in enumerate(v) if x < 9]) * v[0] + v[1],
    lambda v: np.sum(math.prod([v[i:i + 2] * v[0] for i in range(3) if v[i] < 5])),
    lambda v: math.prod([v[0], v[1]], start=v[3]), lambda v: math.prod([v, v + 1.0]).sum()]


@pytest.mark.parametrize("f", LISTS)
def test_products_of_lists_that_only_the_run_knows(f: Callable[..., Any]) -> None:
    verdict = Trial(f, (V,)).verdict()
    assert verdict.outcome == "agree", verdict.told
