"""Weak references to what lives on anyway tell a program nothing that a trace would change."""

import functools
import warnings
import weakref
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import TracingError


class Outside:
    pass


def test_a_cache_of_classes_may_be_filled() -> None:
    @functools.singledispatch
    def doubled(x: Any) -> Any:
        return x * 2

    @doubled.register
    def _(x: list) -> Any:  # type: ignore[type-arg]
        return [doubled(a) for a in x]

    f = ag.function(lambda x: (doubled(x), doubled([x, 1])))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(np.float64(3.0)) == (6.0, [6.0, 2])
    assert ag.grad(lambda x: doubled(x * 3.0))(1.0) == 6.0


def test_a_class_from_outside_may_be_referred_to() -> None:
    assert ag.function(lambda x: (x, weakref.ref(Outside)() is Outside))(1.0) == (1.0, True)


def test_a_class_of_the_trace_may_not_be_kept_so() -> None:
    kept: list[Any] = []

    def keeps(x: Any) -> Any:
        class Inside:
            pass
        kept.append(weakref.ref(Inside))
        return x

    with pytest.raises(TracingError):
        ag.function(keeps).get_concrete_function(np.float64(1.0))
