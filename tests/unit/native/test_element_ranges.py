"""Elements of arrays that a kernel makes: where all that they can be is in bounds, and fits,
nothing is checked; everywhere else it is."""

import numpy as np
import pytest

import autograph as ag
from tests.support.native import compile_short_loops
from tests.support.outcome import seen

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


@pytest.fixture(autouse=True)
def short_loops_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)


def distances(x):
    n = len(x)
    d = np.zeros((n, n), np.int64)
    for i in range(1, n):
        for j in range(1, n):
            cost = 0 if x[i] == x[j] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d


def counted(x):
    counts = np.zeros(8, np.int64)
    for v in x:
        counts[v % 8] += 1
    return counts


def roots(x):
    parent = np.arange(len(x))
    for i in range(len(x)):
        k = x[i]
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        parent[k] = i
    return parent


def queued(x):
    queue, first, last = np.full(40, -1), 0, 1
    queue[0] = 3
    while first < last and last < 39:
        k = queue[first]
        first += 1
        if x[k] > 0:
            queue[last] = k // 2
            last += 1
    return queue


CERTAIN = [distances, counted, roots, queued]


def doubled(x):
    ways = np.ones(100, np.int64)
    for i in range(2, 100):
        ways[i] = ways[i - 1] + ways[i - 2]
    return ways


def from_outside(x):
    for i in range(len(x)):
        x[i] += 1
    return x


def too_large(x):
    near = np.full(8, 2 ** 63 - 1)
    for i in range(len(x)):
        near[i % 8] += x[i] % 2
    return near


def of_later_checks(x):
    a, b = np.zeros(len(x), np.int64), np.zeros(8, np.int64)
    for i in range(len(x)):
        a[i] = x[i] * 3
        b[a[i] & 7] = i
    return a, b


def of_a_float(x):
    a = np.zeros(8, np.int64)
    for i in range(len(x)):
        a[i % 8] = x[i] * 1.5
        a[a[i % 8] % 8] += 1
    return a


def unfilled(x):
    a = np.empty(8, np.int64)
    for i in range(8):
        a[i] = x[i]
    s = 0
    for i in range(8):
        s += x[a[i]]
    return s


def through_a_view(x):
    a = np.zeros((4, 2), np.int64)
    for i in range(4):
        a[i][:] = x[i]
    for i in range(4):
        a[i, 0] = x[a[i, 1]] + a[i, 0]
    return a


def in_turns(x):
    a, b = np.zeros(8, np.int64), np.arange(8)
    for i in range(len(x)):
        a[i % 8] = b[(i + 1) % 8] + 1
        a, b = b, a
    return a, b, x[a[0] % 4]


@pytest.mark.parametrize("plain", [
    *CERTAIN, doubled, from_outside, too_large, of_later_checks, of_a_float, unfilled,
    through_a_view, in_turns])
@pytest.mark.parametrize("x", [
    np.array([3, 1, 0, 2, 5, 4, 7, 6] * 5), np.array([0, -1, -2, 7, 1, 2, 3, 4] * 5),
    np.array([3, 1, 2 ** 62, -2 ** 63, 2 ** 63 - 1, 9, 8, 7] * 5),
    np.array([40, -41, 2, 3, 4, 5, 6, 7] * 5)])
def test_the_plain_functions_outcome(plain, x):
    staged = ag.function(plain, jit_compile=True)
    expected = seen(plain, (x.copy(),)).describe()
    assert [seen(staged, (x.copy(),)).describe() for _ in range(2)] == [expected] * 2


@pytest.mark.parametrize("plain", CERTAIN)
def test_sums_of_elements_are_not_checked(plain):
    code = ag.function(plain, jit_compile=True).to_llvm(np.arange(40))
    assert "with.overflow" not in code


@pytest.mark.parametrize("plain", [doubled, too_large])
def test_other_sums_are_checked(plain):
    assert "with.overflow" in ag.function(plain, jit_compile=True).to_llvm(np.arange(40))
