"""Sums of ints are checked after their loop, and what was checked once is known from there on."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.support.native import compile_short_loops, tell_kernels
from tests.support.outcome import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


def total(x, n):
    s = 0
    for i in range(n):
        s += x[i]
    return s


def total_of_some(x, n):
    s = n
    for i in range(n):
        if x[i] > 3:
            s += x[i]
        elif x[i] < -3:
            s = s - 2 * x[i]
    return s


def of_two_loops(x, n):
    s = 0
    for _ in range(n):
        for i in range(len(x)):
            s += x[i]
    return s


def seen_in_between(x, n):
    s = t = 0
    for i in range(n):
        s += x[i]
        t = max(t, s)
    return s, t


def added_to_itself(x, n):
    s = 1
    for i in range(n):
        s += s + x[i]
    return s


def taken_from(x, n):
    s = 0
    for i in range(n):
        s = x[i] - s
    return s


ARRAYS = [np.arange(-6, 6), np.array([2 ** 62, 2 ** 62, -(2 ** 62), 5]), np.full(5, -(2 ** 61)),
          np.array([2 ** 63 - 1, 1, -1]), np.array([-2 ** 63, 0, 1]), np.array([2 ** 40] * 9)]
PROGRAMS = [total, total_of_some, of_two_loops, seen_in_between, added_to_itself, taken_from]


@pytest.mark.parametrize("x", ARRAYS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_sums_are_those_of_plain_python(program: Callable[..., Any], x: Any,
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    f = ag.function(program, jit_compile=True)
    for n in (len(x), 2, 0, np.int64(len(x)), len(x) + 1):
        for _ in range(2):
            assert run(f, (x, n)).describe() == run(program, (x, n)).describe()


@pytest.mark.parametrize(("program", "inside"), [
    (total, 0), (total_of_some, 0), (of_two_loops, 0), (seen_in_between, 1), (added_to_itself, 2),
    (taken_from, 1)])
def test_only_what_is_looked_at_is_checked_in_the_loop(
        program: Callable[..., Any], inside: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    f = ag.function(program, jit_compile=True)
    f(np.arange(-6, 6), 12)
    assert told == [True]
    assert f.to_llvm().count("= call {i64, i1}") == inside


# -- what is known on the way ----------------------------------------------------------------------

def found_again(x, k):
    s = 0
    for i in range(3):
        s = (s + x[k] + x[k - 1] * i) % 97
    return s


def known_on_one_side(x, k):
    s = 0
    for i in range(4):
        if i > 2:
            s = s ^ x[k]
        s = s ^ x[i + k]
    return s


def bounded_by_a_test(x, k):
    s = 0
    for i in range(-2, 9):
        if i >= 0:
            if i < 4:
                s = s ^ x[i]
    return s ^ k


def counted_in_a_loop(x, k):
    at = k
    for i in range(3):
        x[at] = i
        at += 2
    return x


def counted_in_a_loop_that_ends_early(x, k):
    at = k
    for i in range(30):
        if x[at] == 5:
            break
        x[at] = i
        at += 1
    return x


def halves(x, k):
    s = 0
    for i in range(-9, 9):
        s = s * 2 + (i + k) // 4 + (i - k) % 8 + (x[0] * i) // 3 - i % 5
    return s


@pytest.mark.parametrize("program", [
    found_again, known_on_one_side, bounded_by_a_test, counted_in_a_loop,
    counted_in_a_loop_that_ends_early, halves])
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 6, 7, -1, -3, -6, -7, -9, 2 ** 62, -2 ** 63])
def test_what_is_known_is_true(program: Callable[..., Any], k: int,
                               monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    f = ag.function(program, jit_compile=True)
    for x in (np.array([3, 1, 4, 1, 5, 9, 2]), np.arange(14)[::2], np.arange(3, dtype=np.int16)):
        for key in (k, np.int64(k)):
            assert run(f, (x, key)).describe() == run(program, (x, key)).describe()


def test_large_results_of_arrays_with_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code for arrays without gaps is called by Python for large results; others go on."""
    def doubled(x):
        made = np.empty_like(x)
        for i in range(len(x)):
            made[i] = 2 * x[i]
        return made

    told = tell_kernels(monkeypatch, Kernel)
    f = ag.function(doubled, jit_compile=True)
    for x in (np.arange(30_000), np.arange(60_000)[::2], np.arange(30_000)[::-1]):
        assert run(f, (x,)).describe() == run(doubled, (x,)).describe()
    assert told == [True] * 3
