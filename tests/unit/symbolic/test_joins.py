"""`np.r_` and `np.c_` of symbolic arrays are a concatenation, whose type is known."""

import numpy as np
import pytest

import autograph as ag

V, W = np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]])
SINGLE = np.array([1.0, 2.0], np.float32)
PROGRAMS = {
    "numbers": lambda v, w: np.r_[0.5, v, 1, v[0]],
    "weak numbers": lambda v, w: np.r_[0.5, v.astype(np.float32), 1],
    "integers": lambda v, w: np.r_[v.astype(int), 2],
    "a slice": lambda v, w: np.r_[1:4, v, 0:1:3j],
    "one": lambda v, w: (np.r_[v], np.c_[v]),
    "rows": lambda v, w: np.r_[w, 2.0 * w],
    "columns": lambda v, w: np.c_[v, w, v * 2.0],
    "columns of numbers": lambda v, w: np.c_[v[0], 2.0],
    "columns of slices": lambda v, w: np.c_[v, 1:3],
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("v", [V, SINGLE], ids=["double", "single"])
def test_same_arrays(name, v):
    f = PROGRAMS[name]
    expected, found = f(v, W), ag.function(f)(v, W)
    for x, y in zip(expected if isinstance(expected, tuple) else (expected,),
                    found if isinstance(found, tuple) else (found,), strict=True):
        assert getattr(x, "dtype", None) == getattr(y, "dtype", None)
        np.testing.assert_array_equal(x, y)


def test_the_type_is_known():
    text = str(ag.function(PROGRAMS["numbers"]).graph(V, W))
    assert "dynamic" not in text


def test_errors_are_numpys():
    with pytest.raises(ValueError, match="must match exactly"):
        ag.function(lambda v, w: np.r_[w, np.ones((2, 3))])(V, W)


def test_second_derivatives():
    def f(v):
        return np.sum(np.r_[v, 1.0, v * v] ** 3) + np.sum(np.c_[v, v[::-1]] ** 2)

    def by_hand(v):
        return np.diag(6.0 * v + 30.0 * v ** 4 + 4.0)

    np.testing.assert_allclose(ag.hessian(f)(V), by_hand(V))
