"""Random programs whose values come from operations that change what others read: what is read
before a change has to be read before it, wherever the value is used in the end."""

from __future__ import annotations

import random

PRELUDE = """
import heapq
import numpy as np


class Counter:
    def __init__(self, n):
        self.n = n
        self.log = []

    def step(self, k):
        self.n += k
        self.log.append(self.n)
        return self.n


def tell(log, x):
    log.append(x)
    return x
"""

START = """
def f(x, n):
    q, heap, d, log = [], [], {}, []
    c = Counter(int(x[0]))
    while len(q) < n:
        q.append(len(q) * 3 % 7)
        heapq.heappush(heap, len(q) * 5 % 11)
        d[len(q)] = len(heap)
    it = iter([5, 1, 7, 0, 9, 3, 6, 2, 8, 4])
"""
"""The containers are of the run from here on, and hold at least a dozen items."""

VALUES = ["q.pop()", "q.pop(0)", "heapq.heappop(heap)", "d.setdefault({k}, len(q))", "len(q)",
          "d.pop({k}, -1)", "d.get({k}, len(heap))", "next(it)", "q[{k}]", "x[{k}]", "max(q)",
          "int(x[{k}])", "c.step({k})", "c.n", "tell(log, {a})", "tell(log, {k}) + {a}",
          "{a} + q.pop()", "{a} - x[{k}]", "(q.pop(), {a})[1]", "min(heap) * {a}", "len(log)",
          "heapq.heappushpop(heap, {k})", "q.pop() if {a} > 4 else d.get({k}, 0)", "sum(log)",
          "{a} > 3 and q.pop() > 1", "len([q.pop(), {a}, len(q)])", "d[1] if 1 in d else {a}"]
STEPS = ["q.append({a})", "x[{k}] = {a}", "x[{k}] += 1", "d[{k}] = {a}", "c.n += 1",
         "log.append({a})", "q[{k}] = {k}", "heapq.heappush(heap, {k})", "d.update(z={a})"]


def source(seed: int) -> str:
    """Returns a program: a few values are made, maybe changes between them, and all are returned in
    an order of their own."""
    rng = random.Random(seed)
    lines, names = [], ["n"]
    for number in range(rng.randint(4, 9)):
        def filled(form: str) -> str:
            return form.format(k=rng.randrange(4), a=rng.choice(names))

        if rng.random() < 0.25:
            lines.append(filled(rng.choice(STEPS)))
        else:
            lines.append(f"v{number} = {filled(rng.choice(VALUES))}")
            names.append(f"v{number}")
    used = rng.sample(names, len(names))
    pairs = [f"{a} + {b}" if rng.random() < 0.3 else f"({a}, {b})"
             for a, b in zip(used[::2], used[1::2], strict=False)]
    body = "".join(f"    {line}\n" for line in lines)
    return PRELUDE + START + body + f"    return {', '.join([*pairs, 'q', 'd', 'c.log', 'log'])},\n"
