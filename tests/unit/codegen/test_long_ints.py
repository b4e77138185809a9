"""Ints that Python's `repr` refuses, as they have too many digits, are constants like others."""

from typing import Any

import numpy as np
import pytest

import autograph as ag

WAYS: list[dict[str, Any]] = [{}, {"executor": "interpreter"},
                              {"effects": "runtime", "captures": "guard"}]


def grows(x):
    t = -7
    for _ in range(14):
        t = t * t * t
    if x[0] > 0:
        t = t + 1
    return x + 1, t, {"a": [t]}


@pytest.mark.parametrize("options", WAYS, ids=str)
@pytest.mark.parametrize("number", [1.0, -1.0])
def test_as_plain(number: float, options: dict[str, Any]) -> None:
    x = np.array([number])
    found, expected = (f(x) for f in (ag.function(grows, **options), grows))
    assert found[1:] == expected[1:] and type(found[1]) is int


def test_graphs_show_them() -> None:
    x = np.ones(1)
    assert "0x" in str(ag.function(grows).graph(x))
