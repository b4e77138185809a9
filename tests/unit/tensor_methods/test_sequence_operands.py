"""Operators on a symbolic value and a list, tuple or range: what NumPy or Python makes of it."""

import operator

import numpy as np
import pytest

import autograph as ag

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
             operator.mod, operator.pow, operator.lt, operator.eq, operator.matmul,
             operator.and_, operator.lshift]
SEQUENCES = {
    "list": lambda x: [1, 2], "tuple": lambda x: (1, 2), "range": lambda x: range(2),
    "symbolic list": lambda x: [1.5, x], "list of it": lambda x: [x, x],
}
VALUES = {
    "float64": (np.float64(2), np.float64(3)),
    "int64": (np.int64(2), np.int64(3)),
    "bool": (np.True_, np.False_),
    "complex128": (np.complex128(2j), np.complex128(1)),
    "0-d array": (np.array(2.0), np.array(3.0)),
    "floats": (np.array([1.0, 2.0]), np.array([3.0, 1.0])),
    "integers": (np.array([1, 2]), np.array([3, 1])),
}


def outcome(function, x):
    try:
        return repr(function(x))
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_same_as_plain(op, sequence, values):
    made = SEQUENCES[sequence]

    def left(x):
        return op(x, made(x))

    def right(x):
        return op(made(x), x)

    for function in left, right:
        traced = ag.function(function)
        for x in VALUES[values] * 2:
            assert outcome(traced, x) == outcome(function, x)
