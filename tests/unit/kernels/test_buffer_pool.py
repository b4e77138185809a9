"""Large new arrays are those of the pool: one that anybody still has, or sees, is not given."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as ag
from autograph.runtime.kernels.buffer_pool import LARGE, new_array

LENGTH = LARGE // 8


def filled(x: Any) -> Any:
    out = np.empty((LENGTH,))
    out[:] = x
    return out


def test_a_free_array_is_given_out_again() -> None:
    first = new_array((LENGTH, 3))
    address = first.ctypes.data
    del first
    assert new_array((LENGTH, 3)).ctypes.data == address


def test_an_array_that_is_seen_is_not() -> None:
    first = new_array((LENGTH, 2), np.float32)
    part = first[1:]
    address = first.ctypes.data
    del first
    assert new_array((LENGTH, 2), np.float32).ctypes.data != address
    assert part.base is not None


def test_results_of_calls_are_arrays_of_their_own() -> None:
    traced = ag.function(filled, jit_compile=False)
    source = traced.get_concrete_function(1.5).source
    assert "new_array" in source
    made = [traced(1.5), traced(1.5)]
    made[0][:] = 7
    again = traced(1.5)
    assert (made[1] == 1.5).all()
    assert (again == 1.5).all()
    assert (made[0] == 7).all()
    assert len({x.ctypes.data for x in (*made, again)}) == 3


def test_small_arrays_are_numpys() -> None:
    def small(x: Any) -> Any:
        out = np.empty((8,))
        out[:] = x
        return out

    assert "np.empty" in ag.function(small, jit_compile=False).get_concrete_function(2.0).source
