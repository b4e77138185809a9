"""A list that is an argument, and that an attribute of another one or of a global leads to, is one
list: now, or only in a later call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Holder:
    def __init__(self, held: Any) -> None:
        self.held = held


KEPT = Holder([0])


def in_a_loop(holder: Any, items: Any, x: Any) -> Any:
    holder.held.append(3)
    for _ in range(int(x)):
        items.append(7)
    return items


def in_a_branch(holder: Any, items: Any, x: Any) -> Any:
    holder.held.append(3)
    if x > 1:
        items.append(7)
    return items


def the_attribute_in_a_branch(holder: Any, items: Any, x: Any) -> Any:
    items.append(7)
    if x > 1:
        holder.held.append(3)
    return items


def rebound(holder: Any, items: Any, x: Any) -> Any:
    if x > 1:
        holder.held = [x]
    if x > 2:
        items.append(1)
    holder.held.append(2)
    return items, holder.held


def sorted_there(holder: Any, items: Any, x: Any) -> Any:
    items.append(x)
    if x > 1:
        holder.held.sort()
    return list(holder.held), items is holder.held


@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
@pytest.mark.parametrize("order", ["apart, one", "one, apart", "apart, kept", "kept, one"])
@pytest.mark.parametrize("plain", [
    in_a_loop, in_a_branch, the_attribute_in_a_branch, rebound, sorted_there])
def test_one_list(plain: Callable[..., Any], order: str, options: dict[str, Any]) -> None:
    traced = ag.function(plain, **options)
    holders = Holder(None), Holder(None)
    first, second = order.split(", ")
    for x, kind in ((3.0, first), (0.5, first), (2.0, second), (0.7, second), (3.0, first)):
        seen = []
        for function, holder in zip((plain, traced), holders, strict=True):
            KEPT.held = [0]
            items = KEPT.held if kind == "kept" else [1, 2]
            holder.held = [5, 4] if kind == "apart" else items
            result = function(holder, items, np.float64(x))
            seen.append(repr((result, items, holder.held, items is holder.held, KEPT.held)))
        assert seen[0] == seen[1]
