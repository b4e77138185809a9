"""Loops over arrays by scalar index run on lists: with the plain function's results and errors."""

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import seen


def table(a, b):
    t = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                t[i, j] = t[i - 1, j - 1] + 1
            else:
                t[i, j] = max(t[i - 1, j], t[i, j - 1])
    return t


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


def largest(x):
    best = -np.inf
    for i in range(len(x)):
        best = x[i] if x[i] > best else best
    return best


def newton(x):
    guess = 1.0
    while abs(guess * guess - x) > 1e-12:
        guess = 0.5 * (guess + x / guess)
    return guess


def counted(x):
    n = 0
    for i in range(len(x)):
        n += x[i]
    return n


def beyond_the_end(x, y):
    for i in range(20):
        y[0] = i
        x[i] += 1.0


def divided(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] / x[i]


def two_written(x, y):
    for i in range(len(x)):
        x[i] += 1.0
        y[i] = x[i] * 2.0


def powers(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] * 3


def part(x):
    n = 0
    for i in range(3, len(x) - 2):
        n += x[i] * i
    return n


def first_above(x):
    at = -1
    for i in range(len(x)):
        if x[i] > 100:
            at = i
            break
    return at


def of_two(x, y):
    s = 0.0
    for i in range(len(x)):
        if y[i]:
            s += x[i]
        elif x[i] > s:
            s = x[i]
    return s


def of_a_row(x, k):
    s = 0.0
    for i in range(x.shape[1]):
        for _ in range(2):
            s = s * 0.5 + x[k, i]
    return s


def neighbours(x):
    n = 0
    for i in range(1, len(x)):
        n += x[i] * x[i - 1]
    return n


def smoothed(x, out):
    level = x[0]
    for i in range(len(x)):
        level = 0.1 * x[i] + 0.9 * level
        out[i] = level


def signs(x, out):
    for i in range(1, len(x)):
        out[-i] = x[i] > x[i - 1]


def counts(x, out, at):
    n = 0
    for i in range(len(x)):
        n += x[i] * x[i]
        out[at + i] = n


def read_only(x):
    x.flags.writeable = False
    return x


NUMBERS = np.arange(20.0)
CASES = [
    (table, lambda: (np.arange(12) % 4, np.arange(15) % 3)),
    (total, lambda: (NUMBERS,)),
    (total, lambda: (np.full(20, 1e200),)),
    (total, lambda: (np.array([1.0, np.inf, np.nan] * 5),)),
    (total, lambda: (np.empty(0),)),
    (largest, lambda: (NUMBERS,)),
    (largest, lambda: (np.full(20, -np.inf),)),
    (largest, lambda: (np.full(20, np.nan),)),
    (largest, lambda: (np.array([-0.0, 0.0] * 10),)),
    (newton, lambda: (np.float64(2.0),)),
    (newton, lambda: (np.float64(1.0),)),
    (counted, lambda: (np.arange(20),)),
    (counted, lambda: (np.full(20, 2**62),)),
    (beyond_the_end, lambda: (np.zeros(10), np.zeros(10))),
    (divided, lambda: (np.arange(20.0) + 1,)),
    (divided, lambda: (np.zeros(20),)),
    (two_written, lambda: (np.zeros(20), np.zeros(20))),
    (two_written, lambda: (np.zeros(20), read_only(np.zeros(20)))),
    (two_written, lambda: (read_only(np.zeros(20)), np.zeros(20))),
    (powers, lambda: (np.arange(1, 21),)),
    (powers, lambda: (np.arange(1, 51),)),
    *((part, lambda n=n: (np.arange(n),)) for n in (2000, 3, 6, 511, 512, 513, 1025)),
    (part, lambda: (np.arange(20) * 2**58,)),
    (first_above, lambda: (np.arange(90, 130),)),
    (first_above, lambda: (np.arange(700) - 650,)),
    (first_above, lambda: (np.arange(1200) - 650,)),
    (of_two, lambda: (NUMBERS, np.arange(20) % 3 == 0)),
    (of_two, lambda: (-np.sqrt(np.arange(1300.0)), np.arange(1300) % 3 == 0)),
    (of_a_row, lambda: (np.arange(2000.0).reshape(2, 1000), 1)),
    (of_a_row, lambda: (np.arange(2000.0).reshape(1000, 2).T, np.int64(1))),
    (neighbours, lambda: (np.arange(600),)),
    (smoothed, lambda: (NUMBERS, np.zeros(20))),
    (smoothed, lambda: (NUMBERS, np.full(30, -0.0)[::-1])),
    (smoothed, lambda: (np.array([1.0, np.nan, np.inf, 1e308] * 5), np.zeros(20))),
    (smoothed, lambda: (NUMBERS, read_only(np.zeros(20)))),
    (smoothed, lambda: (NUMBERS, np.zeros(10))),
    (signs, lambda: (np.sin(NUMBERS), np.ones(20, bool))),
    (signs, lambda: (np.sin(NUMBERS), np.ones(20, bool)[::-1])),
    (counts, lambda: (np.arange(20), np.zeros(20, int), 0)),
    (counts, lambda: (np.arange(20), np.arange(40).reshape(20, 2)[:, 1], np.int64(0))),
    (counts, lambda: (np.arange(20) * 2**30, np.zeros(20, int), 0)),
    (counts, lambda: (np.arange(20), np.zeros(25, int), np.int64(5))),
    (counts, lambda: (np.arange(20), np.zeros(25, int), np.int64(-8))),
    (counts, lambda: (np.arange(20), np.zeros(22, int), np.int64(9))),
    (counts, lambda: (np.arange(20), np.zeros(20, int), np.int64(2**40))),
]


@pytest.mark.parametrize(("function", "make"), CASES)
def test_same_as_plain(function, make):
    traced = ag.function(function)
    for _ in range(2):
        ours, plain = seen(traced, make()), seen(function, make())
        assert ours.describe() == plain.describe()
        assert type(ours.error) is type(plain.error)


@pytest.mark.parametrize("function", [table, total, largest, counted, divided, two_written])
def test_they_run_on_lists(function):
    make = next(make for f, make in CASES if f is function)
    source = ag.function(function).get_concrete_function(*make()).source
    assert ".tolist()" in source or "items_of(" in source


@pytest.mark.parametrize("function", [total, largest, counted, part, first_above, of_two, of_a_row])
def test_elements_that_are_used_in_turn_are_in_no_list(function):
    make = next(make for f, make in CASES if f is function)
    source = ag.function(function).get_concrete_function(*make()).source
    assert ".tolist()" not in source and "items_of(" in source


@pytest.mark.parametrize("function", [neighbours, powers, table])
def test_elements_that_are_used_again_are_in_lists(function):
    make = next(make for f, make in CASES if f is function)
    assert "items_of(" not in ag.function(function).get_concrete_function(*make()).source


def test_a_result_that_is_the_initial_object_is_python_s():
    assert type(ag.function(largest)(np.full(20, np.nan))) is float
    assert type(ag.function(largest)(NUMBERS)) is np.float64


def test_a_large_array_of_which_little_is_used_stays_an_array():
    def few(x):
        for i in range(10):
            x[i] += 1.0

    assert "tolist" not in ag.function(few).get_concrete_function(np.zeros(10_000)).source


def orbit(n):
    x, y = 0.1, 1.0
    out = np.zeros((n, 2))
    for t in range(n):
        x, y = x + 0.01 * y, y - 0.01 * x
        out[t, 0], out[t, 1] = x, y
    return out


def ways(coins):
    found = np.zeros(301, dtype=np.int64)
    found[0] = 1
    for c in coins:
        for a in range(c, 301):
            found[a] += found[a - c]
    return found


def test_arrays_that_are_only_stored_to_stay_arrays_and_those_of_unknown_ranges_are_lists():
    coins = np.arange(20, 60, 3)
    for f, args, on_lists in ((orbit, (400,), False), (ways, (coins,), True)):
        traced = ag.function(f)
        assert traced(*args).tobytes() == f(*args).tobytes()
        assert ("tolist" in traced.get_concrete_function(*args).source) == on_lists


def twice(x):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + x[i] + x[i - 1]
    z = np.sqrt(y)
    for i in range(1, len(x)):
        z[i] = z[i - 1] * 0.5 + x[i] - x[i - 1]
    return y, z


def test_lists_of_loops_one_after_the_other_have_one_name():
    traced = ag.function(twice)
    for made, plain in zip(traced(NUMBERS), twice(NUMBERS), strict=True):
        assert made.tobytes() == plain.tobytes()
    source = traced.get_concrete_function(NUMBERS).source
    assert source.count("x_items = x.tolist()") == 2
    assert source.count("made = np.array(") == 2


@pytest.mark.parametrize("function", [smoothed, signs, counts])
def test_what_is_only_stored_to_is_in_no_list(function):
    make = next(make for f, make in CASES if f is function)
    source = ag.function(function).get_concrete_function(*make()).source
    assert "out_items = memoryview(made)" in source and "np.array(" not in source
