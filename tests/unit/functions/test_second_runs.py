"""Functions with handlers, whose graphs raise again and again: what they change and what they use
outside is found at every call, however little is searched."""

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions.unseen_changes import Watcher
from autograph.runtime.signatures.binding import bind

CALLS = 40
"""More than it takes until the graph is not tried at each call."""


def test_a_graph_is_used_again_after_many_that_raised():
    @ag.function
    def looked_up(keys, values):
        found = 0.0
        for k in keys:
            try:
                found += values[k]
            except IndexError:
                found -= 1.0
        return found

    values = np.array([1.0, 2.0])
    for number in range(CALLS):
        keys = [0, 1] if number % 20 == 0 else [0, 5]
        assert looked_up(keys, values) == (3.0 if number % 20 == 0 else 0.0)


class Kept:
    count = 0


def helper():
    return 0


items: list[int] = []


def counting():
    Kept.count += 1


def appending(_into=items):
    _into.append(len(_into))


def program(x):
    return helper() + Kept.count + later()  # noqa: F821  # bound by a test


def found_by(watcher, change):
    """Returns the number of locations that are found when a run makes a change."""
    found = []
    watcher.run(change, found.append)
    return sum(map(len, found))


def rebound(monkeypatch, name):
    """Makes a global name mean a function that changes a list."""
    monkeypatch.setitem(globals(), name, appending)


@pytest.fixture
def watcher():
    made = Watcher(program, bind({"x": np.ones(3)}), frozenset())
    for _ in range(2):
        assert not found_by(made, lambda: None)
    assert made.known is not None
    return made


def test_a_change_is_found_though_what_is_reached_is_remembered(watcher):
    assert [found_by(watcher, counting) for _ in range(3)] == [1, 1, 1]
    assert not found_by(watcher, lambda: None)


@pytest.mark.parametrize("name", ["helper", "later"])
def test_a_function_that_a_name_means_later_is_searched(watcher, monkeypatch, name):
    assert not found_by(watcher, appending)  # it is not reached
    rebound(monkeypatch, name)
    assert found_by(watcher, appending) == 1
    assert watcher.known is None  # of lists only the search knows


def test_defaults_that_are_set_later_are_searched(watcher, monkeypatch):
    held = []
    monkeypatch.setattr(helper, "__defaults__", (held,))
    assert found_by(watcher, lambda: held.append(1)) == 1


def test_code_that_is_set_later_is_searched(watcher, monkeypatch):
    assert not found_by(watcher, lambda: items.append(1))
    monkeypatch.setattr(helper, "__code__", (lambda: items).__code__)
    assert found_by(watcher, lambda: items.append(1)) == 1


def test_what_a_class_gets_later_is_searched(watcher, monkeypatch):
    held = []
    monkeypatch.setattr(Kept, "held", held, raising=False)
    assert found_by(watcher, lambda: held.append(1)) == 1
