"""Which arrays of a call must share no memory: with each other, and with arrays outside."""

import random
import weakref

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions.partition import Ranges, overlap
from autograph.runtime.functions.recognised_calls import steps_of


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


PROGRAMS = {
    "one of two": lambda a, b: a.__setitem__(0, b[1] + 1.0),
    "one of four": lambda a, b, c, d: a.__setitem__(slice(2), b[1] + c[0] + d[:2]),
    "two of four": lambda a, b, c, d: (a.__iadd__(b[0]), c.__imul__(a[1] + d[0]), None)[-1],
}


def arguments_of(kind: str, count: int) -> list[np.ndarray]:
    """Returns arrays of three that lie in memory in one of several ways."""
    memory = np.arange(40.0)
    own = [np.arange(3.0) + i for i in range(count)]
    match kind:
        case "owners":
            return own
        case "parts":
            return [memory[4 * i: 4 * i + 3] for i in range(count)]
        case "overlapping":
            return [memory[2 * i: 2 * i + 3] for i in range(count)]
        case "the first twice":
            return [own[0], *own[:-1]]
        case "the last twice":
            return [*own[:-1], own[-2]]
        case "a view of the first":
            return [*own[:-1], own[0][::-1]]
        case _:
            return [np.frombuffer(bytearray(own[0].tobytes())), *own[1:]]


KINDS = ("owners", "parts", "overlapping", "the first twice", "the last twice",
         "a view of the first", "a buffer")


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("first", KINDS)
def test_known_calls_with_memory_of_any_kind(name: str, first: str) -> None:
    plain = PROGRAMS[name]
    count = plain.__code__.co_argcount
    traced = ag.function(plain)
    for kind in (*[first] * 15, *KINDS, *KINDS):
        ours, theirs = arguments_of(kind, count), arguments_of(kind, count)
        traced(*ours)
        plain(*theirs)
        assert [x.tobytes() for x in ours] == [x.tobytes() for x in theirs], kind


def test_an_array_outside_is_not_kept_alive() -> None:
    array = np.zeros(3)
    ranges = Ranges([array])
    assert ranges.meets(array, False) and not ranges.meets(array, True)
    assert ranges.meets(array[1:], True)
    gone = weakref.ref(array)
    del array
    assert gone() is None


COUNTS = np.zeros(3)


def test_an_array_outside_may_be_the_state_itself() -> None:
    @ag.function(effects="runtime")
    def count(x):
        COUNTS[0] += x[0]
        return COUNTS[0]

    x = np.ones(3)
    concrete = count.get_concrete_function(x)
    assert not concrete.partition.is_broken(x, COUNTS)
    assert concrete.partition.is_broken(COUNTS[:2], COUNTS)
    assert concrete.partition.is_broken(x, COUNTS[:2])
    before = float(COUNTS[0])
    assert [count(x), count(x)] == [before + 1, before + 2]
    assert count(COUNTS) == 2 * (before + 2)
