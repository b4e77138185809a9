"""Solves data-flow problems over bit sets, with one worklist algorithm."""

from __future__ import annotations

from collections.abc import Sequence

Edges = Sequence[Sequence[int]]


def solve(sources: Edges, gen: Sequence[int], kill: Sequence[int],
          start: Sequence[int], order: Sequence[int]) -> tuple[list[int], list[int]]:
    """Returns the least sets with  before[p] = start[p] | after of all sources[p]
    and  after[p] = gen[p] | (before[p] & ~kill[p]).

    `order` lists all points; few visits are needed if each comes after its sources.
    """
    count = len(gen)
    before, after = list(start), [0] * count
    users: list[list[int]] = [[] for _ in range(count)]
    for point in range(count):
        for source in sources[point]:
            users[source].append(point)
    work, waiting = list(reversed(order)), [True] * count
    while work:
        point = work.pop()
        waiting[point] = False
        into = before[point]
        for source in sources[point]:
            into |= after[source]
        before[point] = into
        result = gen[point] | (into & ~kill[point])
        if result == after[point]:
            continue
        after[point] = result
        for user in users[point]:
            if not waiting[user]:
                waiting[user] = True
                work.append(user)
    return before, after
