"""What a loop carries, and nothing reads after it, warns all the same where it overflows."""

import warnings

import numpy as np
import pytest

import autograph as ag


def of_a_number(x, n):
    y, t = x[0], x[0] - x[0]
    for _ in range(n):
        y = y * y
        t = t + 1.0
    return t


def of_an_inner_loop(x, n):
    t = x[0] - x[0]
    for _ in range(n):
        y = x[0]
        for _ in range(n):
            y = y * y
            t = t + 1.0
    return t


def of_a_small_array(x, n):
    t = x[0] - x[0]
    for _ in range(n):
        x = x * x
        t = t + 1.0
    return t


def of_one_element(x, n):
    y = x
    for i in range(n):
        x = x + 1.0
        if i == 1:
            y = np.array([x[0] * x[0] * 1e300, 0.5])
        else:
            y = np.array([1.0, y[-1]])
    return x


def of_an_inner_loop_over_a_small_array(x, n):
    t = x[0] - x[0]
    for _ in range(n):
        y = x
        for _ in range(n):
            y = y * y
            t = t + 1.0
    return t


def beside_a_list(x, n):
    y = x[0]
    for i in range(n):
        y = y * y
        x[i % 2] = x[i % 2] + 1.0
    return x


def from_a_python_number(x, n):
    y = 1.0
    for i in range(n):
        y = y * x[0] * 1e100
        x[i % 2] = x[i % 2] + 1.0
    return x


@pytest.mark.parametrize("plain", [
    of_a_number, of_an_inner_loop, of_a_small_array, of_one_element,
    of_an_inner_loop_over_a_small_array, beside_a_list, from_a_python_number])
@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("n", [0, 1, 9])
def test_warnings(plain, native, n):
    def outcome(f):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            result = f(np.array([1e10, 2.0]), n)
        return result.tolist(), [str(w.message) for w in found]

    if native:
        pytest.importorskip("llvmlite", reason="native code needs llvmlite")
    staged = ag.function(plain, jit_compile=native)
    expected = outcome(plain)
    assert outcome(staged) == expected == outcome(staged)
    assert bool(expected[1]) == (n == 9)
