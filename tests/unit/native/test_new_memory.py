"""Memory that the constructor of arrays makes is as good as `np.empty`'s for machine code."""

import numpy as np
import pytest

import autograph as ag


def recurrence(x):
    y = np.ndarray((len(x),), dtype=x.dtype)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + x[i]
    return y


def test_a_loop_that_fills_an_ndarray_is_native():
    x = np.linspace(0.0, 1.0, 200)
    compiled = ag.function(recurrence, jit_compile=True)
    assert compiled(x).tobytes() == recurrence(x).tobytes()
    concrete = compiled.get_concrete_function(x)
    assert not concrete.program.by_reference
    assert [why for _, why in concrete.native_loops] == [""]


def bordered(x, number):
    t = np.full((len(x) + 1, len(x) + 1), number)
    for i in range(len(x)):
        for j in range(len(x)):
            t[i + 1, j + 1] = t[i, j] + x[j]
    return t[len(x)], t[0, 0]


def in_columns(x):
    t = np.zeros((len(x), 2), order="F")
    for i in range(len(x)):
        t[i, 0] = x[i]
    return t


@pytest.mark.parametrize("number", [np.inf, 3, np.float32(2.5), True])
def test_an_array_of_one_number_is_made_in_the_kernel(number, monkeypatch):
    x = np.linspace(0.0, 1.0, 200)
    compiled = ag.function(bordered, jit_compile=True)
    with np.errstate(invalid="ignore"):
        for found, expected in zip(compiled(x, number), bordered(x, number), strict=True):
            assert found.tobytes() == expected.tobytes() and found.dtype == expected.dtype
    program = str(compiled.graph(x, number, stage="program"))
    assert program.index("kernel.run(") < program.index("np.full")


def test_an_array_in_another_order_keeps_it():
    x = np.linspace(0.0, 1.0, 200)
    compiled = ag.function(in_columns, jit_compile=True)
    assert compiled(x).strides == in_columns(x).strides == (8, 1600)
    assert compiled(x).tobytes() == in_columns(x).tobytes()
