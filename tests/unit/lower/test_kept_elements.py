"""Gradients of loops over arrays of a few numbers keep the numbers, forward and backward."""

import numpy as np
import pytest

import autograph as ag


def adaptive(y, end):
    t, h = 0.0, 0.1
    while t < end:
        h = min(h, end - t)
        one = y + h * -y
        half = y + h / 2 * -y
        two = half + h / 2 * -half
        error = np.abs(two - one).max()
        if error > 1e-3:
            h /= 2
            continue
        y, t = two, t + h
        if error < 1e-4:
            h *= 1.5
    return y


def steps(y, end):
    for _ in range(20):
        y = y + 0.05 * end * (y - y * y * y / (1.0 + y * y))
    return y


def growing(y, end):
    for _ in range(12):
        y = y * y * end
    return y


def poles(y, end):
    for k in range(6):
        y = end / (y - 0.5) + k * y
    return y


def branches(y, end):
    total = 0.0
    for _ in range(9):
        if y[0] > y[1]:
            y = y * np.array([0.5, y[1]])
        else:
            total = total + max(y[0], end) * y[1]
            y = np.array([y[1] * y[0], total * 0.3])
    return y * total


def ends_early(y, end):
    for k in range(50):
        y = y * 1.1 - y * y * 0.05
        if np.sum(y) > 3.0 * end:
            return y * k
    return y


PROGRAMS = (adaptive, steps, growing, poles, branches, ends_early)
POINTS = tuple(map(np.array, (
    [1.0, 2.0], [0.3, -0.7], [0.5, 1e200], [0.0, -0.0], [np.inf, 1.0], [np.nan, 1.0])))


def of_sum(f):
    def total(y, end):
        return np.sum(f(y, end) * 0.5)

    return total


def source(f, *args):
    dispatcher = ag.value_and_grad(of_sum(f), (0, 1)).__ag_dispatcher__
    names = [p.name for p in dispatcher.parameters]
    return dispatcher.find(dict(zip(names, args, strict=True)))[0].source


@pytest.mark.parametrize("f", [adaptive, steps, growing])
def test_both_loops_run_on_numbers(f):
    text = source(f, np.array([1.0, 2.0]), np.float64(1.0))
    assert text.count("except (OverflowError") == 2 and "append((" in text
    assert text == source(f, np.array([1.0, 2.0]), np.float64(1.0))


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("y", POINTS)
def test_values_and_slopes(f, y):
    end, along = np.float64(0.9), (np.array([0.3, -0.8]), np.float64(0.7))
    if f is adaptive and not np.max(np.abs(y)) < 10:
        return  # the plain loop does not end in time
    total = of_sum(f)
    with np.errstate(all="ignore"):
        value, (dy, dend) = ag.value_and_grad(total, (0, 1))(y, end)
        np.testing.assert_array_equal(value, total(y, end))
        assert type(value) is type(dend) is np.float64 and dy.dtype == float
        slope = ag.jvp(total, (y, end), along)[1]
        if np.isfinite(slope) and np.isfinite(dy).all():
            np.testing.assert_allclose(dy @ along[0] + dend * along[1], slope, rtol=1e-9)


@pytest.mark.parametrize("f", [adaptive, steps, branches])
def test_what_is_not_a_loop_of_numbers_gets_arrays(f):
    y, end = np.array([1.0, 2.0]), np.float64(0.9)

    def total(y, end):
        return np.sum(np.sort(f(y, end)) * np.array([0.3, 0.8])) + np.sum(f(y * 1.1, end))

    found, again = ag.grad(total)(y, end), ag.vjp(total, y, end)[1](1.0)[0]
    h = 1e-6
    expected = [(total(y + h * t, end) - total(y - h * t, end)) / (2 * h) for t in np.eye(2)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(again, found, rtol=1e-14)
    second = ag.hessian(total)(y, end)
    np.testing.assert_allclose(second, second.T, rtol=1e-9)
    slopes = [(ag.grad(total)(y + h * t, end) - ag.grad(total)(y - h * t, end)) / (2 * h)
              for t in np.eye(2)]
    np.testing.assert_allclose(second, slopes, rtol=1e-4, atol=1e-6)


def test_what_was_kept_on_arrays_is_read_as_numbers():
    y, end = np.array([1e150, 1.0]), np.float64(1.0)  # the forward loop runs again on arrays

    def two_loops(y, end):
        for _ in range(3):
            y = y * y * 1e-150
        return np.sum(y * np.array([0.0, end]))

    with np.errstate(all="ignore"):
        found = ag.grad(two_loops, (0, 1))(np.array([1e308, 1.0]), end)
        expected = ag.jvp(two_loops, (np.array([1e308, 1.0]), end), (np.array([0.0, 1.0]), end))[1]
    np.testing.assert_allclose(found[0][1] + found[1], expected)
    assert np.isfinite(ag.grad(two_loops)(y, end)).all()
