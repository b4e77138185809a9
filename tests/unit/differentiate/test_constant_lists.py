"""Lists of constants beside what varies are arrays to the rules, in both modes."""

import numpy as np
import pytest

from tests.support.slopes import Trial

X = np.array([0.3, 0.9, -0.4])

PROGRAMS = {
    "where": lambda x: np.where(x > 0, [1.0, 2, 3], x),
    "choose": lambda x: np.choose([0, 1, 0], [x, [1.0, 2, 3]]),
    "clip": lambda x: np.clip(x, [0.0, 0, 0], [1.0, 0.5, 0.5]),
    "einsum": lambda x: np.einsum("i,i", x, [1, 2, 3.0]),
    "solve": lambda x: np.linalg.solve([[2.0, 1, 0], [0, 1, 0], [1, 0, 1]], x),
    "matmul": lambda x: x @ [1.0, 2, 3],
    "dot": lambda x: np.dot((1, 2, 3), x),
    "convolve": lambda x: np.convolve([1, 2.0], x),
    "interp": lambda x: np.interp(x, [-1.0, 0, 1], (1, 3, 2)),
    "concatenate": lambda x: np.concatenate([x, [1.0, 2]]),
    "stack": lambda x: np.stack([x, [1.0, 2, 3]]),
    "float64": lambda x: np.float64(x[0]) * np.float64(x),
    "complex128": lambda x: np.complex128(x[0]) * (1 + 2j) * x,
    "conjugate": lambda x: complex(x[0], x[1]).conjugate() * float(x[2]).conjugate(),
}


def flat(x):
    y = np.outer(x, x)
    y.flat = x
    y.flat[[1, 5, 7]] = x[:2] * 2
    np.put(y, [0, 2, 4], x[1:] ** 2)
    y.flat[8] = x[0] ** 3
    return y


def test_values_start_again():
    verdict = Trial(flat, (X.copy(),), 3).verdict()
    assert verdict.outcome == "agree", verdict.told


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_modes(name):
    verdict = Trial(PROGRAMS[name], (X.copy(),), 3).verdict()
    assert verdict.outcome == "agree", verdict.told
