"""State outside a function: branches that raise, containers without an end, too many objects."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import TracingError
from autograph.runtime.heap import reachability

MODES: list[dict[str, Any]] = [{}, {"effects": "runtime", "captures": "guard"}]
SEEN: dict[str, int] = {}
ITSELF: list[Any] = []
ITSELF.append(ITSELF)


class Thing:
    pass


def raises_after(x):
    if x < 3:
        SEEN["a"] = SEEN.get("a", 0) + 1
        raise ValueError
    return x


def appends_itself(x):
    items = [1]
    if x > 0:
        items.append(items)
    return len(items)


def changes_a_list_of_itself(x):
    if x > 0:
        ITSELF.append(x)
    return x


def stores_a_list_of_itself(x):
    made: list[Any] = []
    made.append(made)
    THING.items = made
    return x


def returns_itself(x):
    made: dict[str, Any] = {"x": x}
    made["made"] = made
    return made


THING: Any = Thing()


@pytest.mark.parametrize("mode", MODES)
def test_what_a_branch_changes_before_it_raises_stays(mode):
    SEEN.clear()
    f = ag.function(raises_after, **mode)
    for count in (1, 2, 3):
        with pytest.raises(ValueError):
            f(np.float64(count % 3))
        assert {"a": count} == SEEN
    assert f(np.float64(5)) == 5 and SEEN == {"a": 3}


@pytest.mark.parametrize("mode", MODES)
def test_a_set_that_a_branch_changes_before_it_raises_stays_changed(mode):
    def f(s, u, x):
        if x > 2:
            s.add(9)
            u.append(8)
            raise KeyError
        return x

    for x, expected in ((1.0, ({3}, [7])), (4.0, ({3, 9}, [7, 8]))):
        s, u = {3}, deque([7])
        with suppress(KeyError):
            ag.function(f, **mode)(s, u, np.float64(x))
        assert (s, list(u)) == expected


@pytest.mark.parametrize("function", [appends_itself, changes_a_list_of_itself,
                                      stores_a_list_of_itself, returns_itself])
@pytest.mark.parametrize("mode", [{}, {"effects": "runtime"}])
def test_containers_that_contain_themselves_run_as_plain_python(function, mode):
    f = ag.function(function, **mode)
    with pytest.raises(TracingError, match="contains itself"):
        f.graph(np.float64(2))
    with pytest.warns(ag.FallbackWarning, match="contains itself"):
        f(np.float64(2))


def test_more_objects_than_are_visited_are_refused(monkeypatch):
    monkeypatch.setattr(reachability, "MAX_OBJECTS", 50)
    items = [[i] for i in range(100)]

    def f(x):
        if x > 0:
            items[70].append(x)
        return x

    with pytest.raises(TracingError, match="more than 50 objects"):
        ag.function(f)(np.float64(2))
