"""Stencils over shifted views, and rolls: every bit, layout and warning of the plain function."""

import warnings

import numpy as np
import pytest

import autograph as ag
from tests.unit.kernels.test_tiled import described, described_with_layout, threads, uniform

__all__ = ["threads"]


def sweeps(u):
    for _ in range(10):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def laplacian(u):
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


def two_results(u):
    a = (u[:, 1:] - u[:, :-1]) * 2
    return a, a > 1, np.where(a > 1, a, 2 * a)


def with_a_number(u, step):
    u[1:-1, 2:] = u[1:-1, 2:] + step * (u[:-2, 2:] - 2 * u[1:-1, 1:-1] + u[2:, :-2])
    return u


def in_space(u):
    return (u[1:, 1:, 1:] - u[:-1, :-1, :-1]) * 0.5 + u[1:, :-1, 1:]


def of_two(u, v):
    u[1:, 1:] = v[1:, 1:] * 2 - v[:-1, :-1] + u[1:, 1:]
    return u + v


def narrow(u):
    return u[:, 1:4] * 2 + u[:, :3] * 3 - 1


def rolls(u):
    total = 0 * u
    for shift in (-1, 0, 1, 300):
        for axis in (0, -1):
            total = total + np.roll(u, shift, axis) * np.roll(u[::-1], shift, axis=axis)
    return total


def rolled_alone(u):
    return np.roll(u, 3, 0), np.roll(u, 0, axis=1), np.roll(u.T, 1, 0), np.roll(u[0], 5)


STENCILS = [sweeps, laplacian, two_results, narrow, rolls, rolled_alone]
DTYPES = [np.float64, np.float32, np.int32, np.uint8, np.complex128]
LAYOUTS = {
    "C": lambda u: u, "F": np.asfortranarray, "view": lambda u: np.pad(u, 3)[3:-3, 3:-3],
    "reversed": lambda u: u[::-1].copy()[::-1], "step": lambda u: np.repeat(u, 2, 0)[::2],
    "transposed": lambda u: u.T.copy().T,
    "unaligned": lambda u: np.frombuffer(
        b"\0" + u.tobytes(), u.dtype, u.size, 1).reshape(u.shape).copy()[:],
}


def agree(function, *arguments, calls=3):
    plain = [x.copy(order="K") if isinstance(x, np.ndarray) else x for x in arguments]
    expected, traced = function(*plain), ag.function(function)
    for _ in range(calls):
        given = [x.copy(order="K") if isinstance(x, np.ndarray) else x for x in arguments]
        assert described_with_layout(traced(*given)) == described_with_layout(expected)
        assert described(tuple(given)) == described(tuple(plain))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", STENCILS)
def test_dtypes(function, dtype, threads):
    agree(function, uniform(260, 250, dtype=dtype))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", STENCILS)
def test_layouts(function, layout):
    x = LAYOUTS[layout](uniform(260, 250))
    expected, traced = described_with_layout(function(x.copy())), ag.function(function)
    if function is not sweeps:
        expected = described_with_layout(function(x))
        assert described_with_layout(traced(x)) == expected
        x.flags.writeable = False
        assert described_with_layout(traced(x)) == expected


def test_other_shapes(threads):
    agree(in_space, uniform(40, 41, 42))
    agree(with_a_number, uniform(300, 200), np.float64(0.1))
    agree(of_two, uniform(300, 200), uniform(300, 200))
    agree(laplacian, uniform(1200, 900))  # large: lines in tiles
    agree(sweeps, uniform(1200, 900, dtype=np.float32))


def test_two_views_of_one_array_are_arguments():
    whole, traced = uniform(300, 302), ag.function(of_two)
    plain = whole.copy()
    expected = of_two(plain[:, :300], plain[:, 2:])
    assert described(traced(whole[:, :300], whole[:, 2:])) == described(expected)
    assert described(whole) == described(plain)


def noisy(u, v):
    return (u[1:, 1:] / v[1:, :-1] + 1) * 2


def test_what_lies_between_the_rows_warns_of_nothing():
    u, v = uniform(260, 250), uniform(260, 250)
    v[:, -1] = 0.0  # never divided by
    traced = ag.function(noisy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert described(traced(u, v)) == described(noisy(u, v))
    v[3, 4] = 0.0
    with pytest.warns(RuntimeWarning, match="divide by zero") as found:
        traced(u, v)
    assert len(found) == 1
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        traced(u, v)
    with np.errstate(divide="ignore"):
        assert described(traced(u, v)) == described(noisy(u, v))


def test_results_have_memory_of_their_own():
    traced = ag.function(laplacian)
    x, y = uniform(260, 250), uniform(260, 250)
    first = traced(x)
    before = first.tobytes()
    others = [traced(y) for _ in range(4)]
    assert first.tobytes() == before
    assert not any(np.may_share_memory(first, other) for other in others)
    assert first.flags.owndata and first.flags.writeable


@pytest.mark.parametrize("made", [
    lambda u: u[::-1, ::-1], lambda u: u.T.copy().T, lambda u: np.vstack([u, u])[:len(u)],
    lambda u: np.hstack([u, u])[:, :u.shape[1]], lambda u: np.vstack([u, u])[1:len(u) + 1],
    lambda u: u.reshape(-1)[::1].reshape(u.shape), lambda u: u[None][0]])
def test_an_array_that_is_a_view_itself(made):
    def smoothed(u):
        return 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])

    u = uniform(260, 250)
    traced = ag.function(smoothed)
    for each in (u, made(u), u):
        assert described(traced(each)) == described(smoothed(each))


def test_generated_code_has_lines():
    assert "in_lines(rows, 4, False, ((2000, 8), 65000, 64498, (1, 501, 250, 252))" in ag.function(
        sweeps).get_concrete_function(uniform(260, 250)).source
    assert "rolled(" in ag.function(rolls).get_concrete_function(uniform(260, 250)).source

