"""A callable is called, and asked for nothing: neither a text nor attributes that it makes."""

from typing import Any

import numpy as np
import pytest

import autograph as ag

ASKED: list[str] = []


class Silent:
    """Tells if it is asked for anything."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __repr__(self) -> str:
        ASKED.append("repr")
        return str(self.x)

    def __getattr__(self, name: str) -> Any:
        ASKED.append(name)
        raise AttributeError(name)


class Called(Silent):
    def __call__(self, x: Any) -> Any:
        return x * self.x


OUTSIDE = Called(2.0)


def of_one_that_cannot_be_called(x: Any) -> Any:
    made: Any = Silent(x)
    try:
        return made(x)
    except TypeError as error:
        return str(error)


def of_one_made_here(x: Any) -> Any:
    return Called(x)(x)


def of_one_outside(x: Any) -> Any:
    return OUTSIDE(x)


@pytest.mark.parametrize("f", [of_one_that_cannot_be_called, of_one_made_here, of_one_outside],
                         ids=lambda f: f.__name__)
@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}],
                         ids=["default", "runtime"])
def test_nothing_is_asked(f: Any, options: dict[str, Any]) -> None:
    plain = f(np.ones(2))
    ASKED.clear()
    called = ag.function(f, **options)
    for converted in called, called, ag.convert(f):
        assert np.array_equal(converted(np.ones(2)), plain)
    assert ASKED == []


def test_a_refusal_asks_for_nothing() -> None:
    ASKED.clear()
    with pytest.raises(ag.ConversionError, match="the Silent object cannot be converted"):
        ag.convert(Silent(1.0))
    assert ASKED == []
