"""Inner loops that give other bits in other places, or where an operand does not move."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native import lowered_arrays
from autograph.runtime.native.inner_loops import inner_loop, loop_for_numbers

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

F8 = np.dtype(np.float64)
ZEROS = np.array([0.0, -0.0] * 15)


@pytest.fixture(autouse=True)
def one_operation_is_worth_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowered_arrays, "WORTH", 1)


def squares_that_are_no_powers() -> Any:
    """Returns numbers whose square is not what `pow` gives; not all machines have some."""
    x = np.random.default_rng(0).normal(size=20000)
    return x[np.power(x, np.resize([2.0], x.shape)) != x * x][:40]


EXPONENTS = [np.array([2.0]), np.array([2]), np.broadcast_to(np.array(2.0), (40,)),
             np.full(40, 2.0), np.float64(2), 2.0, np.array(2.0)]


@pytest.mark.parametrize("exponent", EXPONENTS,
                         ids=lambda y: f"{np.shape(y)} {np.asarray(y).dtype}")
def test_powers_of_one_exponent(exponent: Any) -> None:
    def powers(x, y):
        return np.power(x, y) * 1

    x = np.resize(np.append(squares_that_are_no_powers(), 1.5), 40)
    native = ag.function(powers, jit_compile=True)
    for _ in range(2):
        assert native(x, exponent).tobytes() == powers(x, exponent).tobytes()


@pytest.mark.parametrize("ufunc", [np.fmin, np.fmax, np.minimum, np.maximum])
def test_zeros_in_every_place(ufunc: Any) -> None:
    def chosen(x, y):
        return ufunc(x, y) * 1

    native = ag.function(chosen, jit_compile=True)
    for n in range(1, 30):
        x, y = ZEROS[:n], ZEROS[1:n + 1]
        assert native(x, y).tobytes() == chosen(x, y).tobytes()


def test_what_a_loop_depends_on_is_found_out() -> None:
    power = inner_loop(np.power, (F8,) * 3)
    assert power is not None and not power.steady
    assert loop_for_numbers(np.power, (F8,) * 3) is not None
    sine = inner_loop(np.sin, (F8,) * 2)
    assert sine is not None and sine.steady
