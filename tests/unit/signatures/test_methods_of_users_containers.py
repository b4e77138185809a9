"""Containers of the user's classes whose special methods tell: they are called as often as Python
calls them, and by nobody else."""

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

LOG: list[str] = []


def telling(base: type, *names: str) -> type:
    def method(name: str) -> Callable[..., Any]:
        def told(self, *args):
            LOG.append(name)
            return getattr(base, name)(self, *args)

        return told

    return type(f"Telling{base.__name__}", (base,), {name: method(name) for name in names})


ASKED = ("__len__", "__iter__", "__contains__")
LISTS = [telling(list, *ASKED, "__reversed__"), telling(collections.deque, *ASKED)]
DICTS = [telling(dict, *ASKED, "keys", "items", "values")]
SETS = [telling(set, *ASKED)]
TUPLES = [telling(tuple, *ASKED)]

OF_ALL: list[Callable[..., Any]] = [
    lambda x, q: x, lambda x, q: len(q), lambda x, q: x in q, lambda x, q: 3 in q,
    lambda x, q: [v for v in q], lambda x, q: sum(q), lambda x, q: sorted(q),  # noqa: C416
    lambda x, q: 1 if q else 2, lambda x, q: (q, x), lambda x, q: list(q), lambda x, q: [*q, x],
    lambda x, q: len(q) if x > 1 else 0, lambda x, q: sum(q) if x > 1 else 0,
    lambda x, q: q if x > 1 else None, lambda x, q: q and x, lambda x, q: x + max(q),
    lambda x, q: q is None, lambda x, q: isinstance(q, list), lambda x, q: [len(q), len(q)]]
OF_LISTS: list[Callable[..., Any]] = [
    lambda x, q: q[0], lambda x, q: q[int(x) % 2], lambda x, q: q[int(x) % 2] if x > 1 else 0,
    lambda x, q: list(reversed(q)), lambda x, q: q[-1], lambda x, q: dict(enumerate(q))]
OF_DICTS: list[Callable[..., Any]] = [
    lambda x, q: q[0], lambda x, q: q[int(x) % 2], lambda x, q: list(q.items()),
    lambda x, q: q.get(1), lambda x, q: q.get(int(x)), lambda x, q: sum(q.values())]
CASES = [(cls, f) for group, own in ((LISTS, OF_LISTS), (DICTS, OF_DICTS), (SETS, []),
                                     (TUPLES, OF_LISTS[:3])) for cls in group
         for f in (*OF_ALL, *own)]


def told(f: Callable[..., Any], x: float, q: Any) -> list[str]:
    LOG.clear()
    f(np.float64(x), q)
    return LOG[:]


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
@pytest.mark.parametrize("mode", [{}, {"effects": "runtime", "captures": "guard"}])
@pytest.mark.parametrize("number", range(len(CASES)))
def test_they_are_called_as_python_calls_them(number: int, mode: dict[str, Any]) -> None:
    cls, f = CASES[number]
    traced = ag.function(f, **mode)
    q: Any = cls({0: 3, 1: 4}) if issubclass(cls, dict) else cls([3, 4])
    for x in (0.0, 2.0, 3.0):
        assert told(traced, x, q) == told(f, x, q), x


class AllIn:
    def __contains__(self, item):
        LOG.append("asked")
        return item != 7


BASES: list[Any] = [set, dict, list, tuple, frozenset, collections.deque]


@pytest.mark.parametrize("base", BASES)
def test_their_own_contains_is_asked(base: type) -> None:
    q = type("Asked", (AllIn, base), {})()
    inside = ag.function(lambda x, q: (x in q, x not in q, 1 if x in q else 0))
    for x, found in ((5.0, True), (7.0, False)):
        LOG.clear()
        assert inside(np.float64(x), q) == (found, not found, int(found))
        assert LOG == ["asked"] * 3


class Doubled:
    def __getitem__(self, key):
        LOG.append("asked")
        return 2 * super().__getitem__(int(key))


@pytest.mark.parametrize("base", [list, dict, tuple, collections.deque])
def test_their_own_getitem_is_asked(base: type) -> None:
    cls = type("Asked", (Doubled, base), {})
    q = cls({0: 3, 1: 4}) if base is dict else cls([3, 4])
    items = ag.function(lambda x, q: (q[int(x)], q[int(x)], q[int(x)] if x > 0 else 0))
    for x, found in ((0.0, (6, 6, 0)), (1.0, (8, 8, 8))):
        LOG.clear()
        assert items(np.float64(x), q) == found
        assert ["asked"] * (3 if x else 2) == LOG
