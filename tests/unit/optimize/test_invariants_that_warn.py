"""What a loop computes anew each time moves before it only if no error can come first."""

import warnings

import numpy as np
import pytest

import autograph as ag


def scaled(x, y, n):
    for i in range(n):
        x[1:] *= 2
        x[i] += (y // y).argmin()
    return x


@pytest.mark.parametrize("jit_compile", [True, False])
def test_a_warning_does_not_come_before_an_error(jit_compile):
    x, zeros = np.arange(4), np.zeros(4, np.int64)
    x.flags.writeable = False
    compiled = ag.function(scaled, jit_compile=jit_compile)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in (scaled, compiled, compiled):
            with pytest.raises(ValueError, match="read-only"):
                f(x, zeros, 40)


def test_what_only_warns_still_moves():
    def f(x, y):
        for i in range(40):
            x[i] += (y // y).sum()
        return x

    program = str(ag.function(f).get_concrete_function(np.arange(40), np.arange(3)).graph)
    assert program.index("floor_divide") < program.index("for(")
