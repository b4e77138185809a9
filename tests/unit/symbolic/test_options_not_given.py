"""Options of NumPy that say nothing: `np._NoValue`, which its own functions pass on, for
one that is not given, and `out=...` for a new array."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

NONE: Any = np._NoValue
X = np.arange(12.0).reshape(3, 4) / 4 + 0.5
CALLS: dict[str, Callable[[Any], Any]] = {
    "argmin": lambda x: np.argmin(x, axis=0, out=None, keepdims=NONE),
    "argmax of all": lambda x: np.argmax(x, axis=None, keepdims=NONE),
    "sum of truths": lambda x: np.sum(x > 1, axis=0, dtype=np.intp, keepdims=NONE),
    "any": lambda x: np.any(x > 1, axis=0, keepdims=NONE),
    "all, by position": lambda x: np.all(x > 1, None, None, NONE),
    "max": lambda x: np.max(x, axis=0, out=None, keepdims=NONE, initial=NONE, where=NONE),
    "nansum": lambda x: np.nansum(x, axis=0, keepdims=NONE, initial=NONE, where=NONE),
    "var": lambda x: np.var(x, axis=1, ddof=0, keepdims=NONE, where=NONE, correction=NONE),
    "diff": lambda x: np.diff(x, 1, -1, NONE, NONE),
}


@pytest.mark.parametrize("name", CALLS)
def test_options_that_are_not_given(name: str) -> None:
    assert repr(ag.function(CALLS[name])(X)) == repr(CALLS[name](X))


@pytest.mark.parametrize("name", ["max", "nansum", "var", "diff"])
def test_their_gradients(name: str) -> None:
    plain = {"max": lambda x: np.max(x, axis=0), "nansum": lambda x: np.nansum(x, axis=0),
             "var": lambda x: np.var(x, axis=1), "diff": np.diff}[name]
    found = ag.grad(lambda x: np.sum(CALLS[name](x) ** 2))(X)
    np.testing.assert_array_equal(found, ag.grad(lambda x: np.sum(plain(x) ** 2))(X))


def new_arrays(x, out=None):
    t = np.multiply(x[0, 0], 2.0, out=...)
    np.add(t, x[0, 1], out=t)
    return (t, np.sqrt(x[0, 0], out=... if out is None else out), np.add(x, 1, out=...),
            x.transpose(None))


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="`out=...` is newer")
def test_new_arrays_are_arrays_also_without_axes() -> None:
    assert repr(ag.function(new_arrays)(X)) == repr(new_arrays(X))
