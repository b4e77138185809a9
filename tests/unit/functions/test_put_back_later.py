"""What a function changes in its arguments and puts back later: a caller that catches an exception
from between finds it changed."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import run
from tests.support.program_files import program

HEAD = """
from collections import Counter, deque
from types import SimpleNamespace

import numpy as np


class Holder:
    def __init__(self):
        self.items, self.number, self.table, self.kinds = [], 0, {}, set()
        self.queue, self.counts, self.bytes = deque([2.0]), Counter(), bytearray(b"ab")
        self.array, self.pair, self.tables = np.zeros(2), (1, 2), {"a": {"b": 1.0}}
        self.inner = SimpleNamespace(v=1.0, items=[1.0])


def f(a, s):
    BODY
    return found


def g(a):
    s = Holder()
    try:
        return f(a, s), show(s)
    except Exception as error:
        return type(error).__name__, show(s)


def show(s):
    return repr({**vars(s), "inner": vars(s.inner)})
"""

CHANGES = {
    "s.number = a": "s.number = 0", "s.items.append(a)": "s.items.clear()",
    "s.items += [a]": "del s.items[:]", "s.table['k'] = a": "del s.table['k']",
    "s.kinds.add(3)": "s.kinds.discard(3)", "s.queue.append(a)": "s.queue.pop()",
    "s.counts['k'] += 1": "s.counts.clear()", "s.bytes[0] = 99": "s.bytes[0] = 97",
    "s.array += a": "s.array -= a", "s.pair = (a, 2)": "s.pair = (1, 2)",
    "s.tables['a']['b'] = a": "s.tables['a']['b'] = 1.0", "s.inner.v = a": "s.inner.v = 1.0",
    "s.inner.items.append(a)": "s.inner.items.pop()", "s.new = [a]": "del s.new",
    "s.kinds = s.kinds | {2}": "s.kinds = set()", "s.table.update(k=a)": "s.table.clear()"}
RAISES = ["found = [1, 2][int(a)]", "found = {0: 1, 1: 2}[int(a)]",
          "if a > 1: raise ValueError(a)\n    found = 1", "assert a < 2\n    found = 2",
          "found = 0\n    for i in range(int(a)):\n        if i > 2: raise KeyError(i)",
          "found = int('x' if a > 1 else '3')", "found = [[1, 2][int(v)] for v in (a, 0.0)]"]
FRAMES = ["{change}\n    {raising}\n    {back}", "{change}\n    {raising}",
          "if a > -1: {change}\n    {raising}\n    if a > -1: {back}"]
BODIES = [frame.format(change=change, back=back, raising=raising)
          for (change, back), raising, frame in itertools.product(CHANGES.items(), RAISES, FRAMES)]


@pytest.mark.parametrize("number", range(0, len(BODIES), 3))
@pytest.mark.parametrize("how", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
def test_callers_find_what_python_leaves(number: int, how: dict[str, Any], tmp_path: Path) -> None:
    for body in BODIES[number:number + 3]:
        module: Any = program(tmp_path, HEAD.replace("BODY", body))
        plain = [run(module.g, (np.float64(a),)).describe() for a in (0.0, 5.0, 1.0)]
        module.f = ag.function(module.f, **how)
        assert [run(module.g, (np.float64(a),)).describe() for a in (0.0, 5.0, 1.0)] == plain, body
