"""Arguments that are lists, dicts … of a class of the user's: their items are part of the
signature, and a trace sees when two names stand for one of them."""

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Items(list):
    pass


class Table(dict):
    pass


class Queue(collections.deque):
    pass


class Names(set):
    pass


class Owner:
    def __init__(self, held):
        self.held = held


READ: list[Callable[[Any, Any], Any]] = [
    lambda x, q: x + len(q), lambda x, q: x + sum(q), lambda x, q: (x, sorted(q)),
    lambda x, q: x + (100 in q), lambda x, q: [x + v for v in q], lambda x, q: (x, *q)]
OF_LISTS: list[Callable[[Any, Any], Any]] = [
    lambda x, q: x + q[0], lambda x, q: (x, q[:1]), lambda x, q: (x, q * 2),
    lambda x, q: x + q.count(100), lambda x, q: (x, q == [1, 2])]
OF_DICTS: list[Callable[[Any, Any], Any]] = [
    lambda x, q: x + q[1], lambda x, q: x + q.get(100, 3), lambda x, q: (x, list(q.items())),
    lambda x, q: x + sum(q.values())]
CASES = [(cls, f) for cls in (Items, Table, Queue, Names) for f in READ] + [
    (Items, f) for f in OF_LISTS] + [(Table, f) for f in OF_DICTS]


def made(cls: type) -> Any:
    return cls({1: 4, 2: 5}) if cls is Table else cls([1, 2])


def change(q: Any) -> None:
    if isinstance(q, Table):
        q[100] = q[1] = 7
    elif isinstance(q, Names):
        q.add(100)
    else:
        q[0] = 100
        q.append(50)


@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize(("cls", "f"), CASES)
def test_changed_items_are_seen(cls: type, f: Callable[..., Any], effects: str) -> None:
    traced, q = ag.function(f, effects=effects), made(cls)
    for _ in range(3):
        x = np.float64(1.5)
        assert repr(traced(x, q)) == repr(f(x, q))
        change(q)


def test_a_list_that_contains_itself() -> None:
    q = Items([1])
    q.append(q)
    traced = ag.function(lambda x, q: x + q[0])
    assert traced(np.float64(1), q) == 2
    q[0] = 5
    assert traced(np.float64(1), q) == 6


def read_after_store(x, p, q):
    if x > 0:
        p[0] = 7
        p.append(sum(q[:1]))
    return x


def slices(x, p, q):
    if x > 0:
        del p[:1]
        p[:] = q[:3]
    return x


def of_an_owner(x, p, o):
    if x > 0:
        p[0] = 7
        p.append(sum(o.held[:1]))
    return x


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
@pytest.mark.parametrize("cls", [list, Items])
@pytest.mark.parametrize("f", [read_after_store, slices])
@pytest.mark.parametrize("order", [[(0, 1), (1, 1), (0, 0), (0, 1)], [(1, 1), (0, 1), (1, 0)]])
def test_two_names_for_one(cls: type, f: Callable[..., Any], order: list[tuple[int, int]]) -> None:
    traced, mine, plain = ag.function(f), [], []
    for held in (mine, plain):
        held += [cls([1, 2, 3]), cls([4, 5, 6])]
    for i, j in order:
        traced(np.float64(1), mine[i], mine[j])
        f(np.float64(1), plain[i], plain[j])
        assert mine == plain


@pytest.mark.parametrize("cls", [list, Items])
@pytest.mark.parametrize("order", ["0101", "1010"])
@pytest.mark.parametrize("captures", ["freeze", "guard"])
def test_what_an_object_holds_is_an_argument_as_well(cls: type, order: str, captures: str) -> None:
    traced = ag.function(of_an_owner, captures=captures)
    if captures == "freeze" and order == "0101":
        order = "01"
    mine, plain = [cls([5]), Owner(cls([1, 2]))], [cls([5]), Owner(cls([1, 2]))]
    for same in order:
        traced(np.float64(1), mine[1].held if same == "1" else mine[0], mine[1])
        of_an_owner(np.float64(1), plain[1].held if same == "1" else plain[0], plain[1])
        assert (mine[0], mine[1].held) == (plain[0], plain[1].held)
