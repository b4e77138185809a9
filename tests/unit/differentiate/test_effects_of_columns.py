"""A Jacobian computes the function once: what it draws, prints and writes happens once."""

from typing import Any

import numpy as np
import pytest

import autograph as ag

X = np.array([1.0, 2.0, 3.0])
MODES = ("reverse", "forward", "auto")
count = ag.Variable(0.0)


def counted(x: Any) -> Any:
    count.assign(count + 1.0)
    return x * np.sum(x * x) * count


@pytest.mark.parametrize("mode", MODES)
def test_variables_are_written_once(mode: str) -> None:
    count.assign(0.0)
    np.testing.assert_allclose(ag.jacobian(counted, mode=mode)(X), [
        [16.0, 4.0, 6.0], [4.0, 22.0, 12.0], [6.0, 12.0, 32.0]])
    assert float(count) == 1.0


def test_so_they_are_by_a_hessian() -> None:
    def energy(x: Any) -> Any:
        count.assign(count + 1.0)
        return np.sum(x * x) * count

    count.assign(0.0)
    np.testing.assert_array_equal(ag.hessian(energy)(X), 2.0 * np.eye(3))
    assert float(count) == 1.0


@pytest.mark.parametrize("mode", MODES)
def test_one_draw_is_in_all_columns(mode: str) -> None:
    rng = np.random.default_rng(0)
    found = ag.jacobian(lambda x: x * rng.normal(size=3), mode=mode)(X)
    np.testing.assert_array_equal(found, np.diag(np.random.default_rng(0).normal(size=3)))


@pytest.mark.parametrize("mode", MODES)
def test_prints_come_once(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        ag.print("once")
        return x * x

    ag.jacobian(f, mode=mode)(X)
    assert capsys.readouterr().out == "once\n"


@pytest.mark.parametrize("mode", MODES)
def test_an_argument_is_written(mode: str) -> None:
    def f(x: Any) -> Any:
        x[0] += x[1]
        return x * x

    given = X.copy()
    np.testing.assert_array_equal(ag.jacobian(f, mode=mode)(given), [
        [6.0, 6.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]])
    np.testing.assert_array_equal(given, [3.0, 2.0, 3.0])


def test_an_argument_is_written_by_a_hessian() -> None:
    def f(x: Any) -> Any:
        x[0] += x[1]
        return np.sum(x * x)

    given = X.copy()
    ag.hessian(f)(given)
    np.testing.assert_array_equal(given, [3.0, 2.0, 3.0])


@pytest.mark.parametrize("mode", MODES)
def test_lists_from_outside_grow_once(mode: str) -> None:
    seen: list[int] = []

    def f(x: Any) -> Any:
        seen.append(1)
        return x * x

    ag.jacobian(f, mode=mode)(X)
    assert seen == [1]
