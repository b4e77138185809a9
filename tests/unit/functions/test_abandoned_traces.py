"""A trace that is abandoned leaves nothing of what the function did: the next one does it."""

from typing import Any

import numpy as np

import autograph as ag


def test_effects_of_a_trace_whose_copies_show_happen_once() -> None:
    kept: list[Any] = []

    @ag.function
    def f(x: Any, q: Any) -> Any:
        kept.append(1)
        r = [3]
        p = q if x > 1 else r
        return q, p, r

    q = [4]
    first, chosen, other = f(np.float64(2), q)
    assert first is chosen is q
    assert other == [3]
    assert kept == [1]
