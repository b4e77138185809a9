"""What a function keeps outside itself is no part of a file: who saves it is told the line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.serialize.save import dumps

STATE = {"n": 0}
SEEN: list[object] = []
BEST = [0.0]


def adds_to_an_item(x: Any) -> Any:
    STATE["n"] = STATE["n"] + x
    return x


def adds_to_a_list(x: Any) -> Any:
    SEEN.append(x)
    return x


def adds_on_one_path(x: Any) -> Any:
    if x > 0:
        SEEN.append(x)
    return x


def replaces_on_one_path(x: Any) -> Any:
    if x > BEST[0]:
        BEST[0] = x
    return BEST[0]


@pytest.mark.parametrize(("function", "told"), [
    (adds_to_an_item, r"changes the item 'n' of a dict, outside the function\n.*\.py:\d+"),
    (adds_to_a_list, "changes the list in the variable 'SEEN'"),
    (adds_on_one_path, r"keeps the variable 'SEEN' outside the function from call to call"
                       r"\n.*\.py:\d+(.|\n)*append(.|\n)*hint: "),
    (replaces_on_one_path, r"keeps the variable 'BEST' outside(.|\n)*\.py:\d+(.|\n)*hint: ")])
def test_state_outside_is_refused_by_name(function: Callable[..., Any], told: str) -> None:
    f: Any = ag.function(function)
    f(np.float64(2.0))
    with pytest.raises(ag.errors.SaveError, match=told):
        dumps(f, (np.float64(2.0),))
