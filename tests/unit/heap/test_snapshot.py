"""Snapshots tell what changed since they were taken, and put it back."""

from types import SimpleNamespace

import numpy as np
import pytest

from autograph.runtime.heap.locations import locations_of
from autograph.runtime.heap.reachability import reachable_locations
from autograph.runtime.heap.snapshot import ArraySnapshot, Snapshot

COUNT = 1


def bind_global():
    global COUNT
    COUNT = 2


def bind_cell():
    n = 1

    def bind():
        nonlocal n
        n = 2

    return bind


CHANGES = {
    "list": ([1], lambda x: x.append(2)),
    "dict": ({"a": 1}, lambda x: x.update(b=2)),
    "order of a dict": ({"a": 1, "b": 2}, lambda x: x.update(a=x.pop("a"))),
    "set": ({1}, lambda x: x.clear()),
    "attributes": (SimpleNamespace(a=1), lambda x: vars(x).update(a=2)),
    "a global": (bind_global, lambda f: f()),
    "a cell": (bind_cell(), lambda f: f()),
    "a default": (lambda x=1: x, lambda f: setattr(f, "__defaults__", (2,))),
}
"""Name -> what is looked at, and what changes it."""


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen_and_undone(name):
    x, change = CHANGES[name]
    before = Snapshot.take(reachable_locations(x))
    assert before.is_current() and not before.changes()
    change(x)
    assert not before.is_current() and len(before.changes()) == 1
    before.restore(lambda change: False)
    assert not before.is_current()
    before.restore()
    assert before.is_current() and Snapshot.take(before) == dict(before)


def test_equal_contents_of_another_identity_are_a_change():
    x = [[1]]
    before = Snapshot.take(locations_of(x))
    x[0] = [1]
    assert len(before.changes()) == 1


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_arrays_are_compared_by_their_bits(value):
    a, constant = np.array([value, 1.0]), np.ones(2)
    constant.flags.writeable = False
    before = ArraySnapshot([a, constant])
    assert not before.changed()
    a[0] = -0.0
    assert [x is a for x in before.changed()] == [True]
    assert not before.restore(lambda array: array is constant)
    assert [x is a for x in before.restore()] == [True]
    assert not before.changed() and a.tobytes() == np.array([value, 1.0]).tobytes()
