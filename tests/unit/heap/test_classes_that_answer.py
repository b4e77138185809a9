"""A metaclass that answers to every attribute, as that of a mock: its classes are like others."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Answers(type):
    def __getattr__(cls, name: str) -> Any:
        return True


class Point(metaclass=Answers):
    __test__ = False

    def __init__(self, x: Any) -> None:
        self.x = x


def made(x: Any) -> Any:
    return Point(x * 2)


def made_in_branch(x: Any) -> Any:
    p = Point(x)
    if x > 0:
        p = Point(x + 1)
    return p


def set_in_branch(x: Any) -> Any:
    p = Point(x)
    if x > 0:
        p.y = x
    return p


def carried(x: Any) -> Any:
    p = Point(x)
    while p.x < 20 + x:
        p = Point(p.x * 2 + 1)
    return p


def listed(x: Any) -> Any:
    found = [Point(0)]
    for i in range(3):
        if x > i:
            found.append(Point(x + i))
            found[-1].x += found[0].x
    return found


def chosen(x: Any) -> Any:
    p, q = Point(x), Point(x + 1)
    r = p if x > 0 else q
    r.x += 1
    return p, q


def of_argument(x: Any, p: Any) -> Any:
    if x > 0:
        p.x = p.x + x
    return p.x


def look(x: Any) -> Any:
    """Returns what a result holds, in a form that compares."""
    if isinstance(x, (tuple, list)):
        return type(x), [look(y) for y in x]
    return (type(x), vars(x)) if type(x) is Point else (type(x), x)


@pytest.mark.parametrize("how", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
@pytest.mark.parametrize("f", [made, made_in_branch, set_in_branch, carried, listed, chosen,
                               of_argument])
def test_answers_like_plain(f: Any, how: dict[str, Any]) -> None:
    g = ag.function(f, **how)
    for x in (1.5, -0.5, 2.5):
        given = [np.float64(x)] + ([Point(np.float64(3))] if f is of_argument else [])
        here = copy.deepcopy(given)
        assert look(g(*here)) == look(f(*given))
        assert look(here) == look(given)
