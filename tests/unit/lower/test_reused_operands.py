"""NumPy's operators write into an operand that nothing else refers to: also in an entry point."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def five_points(u: Any) -> Any:
    return 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])


def sums(u: Any) -> Any:
    return (u + 1.0) * 2.0 - (u - 1.0) * 3.0


def peak(f: Callable[..., Any], u: Any) -> int:
    """Returns the bytes that a call needs at the same time."""
    for _ in range(20):  # the entry point is written for what is called often
        f(u)
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        f(u)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("plain", [five_points, sums])
def test_no_more_memory_than_the_plain_function(plain: Callable[..., Any]) -> None:
    f = ag.function(plain, jit_compile=False,
                    input_signature=[ag.TensorSpec((None, None), np.float64)])
    u = np.random.default_rng(0).normal(size=(300, 300))
    assert peak(f, u) <= 1.1 * peak(plain, u)
    assert f(u).tobytes() == plain(u).tobytes()
