"""A loop makes anew what an inner loop goes over: the inner loop reads the old one to its end."""

import numpy as np
import pytest

import autograph as ag


def filtered(n, p):
    r = p
    for _ in range(n):
        r = [k * 2 for k in r if k > 1]
    return r


def doubled(n, p):
    r = p
    for _ in range(n):
        r = [k * 2 for k in r]
    return r


def appended(n, p):
    r = p
    for _ in range(n):
        new = []
        for k in r:
            if k > 1:
                new.append(k * 2)  # noqa: PERF401, as users write it
        r = new
    return r


def counted(n, p):
    r = p
    for _ in range(n):
        r = [1 for _ in range(len(r) + 1)]
    return r


def zipped(n, p):
    r = p
    for _ in range(n):
        r = [a + b for a, b in zip(r, r[1:], strict=False)]  # noqa: RUF007
    return r


def numbered(n, p):
    r = p
    while n > 0:
        n = n - 1
        r = [i * k for i, k in enumerate(r)]
    return r


def rows(n, p):
    x = np.arange(6.0).reshape(3, 2)
    for _ in range(n):
        total = np.zeros(2)
        for row in x:
            total = total + row
        x = np.stack([total, total * 2])
    return x


def turned(n, p):
    x = np.arange(4.0)
    while n > 0:
        n = n - 1
        y = np.zeros(4)
        for v in x[::-1]:
            y = y + v
        x = y
    return x


def primes(n, p):
    found, rest = [], [2, 3, 4, 5, 6, 7, 8, 9]
    for _ in range(n):
        if len(rest) > 0:
            found = [*found, rest[0]]
            rest = [k for k in rest if k % found[-1] > 0]
    return found, rest


@pytest.mark.parametrize("executor", ["python", "interpreter"])
@pytest.mark.parametrize("f", [
    filtered, doubled, appended, counted, zipped, numbered, rows, turned, primes])
def test_the_old_one_is_read(f, executor):
    function = ag.function(f, executor=executor)
    for n in range(4):
        found, wanted = function(np.int64(n), [3, 1, 2]), f(n, [3, 1, 2])
        np.testing.assert_equal(found, wanted)
