"""Temporary arrays die where plain Python frees them, and no line reads a name that is gone."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

SIDE = 150
LARGE = np.ones((SIDE, SIDE))


def in_a_loop(x: Any) -> Any:
    total = np.zeros_like(x)
    for k in range(12):
        total += np.outer(x[k], x[:, k]) / np.hypot(x, k)
    return total


def in_a_branch_of_a_loop(x: Any) -> Any:
    for k in range(12):
        if np.tanh(x).sum() > k:
            x = np.where(np.sqrt(x) > 0, np.cos(x) @ x, x) / SIDE
    return x


def stored_through_slices(x: Any) -> Any:
    x = x.copy()
    for k in range(1, 12):
        x[k:, 1:] -= np.sin(x[k:, 1:]) * x[k, 1:]
        x[k] = np.roll(x[k - 1], k)
    return x


def left_early(x: Any) -> Any:
    for k in range(12):
        step = np.outer(x[k], x[0]) @ x
        if np.abs(step).max() > 1e6:
            break
        x = x + step / np.linalg.norm(step)
    return x


def kept_by_a_view(x: Any) -> Any:
    total = x
    for _ in range(12):
        rows = np.exp(-total).T[1:]
        total = total + np.pad(rows, ((0, 1), (0, 0)))
    return total


def in_a_group(x: Any) -> Any:
    for _ in range(12):
        distances = ((x[:, None, :4] - x[None, :5, :4]) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1)
        x = x + x[nearest == 0].sum() + nearest[:, None]
    return x


def bound_again(x: Any) -> Any:
    y = x.T.copy()
    for _ in range(12):
        x, y = x * x - y * y - 0.7, 2.0 * x * y + 0.27
        near = x * x + y * y < 4.0
        x = np.where(near, x, 2.0)
        y = np.where(near, y, 0.0)
    return x + y


def an_argument_bound_again(x: Any) -> Any:
    velocity = x - 0.5
    for _ in range(12):
        x += 0.01 * velocity
        velocity[(x < 0.0) | (x > 1.0)] *= -1.0
        np.clip(x, 0.0, 1.0, x)
    return velocity


PROGRAMS = (in_a_loop, in_a_branch_of_a_loop, stored_through_slices, left_early, kept_by_a_view,
            in_a_group, bound_again)


def peak(function: Callable[..., Any]) -> float:
    """The arrays that a call allocates at most at a time, once the first calls are done."""
    given = LARGE.copy()
    for _ in range(3):
        function(LARGE.copy())
    tracemalloc.start()
    function(given)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / LARGE.nbytes


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_no_more_arrays_than_plain(function: Callable[..., Any]) -> None:
    ours = ag.function(function, jit_compile=False)
    assert np.array_equal(ours(LARGE.copy()), function(LARGE.copy()))
    assert peak(ours) <= peak(function) + 0.5


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_machine_code_of_groups(function: Callable[..., Any]) -> None:
    """What is inside a group has no variable around it."""
    pytest.importorskip("llvmlite", reason="native code needs llvmlite")
    ours = ag.function(function, executor="native")
    assert np.allclose(ours(LARGE.copy()), function(LARGE.copy()))


def test_an_argument_that_a_loop_binds_again_is_still_written() -> None:
    given, x = LARGE.copy(), LARGE.copy()
    ours = ag.function(an_argument_bound_again, jit_compile=False)
    assert np.array_equal(ours(given), an_argument_bound_again(x)) and np.array_equal(given, x)


def test_a_failing_line_has_the_users_words() -> None:
    def failing(x: Any, y: Any) -> Any:
        for k in range(12):
            z = np.outer(x[k], x[0]) @ x
            x = z[:, k:] @ y
        return x

    with pytest.raises(ValueError, match="matmul"):
        ag.function(failing)(LARGE, LARGE)
