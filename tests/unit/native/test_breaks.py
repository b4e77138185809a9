"""Loops in machine code that end in the middle: the values and lines of the plain function."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.test_numerics import outcome
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    compile_short_loops(monkeypatch)
    return tell_kernels(monkeypatch, Kernel)


def primes(x, n):
    total = 0
    for k in range(2, n):
        divisor, prime = 2, True
        while divisor * divisor <= k:
            if k % divisor == 0:
                prime = False
                break
            divisor += 1
        if prime:
            total += k
    return total, divisor, prime


def first_above(x, n):
    found = -1
    for i in range(len(x)):
        if x[i] > n:
            found = i
            break
    return found, i


def returned(x, n):
    for i in range(len(x)):
        if x[i] == n:
            return i, x[i]
    return -1, 0.0


def both_sides(x, n):
    i, kept = 0, 0.0
    while True:
        if i >= len(x):
            break
        if x[i] < 0:
            kept = x[i]
            break
        x[i] = kept + i
        i += 1
    return i, kept


def nested(x, n):
    count = 0
    for i in range(n):
        for j in range(i, len(x)):
            if x[j] * i > 30.0:
                count += j
                break
            count += 1
        else:
            count += 1000
        if count > 5000:
            break
    return count, i


def carried(x, n):
    before, after = 0.0, 1.0
    while after < n:
        before, after = after, before + after
        if after % 7 == 0:
            after = -after
            break
        if before > 1e6:
            break
    return before, after


def with_continue(x, n):
    total = 0.0
    for i in range(len(x)):
        if x[i] < 1.0:
            continue
        if total > 20.0:
            break
        total += x[i]
    return total, i


def an_error_after_it(x, n):
    i = 0
    while i < n:
        if x[i] > 8.0:
            break
        i += 1
    return i


PROGRAMS = (primes, first_above, returned, both_sides, nested, carried, with_continue,
            an_error_after_it)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_plain_python(program: Any, told: list[bool]) -> None:
    native = ag.function(program, jit_compile=True)
    for n in (0, 1, 3, 9, 30, 200):
        for x in (np.arange(12.0), np.arange(12.0) - 5, np.zeros(3), np.full(40, 0.5)):
            for number in (n, np.int64(n)):
                given = [(x.copy(), number) for _ in range(2)]
                assert outcome(native, given[0]) == outcome(program, given[1])
                assert given[0][0].tobytes() == given[1][0].tobytes()
    assert True in told


def test_the_processor_goes_on_before_it_knows() -> None:
    """One side of the branch leaves the loop at once: nothing that is carried waits for a division.
    """
    text = ag.function(primes, jit_compile=True).to_llvm(np.zeros(2), np.int64(50))
    assert "break." in text
    assert "select" not in text.split("urem")[1].split("br label")[0]


def test_parts_of_a_test_are_asked_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processor guesses one branch better than three: LLVM is told not to part them."""
    def f(x, n):
        found = 0
        for i in range(len(x)):
            for k in range(n):
                if x[i] == k or x[i] == n - k or x[i] == k - n:
                    found += x[k]
                    break
        return found

    x = np.arange(9) * 3
    native = ag.function(f, jit_compile=True)
    assert outcome(native, (x.copy(), 5)) == outcome(f, (x.copy(), 5))
    assert "!unpredictable" in native.to_llvm(x, 5)
