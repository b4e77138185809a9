"""What the cotangents of lists cost: none is copied where the one before is of no use any more."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autograph as ag


def pooled(y):
    """Neighbours out of order become one block, as in isotonic regression."""
    blocks = []
    for v in y:
        blocks.append([v, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, count = blocks.pop()
            other, more = blocks.pop()
            blocks.append([(mean * count + other * more) / (count + more), count + more])
    return sum(mean * mean * count for mean, count in blocks)


def weighed(x, n):
    """Reads a list of which only the run knows the length, item by item."""
    kept = [x * 1.0]
    total = x * 0.0
    for _ in range(n):
        kept.append(kept[-1] * 0.9)
    kept = kept[1:]
    for i in range(len(kept)):
        total = total + kept[i] * float(i)
    return np.sum(total * total)


@pytest.mark.parametrize(("f", "args"), [
    (pooled, (np.array([0.5, 0.25, 1.5, 1.0, 0.75, 2.0, 1.25]),)),
    (weighed, (np.array([0.5, -0.25]), np.int64(5)))], ids=["pooled", "weighed"])
def test_cotangents_of_lists_are_changed_in_place_in_loops(f, args):
    gradient = ag.function(ag.grad(f))
    found = gradient(*args)
    steps = [(f(args[0] + e, *args[1:]) - f(args[0] - e, *args[1:])) / 2e-6
             for e in np.eye(len(args[0])) * 1e-6]
    np.testing.assert_allclose(found, steps, rtol=1e-6)
    lines = gradient.get_concrete_function(*args).source.splitlines()
    backward = [k for k, line in enumerate(lines) if re.match(r"\s*for k(_\d+)? in ", line)]
    assert backward
    for start in backward:
        depth = len(lines[start]) - len(lines[start].lstrip())
        for line in lines[start + 1:]:
            if len(line) - len(line.lstrip()) <= depth:
                break
            assert "copy(" not in line, line
