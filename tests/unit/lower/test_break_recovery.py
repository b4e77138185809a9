"""Scalar loops on Python's numbers, and `break`: values, classes and warnings of the plain
function."""

import warnings

import numpy as np
import pytest

import autograph as ag

f8, i8 = np.float64, np.int64


def before_and_after(x, y):
    a = x * y - x
    b = -a * 2.0
    while a < 100.0:
        a = a + abs(b) + 1.0
    c = a * y
    return a, c - b, c


def hides_infinity(x):
    big = x * x
    n = 0
    while n < 10 and big > 0.0:
        n += 1
    return n


def infinite_at_the_end(x):
    i = 0
    while i < 20 and x == x:
        x = x * 10.0
        i += 1
    return x * 3.0


def wraps_before(n):
    m = n * n * 4 + 1
    total = n * 0
    while total < 10:
        total = total + (m % 7) + 1
    return total, m


def wraps_after(n):
    k = n
    while k % 10 != 0:
        k = k + 1
    return k * k * k, k


def integers_that_are_unused(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def stops_early(n, limit):
    total = n * 0
    while total < limit:
        total = total + n
        if total % 7 == 3:
            break
    return total


def stops_before_the_end_of_the_body(n):
    k, seen = n, n * 0
    while True:
        if k > 1000:
            break
        seen = seen + k % 3
        k = k * 2 + 1
    return k, seen


def says_whether_it_stopped(n):
    k = n * 0
    while k < 50:
        if (k * k) % 31 == n:
            found = True
            break
        k += 1
    else:
        found = False
    return k, found


def breaks_in_for(n, m):
    total = m * 0
    for k in range(n):
        if k * k > m:
            break
        total = total + k
    return total


def swaps_and_stops(a, b):
    while b != 0:
        a, b = b, a
        if a > 3:
            break
        b = b - 1
    return a, b


def nested(n):
    total = n * 0
    for k in range(2, n):
        d = 2
        while d * d <= k:
            if k % d == 0:
                break
            d += 1
        else:
            total = total + k
    return total


CASES = [
    (before_and_after, [(f8(2), f8(3)), (f8(1e308), f8(10)), (f8(np.nan), f8(1)),
                        (f8(-0.0), f8(0))]),
    (hides_infinity, [(f8(3),), (f8(1e300),), (f8(np.inf),), (f8(np.nan),)]),
    (infinite_at_the_end, [(f8(1),), (f8(1e300),), (f8(-1e290),), (f8(np.inf),)]),
    (wraps_before, [(i8(3),), (i8(2**62),), (i8(-(2**63)),), (i8(3037000500),)]),
    (wraps_after, [(i8(3),), (i8(2**40 + 3),), (i8(-13),), (i8(2**63 - 8),)]),
    (integers_that_are_unused, [(i8(12), i8(18)), (i8(0), i8(0)), (i8(-4), i8(6))]),
    (stops_early, [(i8(5), i8(100)), (i8(1), i8(2)), (i8(3), i8(9)), (i8(2**61), i8(2**62))]),
    (stops_before_the_end_of_the_body, [(i8(1),), (i8(5000),), (i8(-2**40),)]),
    (says_whether_it_stopped, [(i8(5),), (i8(3),), (i8(0),)]),
    (breaks_in_for, [(i8(100), i8(50)), (i8(3), i8(50)), (i8(0), i8(1)), (i8(5), i8(-1))]),
    (swaps_and_stops, [(i8(1), i8(2)), (i8(5), i8(2)), (i8(0), i8(0)), (i8(2), i8(9))]),
    (nested, [(i8(30),), (i8(2),), (i8(0),)]),
]


def outcome(function, arguments):
    """The result with its classes, and the warnings, each as often as it comes."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*arguments)
    parts = result if isinstance(result, tuple) else (result,)
    return [(type(x), repr(x)) for x in parts], [str(w.message) for w in found]


@pytest.mark.parametrize(("function", "arguments"), [
    pytest.param(f, a, id=f"{f.__name__}-{k}") for f, calls in CASES for k, a in enumerate(calls)])
def test_the_plain_functions_outcome(function, arguments):
    assert outcome(ag.function(function), arguments) == outcome(function, arguments)


@pytest.mark.parametrize("function", [
    f for f, _ in CASES if f not in (hides_infinity, infinite_at_the_end, says_whether_it_stopped)])
def test_on_pythons_numbers_first(function):
    traced = ag.function(function)
    arguments = next(calls for f, calls in CASES if f is function)[0]
    source = traced.get_concrete_function(*arguments).source
    assert "index(" in source or "float(" in source
    assert "except (OverflowError, ZeroDivisionError, ValueError)" in source


def test_break_is_written_as_such():
    source = ag.function(stops_early).get_concrete_function(i8(5), i8(9)).source
    assert source.count("break\n") == 2  # on Python's numbers, and on NumPy's
    assert "stop " not in source
    kept = ag.function(says_whether_it_stopped).get_concrete_function(i8(5)).source
    assert "not stop" not in kept.partition("while")[2].partition("break")[0]


def in_a_handler(x):
    for i in range(10):
        try:
            if x.sum() > i:
                break
        except KeyError:
            pass
    return i


def in_a_handler_of_a_while(x):
    i = 0
    while i < 10:
        i = i + 1
        try:
            if x.sum() < i:
                break
        except KeyError:
            pass
    return i


@pytest.mark.parametrize("function", [in_a_handler, in_a_handler_of_a_while])
@pytest.mark.parametrize("x", [1, 3, -1])
def test_a_flag_that_is_the_only_result_of_its_branch_ends_the_loop(function, x):
    assert ag.function(function)(np.array([x, 1])) == function(np.array([x, 1]))
