"""Random programs with `strict=True` raise and warn exactly as plain: as often, the same texts."""

import warnings
from random import Random

import numpy as np
import pytest

import autograph as ag
from tests.random.numeric_programs import Program, WiderProgram
from tests.random.test_numeric_programs import ARGUMENTS, load
from tests.support.amount import seeds

SEEDS = seeds(12)

EXTREMES = [
    lambda: (np.int64(2**62), np.int64(3), np.array([2**62, -5])),
    lambda: (np.float64(-1.5), np.float64(1e308), np.array([np.inf, -1.0])),
    lambda: (1, 0, np.array([0, 0, 1])),
    lambda: (np.int8(100), np.int8(0), np.array([120, -128], dtype=np.int8)),
]
"""Arguments on which numbers overflow, operations are invalid, or numbers are constants."""

SHOWN = {Program: (18, 33, 45, 963, 2308, 20209, 20925, 21493), WiderProgram: (912, 970)}
"""Programs that have shown a mistake: a loop left without a body, warnings given twice, a view
made of one that the test of a loop had made, an invalid remainder in a loop's test alone, a
variable given its next value before the last use of the one it had, a loop whose break was lost."""


def outcome(function, arguments):
    """What a call returns or raises, what it leaves of its arguments, and all its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(function(*arguments))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    texts = [f"{w.category.__name__}: {w.message}" for w in caught
             if " made a new trace" not in str(w.message)]
    return result, repr(arguments), sorted(texts)


@pytest.mark.parametrize(("kind", "seed"), [
    pytest.param(kind, seed, id=f"{kind.__name__} {seed}")
    for kind in (Program, WiderProgram) for seed in sorted({*SEEDS, *SHOWN[kind]})])
def test_same_exceptions_and_warnings_as_plain(kind, seed):
    source = kind(Random(seed)).source()
    plain = load(source, f"<strict {kind.__name__} {seed}>")
    traced = ag.function(plain, strict=True)
    for make in (*ARGUMENTS, *EXTREMES, *EXTREMES):
        assert outcome(traced, make()) == outcome(plain, make()), source


def unused_index(x, n):
    q = x[n]  # noqa: F841  # nothing uses it
    return x + 1


def unused_logarithm(x, n):
    q = np.log(x)  # noqa: F841  # nothing uses it
    r = np.log(x) + n  # noqa: F841  # nothing uses it
    return x + 1


def in_a_loop(x, n):
    s = 0.0
    for i in range(3):
        t = x / n  # noqa: F841  # nothing uses it
        s = s + i
    return s


def in_a_test(a, c, n):
    while a < n and c % 2 == 0:
        a = a + 1
    return a


def in_a_branch_of_a_loop(a, c, n):
    k = 0
    while k < n:
        if c * 1e308 > 5:
            a = a + 1
        k = k + 1
    return a


def in_a_state_that_nothing_reads(a, c, n):
    k = 0
    while k < n:
        c = c * 1e300
        k = k + 1
    return a


def finite_again(a, c, n):
    while a < n:
        a = a + 1 + 1 / (c * 1e300)
    return a


def of_ints_and_back(a, c, n):
    k = 0
    while k < n:
        k = (k + n * 2**40 * 2**20) - n * 2**40 * 2**20 + 1
    return a


def of_small_arrays(a, c, n):
    x, k = np.array([1.0, 2.0]), 0
    while k < n:
        y = x * (c * 1e300)
        if y[0] > 3:
            a = a + 1
        k = k + 1
    return a


def of_elements(a, c, n):
    x, k = np.arange(12.0) + c, 0
    for i in range(12):
        if x[i] * 1e300 > 5:
            k = k + 1
    return k + a


@pytest.mark.parametrize("function", [
    in_a_test, in_a_branch_of_a_loop, in_a_state_that_nothing_reads, finite_again,
    of_ints_and_back, of_small_arrays, of_elements])
@pytest.mark.parametrize("c", [np.inf, 1e300, 1e9, 2.5])
def test_loops_on_pythons_numbers_warn_as_numpy_does(function, c):
    arguments = np.float64(1.5), np.float64(c), np.int64(5)
    assert outcome(ag.function(function, strict=True), arguments) == outcome(function, arguments)


@pytest.mark.parametrize("function", [unused_index, unused_logarithm, in_a_loop])
def test_what_nothing_uses_raises_and_warns(function):
    arguments = np.array([-1.0, 2.0]), np.int64(0)
    if function is unused_index:
        arguments = np.array([-1.0, 2.0]), np.int64(5)
    expected = outcome(function, arguments)
    assert expected[2] or "IndexError" in expected[0]
    for _ in range(3):
        traced = ag.function(function, strict=True)
        assert outcome(traced, arguments) == outcome(traced, arguments) == expected
    assert outcome(ag.function(function), arguments) != expected


def test_the_switch_is_for_functions_that_do_not_say_it():
    assert ag.config.strict is False
    ag.config.strict = True
    try:
        with pytest.raises(IndexError):
            ag.function(unused_index)(np.ones(2), np.int64(5))
        ag.function(unused_index, strict=False)(np.ones(2), np.int64(5))
    finally:
        ag.config.strict = False
