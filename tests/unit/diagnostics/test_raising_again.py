"""Functions that raise while they are traced run as plain Python once that is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag

LIMIT = [3]
SEEN: list[str] = []


@ag.do_not_convert
def see(x: Any) -> None:
    SEEN.append(type(x).__name__)


def checked(x: Any) -> Any:
    see(x)
    if len(x) > LIMIT[0]:
        raise KeyError(x.shape)
    return x + LIMIT[0]


def test_it_is_not_traced_again_and_still_follows_what_is_outside() -> None:
    f = ag.function(checked)
    for _ in range(5):
        with pytest.raises(KeyError, match="4"):
            f(np.ones(4))
    assert SEEN[-3:] == ["ndarray"] * 3
    LIMIT[0] = 7
    try:
        assert [f(np.ones(4)).tolist() for _ in range(3)] == [[8.0] * 4] * 3
    finally:
        LIMIT[0] = 3
    with pytest.raises(KeyError):
        f(np.ones((5, 2)))


def test_a_refusal_stays_one() -> None:
    def size(x: Any) -> Any:
        return type("Made", x, {})() + x

    f = ag.function(size)
    for _ in range(4):
        with pytest.raises(TypeError, match=r"must be tuple, not numpy\.ndarray"):
            f(np.ones(4))
