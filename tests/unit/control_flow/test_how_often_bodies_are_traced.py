"""How often the body of a loop is traced: no oftener for what moves from place to place."""

import random

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.control_flow import traced_loop
from autograph.runtime.control_flow.loop_state import Aliases, Carried
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.symbolic.aliasing import Handle


@pytest.fixture
def traces(monkeypatch):
    count = []
    grow = traced_loop.Loop.grow

    def counted(self, *regions):
        count.append(1)
        return grow(self, *regions)

    monkeypatch.setattr(traced_loop.Loop, "grow", counted)
    return count


def along_a_row(x, length):
    """The maximum of each place and the one before moves along the row, one place an iteration."""
    places = dict.fromkeys(range(length), 0.0)
    change = 1.0
    while change > x[1]:
        before = dict(places)
        for k in range(length):
            places[k] = max(before[k - 1], x[0]) * 0.5 if k else max(0.0, x[0])
        change = sum(abs(places[k] - before[k]) for k in places)
    return places


@pytest.mark.parametrize("length", [4, 24])
def test_traces_do_not_grow_with_the_length(traces, length):
    x = np.array([0.7, 0.2])
    made, plain = ag.function(along_a_row)(x, length), along_a_row(x, length)
    assert made == plain and str(made) == str(plain)
    assert len(traces) <= traced_loop.PATIENCE + 4


@pytest.mark.parametrize("seed", range(20))
def test_aliases_are_those_of_all_pairs(seed, monkeypatch):
    choice = random.Random(seed)
    handles = [Handle(Value(DYNAMIC)) for _ in range(12)]
    leaves = [Carried(DYNAMIC, 0) for _ in range(8)]
    for leaf in leaves:
        leaf.handle = choice.choice([None, *handles])
    ends = [set(choice.sample(handles, choice.choice([0, 0, 1, 1, 2]))) for _ in leaves]
    starts = [set(choice.sample(handles, choice.choice([0, 0, 1, 2]))) for _ in leaves]
    for leaf, start in zip(leaves, starts, strict=True):
        leaf.init = start
    monkeypatch.setattr(Carried, "start", lambda self: self.init)
    found = Aliases(leaves, ends)
    for k in range(8):
        assert found.of(k) == [j for j in range(8) if j != k and (
            starts[j] & starts[k] or ends[j] & ends[k] or leaves[j].handle in ends[k]
            or leaves[k].handle in ends[j])]
