"""Mistakes with lists and iterators: what stands for them in a trace has the names of Python's."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

import autograph as ag


def items_of(x: Any) -> Any:
    yield from x


MISTAKES: list[Callable[[Any], Any]] = [
    lambda x: next([v + 1 for v in x]),
    lambda x: [v + 1 for v in x].shape,
    lambda x: [v + 1 for v in x] + (1, 2),
    lambda x: [x.sum()] + (v for v in x),
    lambda x: {[v + 1 for v in x]: 1},
    lambda x: int([v + 1 for v in x]),
    lambda x: -[v + 1 for v in x],
    lambda x: [v + 1 for v in x] - [1],
    lambda x: [v + 1 for v in x] / 2,
    lambda x: [v + 1 for v in x] < 3,
    lambda x: range([v + 1 for v in x]),
    lambda x: dict(**[v + 1 for v in x]),
    lambda x: len(v * 2 for v in x),
    lambda x: (v for v in x).sum(),
    lambda x: f"{(v for v in x):.2f}",
    lambda x: (v for v in x) + (v for v in x),
    lambda x: len(items_of(x)),
    lambda x: items_of(x)[0],
    lambda x: len(map(abs, x)),
    lambda x: map(abs, x)[0],
    lambda x: filter(lambda v: v > 1, x)[1],
    lambda x: len(zip(x, x, strict=False)),
    lambda x: zip(x, x, strict=False)[0],
    lambda x: zip(x, x, strict=False) + zip(x, x, strict=False),
    lambda x: zip(x, x, strict=False).index(3),
    lambda x: zip(x, x, strict=False)(),
    lambda x: len(enumerate(x)),
    lambda x: enumerate(x)[0],
    lambda x: -enumerate(x),
    lambda x: len(reversed(x)),
    lambda x: reversed(x)[0],
    lambda x: len(iter(x)),
    lambda x: iter(x)[0],
    lambda x: len(accumulate(x)),
    lambda x: accumulate(x)[0],
]


@pytest.mark.parametrize("plain", MISTAKES)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_errors_are_in_pythons_words(plain: Callable[[Any], Any]) -> None:
    f = ag.function(plain)
    with pytest.raises((TypeError, AttributeError)) as wanted:
        plain(np.arange(3.0))
    for _ in range(2):
        with pytest.raises(type(wanted.value)) as caught:
            f(np.arange(3.0))
        assert str(caught.value) == str(wanted.value)


def test_a_handler_sees_pythons_words() -> None:
    @ag.function
    def f(x: Any) -> Any:
        try:
            return len(v for v in x)
        except TypeError as error:
            return str(error), x + 1

    assert f(np.arange(3.0))[0] == "object of type 'generator' has no len()"
