"""What has no items is refused in the words of Python, which has others for `a, b = x`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def in_two(x: Any) -> Any:
    p, q = x.sum()
    return p + q


def in_a_loop(x: Any) -> Any:
    for _p, _q in x:
        pass
    return x


def in_a_comprehension(x: Any) -> Any:
    return [p for p, q in x]


def with_the_rest(x: Any) -> Any:
    p, *q = x[0]
    return p, q


def with_the_rest_of_one_that_is_known(x: Any) -> Any:
    p, *q = np.float64(3.0)
    return p, q


def gone_through(x: Any) -> Any:
    return [p + 1 for p in x.sum()]


def an_array_without_axes(x: Any) -> Any:
    p, q = np.array(x.sum())
    return p + q


@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}],
                         ids=["default", "runtime"])
@pytest.mark.parametrize("f", [in_two, in_a_loop, in_a_comprehension, with_the_rest, gone_through,
                               with_the_rest_of_one_that_is_known, an_array_without_axes])
def test_the_words_are_pythons(f: Callable[[Any], Any], options: dict[str, Any]) -> None:
    for x in np.arange(2.0), np.arange(2), np.array([True, False]):
        with pytest.raises(TypeError) as plain:
            f(x)
        with pytest.raises(TypeError) as staged:
            ag.function(f, **options)(x)
        assert str(staged.value).partition("\n")[0] == str(plain.value)
