"""Ranges of ints that loops carry: checks that always hold are not written, and all others are."""

import numpy as np
import pytest

import autograph as ag
from tests.support.native import compile_short_loops
from tests.support.outcome import seen

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


@pytest.fixture(autouse=True)
def short_loops_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)


def congruence(x, seed):
    for i in range(len(x)):
        seed = (1103515245 * seed + 12345) % 2147483648
        x[i] = seed
    return seed


def queue(x, limit):
    first, last = 0, 1
    while first < last and x[first] < limit:
        x[last] = x[first] + 1.0
        first += 1
        last += 1
        if x[last] > 6.0:
            last -= 1
    return first, last


def kept(x, limit):
    at = 0
    for i in range(len(x)):
        if x[i] > limit:
            x[at] = x[i]
            at = at + 1
    return at


def there_and_back(x, limit):
    row = 0
    while row >= 0 and x[row] < limit:
        x[row] += 1.0
        row = row + 1 if x[row] % 2 else row - 1
    return row


def nested(x, limit):
    count = 0
    for i in range(len(x)):
        for j in range(i):
            if x[j] < limit:
                count += 1
    return count


def grows(x, limit):
    n = 1
    for _ in range(limit):
        n = 2 * n + 1
    return n


def falls(x, limit):
    n = limit
    for _ in range(len(x)):
        n -= x.shape[0] ** 8
    return n


def alternates(x, limit):
    a, b = 0, limit
    for _ in range(len(x)):
        a, b = b, a + 1
    return a, b


def shifted(x, limit):
    n = limit
    for _ in range(len(x)):
        n = (n >> 1) ^ (n & 1)
        x[n & 7] += n // 3
    return n


COUNTS = [congruence, queue, kept, nested]
GREATEST = 2 ** 63 - 1


@pytest.mark.parametrize("program", COUNTS, ids=lambda p: p.__name__)
def test_what_cannot_overflow_is_not_checked(program):
    compiled = ag.function(program, jit_compile=True)
    assert "with.overflow" not in compiled.to_llvm(np.arange(9.0), 5).split("define")[1]


@pytest.mark.parametrize("limit", [0, 5, -3, 8, 70, GREATEST, -GREATEST, GREATEST - 4])
@pytest.mark.parametrize("program", [*COUNTS, there_and_back, grows, falls, alternates, shifted],
                         ids=lambda p: p.__name__)
def test_results_are_pythons(program, limit):
    if program is grows and abs(limit) > 100:
        pytest.skip("years")
    compiled = ag.function(program, jit_compile=True)
    for _ in range(2):
        calls = [seen(f, (np.arange(9.0), limit)).describe() for f in (compiled, program)]
        assert calls[0] == calls[1]
