"""Early returns in generated code."""

import numpy as np
import pytest

import autograph as ag


@pytest.mark.parametrize("x", [4.0, 2.0, 0.5, -1.0])
def test_a_result_in_two_places(x):
    """A value that only the `return` uses, but twice, has a name."""
    @ag.function
    def f(x):
        if x > 3:
            y = x * 2 + 1
        elif x > 1:
            y = x * x - 3
        elif x > 0:
            y = x - 3
        else:
            y = x
        return y, [y]

    assert f(np.float64(x)) == f.python_function(np.float64(x))
