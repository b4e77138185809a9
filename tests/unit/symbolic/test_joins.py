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
    "lists": lambda v, w: (np.r_[v, [1, v[0]]], np.c_[v, (v[1], 2.0)]),
    "an axis": lambda v, w: (np.r_["-1", v, v], np.r_["1", w, w], np.c_["0", v, 1:3]),
    "a rank": lambda v, w: (np.r_["0,2", v, w], np.c_["0,3", w, w], np.r_["1,3", w, 2.0 * w]),
    "a place": lambda v, w: (np.r_["1,2,0", v, w], np.r_["2,3,1", v, v], np.r_["1,3,-2", v, 0:2]),
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


@pytest.mark.parametrize(("form", "error"), [
    ("0,2,2", "axes"), ("x", "special directive"), ("5", "out of bounds")])
def test_forms_that_numpy_refuses(form, error):
    def f(v):
        return np.r_[form, v, v]

    for run in (f, ag.function(f)):
        with pytest.raises((ValueError, np.exceptions.AxisError), match=error):
            run(V)


def test_errors_are_numpys():
    with pytest.raises(ValueError, match="must match exactly"):
        ag.function(lambda v, w: np.r_[w, np.ones((2, 3))])(V, W)


def test_second_derivatives():
    def f(v):
        squares = np.r_["0,2", v, v[::-1]] ** 2
        return np.sum(np.r_[v, 1.0, [v[0] * v[0], v[1] ** 2]] ** 3) + np.sum(squares)

    def by_hand(v):
        return np.diag(6.0 * v + 30.0 * v ** 4 + 4.0)

    np.testing.assert_allclose(ag.hessian(f)(V), by_hand(V))
