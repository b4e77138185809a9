"""Memory that the constructor of arrays makes is as good as `np.empty`'s for machine code."""

import numpy as np

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
