"""Which handles may share memory: as if each kept a list of all the others."""

import random

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.symbolic import aliasing
from autograph.runtime.symbolic.aliasing import Handle, may_share, tie


@pytest.mark.parametrize("seed", range(40))
def test_handles_share_what_the_pairs_say(seed):
    choice = random.Random(seed)
    handles: list[Handle] = []
    pairs: dict[int, set[int]] = {}  # by position, as when each knew the others
    for number in range(60):
        new = Handle(Value(DYNAMIC))
        others = choice.sample(range(number), min(number, choice.choice([0, 0, 1, 1, 2, 3])))
        others = [k for k in others if handles[k] is not None]
        tie(new, [handles[k] for k in others])
        pairs[number] = set().union(*({k, *pairs[k]} for k in others))
        for k in pairs[number]:
            pairs[k].add(number)
        handles.append(new)
        if choice.random() < 0.2:
            gone = choice.randrange(number + 1)
            handles[gone] = None  # nothing refers to it any more
            for known in pairs.values():
                known.discard(gone)
        del new
        for k, handle in enumerate(handles):
            if handle is not None:
                assert {handles.index(x) for x in may_share(handle)} == {k, *pairs[k]}


def test_a_chain_of_values_of_unknown_classes_is_tied_to_few(monkeypatch):
    added = []

    class Counted(aliasing.WeakSet):
        def add(self, item):
            added.append(1)
            super().add(item)

    monkeypatch.setattr(aliasing, "WeakSet", Counted)

    def f(x):
        best = 0
        for i in range(60, 0, -1):
            best = max(best, x[i % 4]) * 0.5 + x[0]
        return best

    x = np.linspace(0.1, 0.9, 4)
    assert ag.function(f)(x) == f(x)
    assert len(added) < 60 * 60
