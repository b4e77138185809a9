"""Which arrays of a call must share no memory: with each other, and with arrays outside."""

import random
import weakref

import numpy as np
import pytest

import autograph as ag
from autograph.function.guard_tables import steps_of
from autograph.runtime.functions.partition import Ranges, overlap


def pairwise(arrays, written):
    return any(np.may_share_memory(a, b) for a in arrays if id(a) in written
               for b in arrays if a is not b)


@pytest.mark.parametrize("seed", range(60))
def test_sorted_ranges_are_what_pairs_are(seed: int) -> None:
    chance = random.Random(seed)
    memory = np.zeros(1000)
    arrays = []
    for _ in range(chance.randrange(2, 9)):
        start = chance.randrange(0, 990)
        arrays.append(memory[start: start + chance.randrange(0, 1000 // 5): chance.choice((1, 2))])
    written = {id(a) for a in arrays if chance.random() < 0.4}
    assert overlap(arrays, written) == pairwise(arrays, written)
    outside = Ranges(arrays[1:])
    assert outside.meets(arrays[0], False) == any(
        np.may_share_memory(arrays[0], a) for a in arrays[1:])


def test_guards_of_many_arrays_are_few() -> None:
    @ag.function
    def add(d):
        d["a0"] += 1
        return sum(d.values())

    concrete = add.get_concrete_function({f"a{i}": np.zeros(2) for i in range(300)})
    steps = steps_of(concrete)
    assert steps is not None and len(steps) < 2000


def test_an_array_outside_is_not_kept_alive() -> None:
    array = np.zeros(3)
    ranges = Ranges([array])
    assert ranges.meets(array, False) and not ranges.meets(array, True)
    assert ranges.meets(array[1:], True)
    gone = weakref.ref(array)
    del array
    assert gone() is None
