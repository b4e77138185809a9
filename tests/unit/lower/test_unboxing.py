"""Scalar loops run on Python's numbers and give what NumPy's scalars give, warnings included."""

import warnings

import numpy as np
import pytest

import autograph as ag


def grows(a, b, n):
    while n > 0:
        a, b = b, a * 3 + b
        n = n - 1
    return a, b


def wraps_before_compare(x, limit):
    steps = 0
    while x * x > limit:
        x = x * 2
        steps = steps + 1
        if steps > 70:
            limit = x * x
    return x, steps


def divides(a, b):
    total = a - a
    while b > -3:
        total = total + a / b
        b = b - 1
    return total


def divides_integers(a, b):
    total = a
    while b > -3:
        total = total + a // b + a % b
        b = b - 1
    return total


def wraps_beside_a_float(x, n):
    s = 2.0
    while n > 0:
        s = (x + 1) * (0 + s)
        x = x - x - 2
        n = n - 1
    return s, x


def overflows(x, n):
    while n > 0:
        x = x * x
        n = n - 1
    return x


def compares_mixed(a, x):
    while a < x:
        a = a + a
    return a


def negates(a, n):
    while n > 0:
        a = -a
        n = n - 1
    return a, abs(a)


def breaks(n):
    found = n - n
    for k in range(2, n):
        if k * k > n:
            break
        if n % k == 0:
            found = found + k
    return found


def unused_after_zero_rounds(x, n):
    y = x
    while n > 0:
        y = y * 0.5
        n = n - 1
    return y


INT, F = np.int64, np.float64
CASES = [
    (grows, (INT(1), INT(2), INT(5))), (grows, (INT(1), INT(2), INT(80))),
    (grows, (INT(2**62), INT(2**62), INT(3))),
    (wraps_before_compare, (INT(3), INT(1))), (wraps_before_compare, (INT(2**31), INT(5))),
    (divides, (F(1.0), F(2.0))), (divides, (F(0.0), F(2.0))), (divides, (INT(2**60 + 1), INT(3))),
    (divides, (F("nan"), F(2.0))), (divides_integers, (INT(7), INT(3))),
    (divides_integers, (INT(-2**63), INT(1))), (overflows, (F(1.5), INT(3))),
    (overflows, (F(1e10), INT(9))), (overflows, (INT(3), INT(9))),
    (compares_mixed, (INT(1), F(1e17))), (compares_mixed, (INT(2**53 + 1), F(2.0**53))),
    (negates, (INT(-2**63), INT(1))), (negates, (INT(5), INT(3))),
    (wraps_beside_a_float, (INT(2**63 - 1), INT(3))),
    (breaks, (INT(5040),)), (unused_after_zero_rounds, (F(3.0), INT(0))),
]


def outcome(function, arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments)
    results = result if isinstance(result, tuple) else (result,)
    told = sorted({str(w.message) for w in caught})
    return [(type(r), repr(r)) for r in results], told


@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_same_numbers_types_and_warnings(function, arguments):
    assert outcome(ag.function(function), arguments) == outcome(function, arguments)


@pytest.mark.parametrize("function", [grows, divides, breaks, compares_mixed])
def test_the_fast_loop_is_there(function):
    arguments = next(a for f, a in CASES if f is function)
    source = ag.function(function).get_concrete_function(*arguments).source
    assert "index(" in source or "float(" in source
    assert "where Python's numbers are not NumPy's" in source


def running_total(x):
    for i in range(1, len(x)):
        x[i] = x[i] + x[i - 1]
    return x


@pytest.mark.parametrize("size, in_lists", [(1000, True), (1 << 24, True), ((1 << 24) + 1, False)])
def test_very_large_arrays_stay_arrays(size, in_lists):
    traced = ag.function(running_total, jit_compile=False)
    concrete = traced.get_concrete_function(ag.TensorSpec([size], np.float64))
    assert ("tolist" in concrete.source) == in_lists
