"""What an input by reference leads to, and the trace knows by another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES


class Node:
    def __init__(self, other: Any = None) -> None:
        self.other, self.log, self.sum = other, list[float](), 1.0

    def __call__(self, v: float) -> None:
        self.sum += v


SEEN = Node()


def appends(x: float, o: Any, s: Any) -> Any:
    calls = [len, o]
    calls[int(x) % 2] = o
    o.other.log.append(x)
    return calls, list(s.log), len(SEEN.log)


def sets(x: float, o: Any, s: Any) -> Any:
    calls = [len, o]
    calls[int(x) % 2] = o
    o.other.sum = x
    return calls, s.sum, SEEN.sum


def reads(x: float, o: Any, s: Any) -> Any:
    calls = [len, o]
    calls[int(x) % 2] = o
    s.sum = SEEN.sum = x
    return calls, o.other.sum


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", [appends, sets, reads])
def test_both_ways_lead_to_one_object(function: Callable[..., Any], mode: str) -> None:
    converted = ag.function(function, **MODES[mode])
    found, expected = [], []
    for call, into in ((function, expected), (converted, found)):
        SEEN.log, SEEN.sum = [], 1.0
        s = Node()
        o = Node(s)
        for x, other in ((1.0, s), (2.0, Node()), (3.0, s), (4.0, SEEN), (5.0, s)):
            o.other = other
            _, *rest = call(np.float64(x), o, s)
            into.append((rest, list(s.log), s.sum, list(SEEN.log), SEEN.sum))
    assert found == expected
