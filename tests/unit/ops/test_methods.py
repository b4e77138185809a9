"""An op whose record names a method of arrays is called as that method: the two agree, on what they
give, on what they share memory with, and on what they refuse."""

from __future__ import annotations

import warnings
from inspect import signature
from itertools import product
from typing import Any

import numpy as np
import pytest

from autograph.runtime.ops import OPS
from autograph.runtime.ops.creation import COPY

CUBE = np.arange(24.0).reshape(2, 3, 4)
ARRAYS = {
    "cube": CUBE, "turned": CUBE.T, "every second": CUBE[:, ::2, ::-1], "vector": np.arange(5),
    "empty": np.zeros((0, 3)), "small ints": np.array([[3, 200], [7, 255]], np.uint8),
    "bools": CUBE > 5, "complex": CUBE[0] * 1j, "one": np.ones((1, 1)),
    "nans": np.array([[np.nan, 1.0, -0.0], [np.inf, 2.0, np.nan]]),
    "read-only": np.broadcast_to(np.arange(3.0), (2, 3)),
}
WORDS: tuple[Any, ...] = (
    None, 0, -1, 5, 1.5, "C", (0, 1), (3, -1), [1, 0], np.array([1, 0]), np.float32, True)
METHODS = [op for op in OPS.values() if op.method is not None and op is not COPY]


def outcome(call: Any) -> tuple[Any, ...]:
    """What a call gives, or the error that it raises, with its text."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            made = call()
        except Exception as error:
            return type(error), str(error).partition("\n")[0]
    told = [str(w.message) for w in warned]
    return told, [description(x) for x in (made if isinstance(made, tuple) else (made,))]


def description(x: Any) -> tuple[Any, ...]:
    if not isinstance(x, (np.ndarray, np.generic)):
        return type(x), repr(x)
    return (type(x), x.dtype, x.shape, x.strides, x.tobytes(), x.flags.writeable,
            x.flags.owndata)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("op", METHODS, ids=lambda op: op.name)
def test_method_gives_and_refuses_as_the_function(op: Any, name: str) -> None:
    x = ARRAYS[name]
    given = [args for many in range(3) for args in product(WORDS, repeat=many)]
    named = [{}] + [{key: a} for key in op.method.names for a in WORDS]
    with np.errstate(all="ignore"):
        for args in given:
            for kwargs in named if len(args) < 2 else named[:1]:
                if op.method.takes(len(args), kwargs) and is_taken(op.kernel, x, *args, **kwargs):
                    function = outcome(lambda: op.kernel(x, *args, **kwargs))  # noqa: B023
                    method = outcome(lambda: getattr(x, op.name)(*args, **kwargs))  # noqa: B023
                    assert method == function, (args, kwargs)


def is_taken(function: Any, *args: Any, **kwargs: Any) -> bool:
    """Returns True if the function has parameters for these arguments: else none is recorded."""
    try:
        signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True
