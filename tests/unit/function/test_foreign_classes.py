"""Classes whose module is no text: Cython's own have a property there, others None."""

from typing import Any

import numpy as np
import pytest

import autograph as ag


class Meta(type):
    """As Cython's: the classes that it makes tell their module by a property."""

    __module__ = property(lambda cls: "elsewhere")  # type: ignore[assignment]


class Wrapped(metaclass=Meta):
    def __init__(self) -> None:
        self.calls = 0


class Nameless:
    __module__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        self.calls = 0


@pytest.mark.parametrize("made", [Wrapped(), Nameless(), Wrapped, Nameless, Meta])
def test_a_class_of_no_module_is_reached(made: Any) -> None:
    @ag.function
    def f(x: Any) -> Any:
        held = [made]
        if x.sum() > 3:
            return x, held[0]
        return x * 2, held[0]

    for x in (np.ones(2), np.ones(9)):
        result, same = f(x)
        assert np.array_equal(result, x if x.sum() > 3 else x * 2) and same is made


def test_the_state_of_its_objects_is_state() -> None:
    one = Nameless()

    @ag.function
    def f(x: Any) -> Any:
        if x.sum() > 3:
            one.calls += 1
        return x

    f(np.ones(9)), f(np.ones(1)), f(np.ones(9))
    assert one.calls == 2
