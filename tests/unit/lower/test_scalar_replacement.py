"""Loops over arrays of a few numbers run on the numbers: the plain function's bits and warnings."""

import warnings

import numpy as np
import pytest

import autograph as ag
from autograph.staging import loops
from benchmarks.programs import rk45
from tests.corpus.state.verdict import load
from tests.unit.kernels.test_tiled import described

f8 = np.float64


def pendulum(y, end, h):
    t, steps = 0.0, 0
    while t < end:
        k1 = np.array([y[1], -2.0 * y[0]])
        k2 = np.array([y[1] + h * k1[1], -2.0 * (y[0] + h * k1[0])])
        y = y + 0.5 * h * (k1 + k2)
        t = t + h
        steps += 1
    return y, steps


def turned(y, n):
    for _ in range(n):
        y = np.array([y[1], y[0], y[-1]])
    return y


def accepted_at_times(y, limit):
    k = 0
    while k < 12 and limit == limit:
        trial = y * 1.5 - np.array([0.25, y[0]])
        if np.max(np.abs(trial)) <= limit:
            y = trial
        k += 1
    return y


def normalised(y, limit):
    k = 0
    while np.sum(y * y) > limit:
        y = y / np.sqrt(np.sum(y * y)) * 0.9
        k += 1
    return y, k


def with_a_power(y, limit):
    size = np.max(np.abs(y))
    while size > limit:
        y = 0.5 * y / (size / limit) ** 0.3
        size = np.max(np.abs(y))
    return y


def nested(y, n):
    for k in range(n):
        while np.abs(y)[0] < 4.0 + k:
            y = y * 2.0 + 1.0
        y = -y
    return y


def two_arrays(x, v, dt, end):
    t = 0.0
    while t < end:
        a = -x
        v = v + dt * a
        x = x + dt * v
        t = t + dt
    return x, v


def stored(y, end):
    t = 0.0
    while t < end:
        y[0] = y[1] * 0.5
        t = t + 1.0
    return y


A = np.array
CASES = [
    (pendulum, [(A([2.0, 0.0]), f8(3), f8(0.01)), (A([2.0, 0.0]), f8(-1), f8(0.01)),
                (A([1e300, 1e308]), f8(2), f8(0.5)), (A([np.nan, 1.0]), f8(2), f8(0.5)),
                (A([2, 0]), f8(1), f8(0.1)), (A([2.0, 0.0], np.float32), f8(1), f8(0.1)),
                (A([-0.0, 0.0, 9.0])[::-2], f8(1), f8(0.25))]),
    (turned, [(A([1.0, 2.0, 3.0]), np.int64(20)), (A([1.0, 1.0, 1.0]), np.int64(10)),
              (A([1.0, 2.0, 3.0]), np.int64(0)), (A([-0.0, np.inf, 0.0]), np.int64(11))]),
    (accepted_at_times, [(A([1.0, 2.0]), f8(50)), (A([1.0, 2.0]), f8(0)), (A([0.5, 0.5]), f8(9)),
                         (A([np.inf, 0.5]), f8(9)), (A([0.5, np.nan]), f8(9))]),
    (normalised, [(A([3.0, 4.0]), f8(1)), (A([3.0, 4.0]), f8(99)), (A([0.0, 1e200]), f8(1)),
                  (A([1.0, 2, 3, 4, 5, 6]), f8(1)), (A([-0.0, -0.0]), f8(-1))]),
    (with_a_power, [(A([3.0, -40.0]), f8(1)), (A([1e-3, 0.0]), f8(1)), (A([3.0, -4.0]), f8(-0.1)),
                    (A([0.0, 0.0]), f8(-1))]),
    (nested, [(A([1.0, 2.0]), np.int64(12)), (A([1.0]), np.int64(0))]),
    (two_arrays, [(A([1.0, 2.0]), A([0.0, 0.5]), f8(0.125), f8(2)),
                  (A([1.0, 2.0]), A([0.0, 0.5]), f8(0.125), f8(0))]),
    (stored, [(A([1.0, 2.0]), f8(12))]),
    (rk45, [(A([2.0, 0.0]), f8(1), f8(1e-6)), (A([0.5, -1.0]), f8(-1), f8(1e-6))]),
]


def outcome(function, arguments):
    """Bits, warnings, and which results are arguments."""
    given = [x.copy(order="K") if isinstance(x, np.ndarray) else x for x in arguments]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            result = function(*given)
        except ZeroDivisionError as error:
            return repr(error)
    parts = result if isinstance(result, tuple) else (result,)
    parts = tuple(x if isinstance(x, np.ndarray) else f8(x) for x in parts)
    same = [[x is g for g in given] for x in parts]
    return described(parts), same, [str(w.message) for w in found], described(tuple(map(A, given)))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("function", "arguments"), [
    pytest.param(f, a, id=f"{f.__name__}-{k}") for f, calls in CASES for k, a in enumerate(calls)])
def test_the_plain_functions_outcome(function, arguments):
    assert outcome(ag.function(function), arguments) == outcome(function, arguments)


@pytest.mark.parametrize("function", [f for f, _ in CASES if f is not stored])
def test_generated_code_is_over_numbers(function):
    arguments = next(calls for f, calls in CASES if f is function)[0]
    source = ag.function(function).get_concrete_function(*arguments).source
    assert ".tolist()" in source.partition("except")[0]


def test_what_is_stored_into_is_a_list_and_float32_stays_an_array():
    assert "y_items[0] = y_items[1] * 0.5" in ag.function(stored).get_concrete_function(
        A([1.0, 2.0]), f8(12)).source
    assert ".tolist()" not in ag.function(pendulum).get_concrete_function(
        A([1.0, 2.0], np.float32), f8(1), f8(0.1)).source


def in_turn(x, y, n):
    for _ in range(n):
        x, y = y, x
    return x, y


def in_a_branch(x, y, n):
    for k in range(n):
        if k % 2 == 0:
            x, y = y, x
    return x, y


@pytest.mark.parametrize("function", [in_turn, in_a_branch])
@pytest.mark.parametrize("n", range(4))
def test_arrays_of_other_lengths_change_places(function, n):
    """As many numbers as before, in all, but not the same arrays."""
    arguments = A([1.0]), A([2.0, 3.0]), np.int64(n)
    assert outcome(ag.function(function), arguments) == outcome(function, arguments)


PASSING_ON = {
    "what it was before": "z = x; x = x + 0.5",
    "one array under two names": "x = x + 0.5; y = x",
    "swapped": "x, y = y, x",
    "another array": "x = y",
    "another array in a branch": "x = y if k > 1 else x * 0.5",
    "a new array under two names": "x = y = np.array([x[1], x[0]])",
    "equal new arrays": "x = np.array([z[0], z[0]]); y = np.array([z[0], z[0]])",
    "new arrays of equal constants": "x = z if k > 2 else np.array([0.5, 0.5]); y = -np.array("
                                     "[-0.5, -0.5]); z = np.array([0.5, 0.5]) if k > 1 else y",
    "itself": "x = +x; y = abs(y)",
    "another array in an inner loop": "for j in range(n): x, z = z, y",
}
"""What a loop does with three small arrays."""


@pytest.mark.parametrize("statement", PASSING_ON.values(), ids=list(PASSING_ON))
def test_which_array_is_which(statement):
    scope = load(f"""import numpy as np
def f(n, x, y, z):
    for k in range(n):
        {statement}
    return x, y, z""", f"<{statement}>")
    made = ag.function(scope["f"])
    for n in range(4):
        arrays = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])
        expected, found = ([[x is y for y in (*arrays, *results)] for x in results]
                           for results in (f(np.int64(n), *arrays) for f in (scope["f"], made)))
        assert found == expected, n


@pytest.mark.parametrize("n", range(4))
def test_a_new_array_that_a_branch_gives(n):
    """It is there, too, where the branch does not give it."""
    def f(y, n):
        x = z = y
        for _ in range(n * 10):
            x = np.array([y[1], y[0] * 0.5])
            if y[0] > y[1]:
                z = x
            y = z * 0.5
        return x, y, z

    assert outcome(ag.function(f), (A([1.0, 2.0]), n)) == outcome(f, (A([1.0, 2.0]), n))


@pytest.mark.parametrize("n", range(4))
def test_arrays_change_places_in_an_inner_loop(n, monkeypatch):
    """Its results have the names of what it begins with."""
    monkeypatch.setattr(loops, "UNROLL", 0)

    def f(x, y, n):
        least = 5.0
        for _ in range(n):
            for _ in range(1):
                x, y = y, x
                if x[0] > 10.0:
                    break
            least = min(least, np.sort(x)[0])
        return x, y, least

    arguments = A([1.0, 2.0]), A([3.0, 4.0]), n
    assert outcome(ag.function(f), arguments) == outcome(f, arguments)


def counted_down(x):
    while x:
        x = x - 1
    return x


def pushed(x):
    for _ in range(90):
        x = x - 1 if x else x + 2
    return x


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("plain", [counted_down, pushed])
def test_the_truth_of_an_array_is_numpys(plain, native):
    f = ag.function(plain, jit_compile=native)
    assert np.array_equal(f(np.ones(1)), plain(np.ones(1)))
    for x in (np.ones(2), np.ones(3), np.zeros(2)):
        for _ in range(2):
            with pytest.raises(ValueError, match="more than one element is ambiguous"):
                f(x)


def halved_again(x, n):
    for _ in range(n + 1):
        x = x * 0.5
        if n > 0:
            x = halved_again(x, n - 1)
    return x


def changed_again(x, n):
    total = 0.0
    for i in range(3):
        for j in range(len(x)):
            x[j] = x[j] * 0.5 + i
            total += x[j]
            if total > 1e3 and n > 0:
                total += changed_again(x, n - 1) * 0.5
    return total


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("plain", [halved_again, changed_again])
def test_a_loop_may_call_the_function_it_is_in(plain, native):
    """A callee is a graph of its own, here one around the loop."""
    arguments = A([900.0, 2.0, 901.0]), np.int64(2)
    f = ag.function(plain, jit_compile=native)
    assert outcome(f, arguments) == outcome(plain, arguments)
