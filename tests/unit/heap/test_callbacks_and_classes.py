"""Functions that a library calls, and the classes that they use."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Counted:
    total = 0
    scale = 2

    def __init__(self, n: Any) -> None:
        self.n = n

    def times(self, v: Any) -> Any:
        return v * self.scale * self.n

    @classmethod
    def add(cls, v: Any) -> Any:
        cls.total += 1
        return v


def reads_the_class(x: Any) -> Any:
    return np.vectorize(lambda v: v * Counted.scale)(x)


def sets_in_an_object(x: Any) -> Any:
    t = Counted(2)

    def add(v: Any) -> Any:
        t.n += v
        return t.n

    return np.vectorize(add)(x), t.n, np.vectorize(t.times)(x)


def a_class_method(x: Any) -> Any:
    return np.vectorize(Counted.add)(x), Counted.total


def sets_in_a_class(x: Any) -> Any:
    def last(v: Any) -> Any:
        Counted.total = v
        return v + x[0]

    return np.vectorize(last)(x), Counted.total


def by_a_method(x: Any) -> Any:
    return np.vectorize(lambda v: Counted.add(v + x[0]))(x), Counted.total


def by_a_looked_up_method(x: Any) -> Any:
    return np.vectorize(lambda v: getattr(Counted, "ad" + "d")(v))(x), Counted.total


X = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("program", [reads_the_class, sets_in_an_object])
def test_as_in_python(program: Callable[[Any], Any]) -> None:
    f = ag.function(program)
    for x in (X, -X):
        assert repr(f(x)) == repr(program(x))


@pytest.mark.parametrize("program", [a_class_method, sets_in_a_class, by_a_method,
                                     by_a_looked_up_method])
def test_attributes_of_classes_are_refused(program: Callable[[Any], Any]) -> None:
    with pytest.raises(ag.errors.TracingError, match=r"attribute 'total' of the class|of a class"):
        ag.function(program)(X)


class Log:
    def __init__(self) -> None:
        self.items: list[Any] = []


class Holder:
    def __init__(self) -> None:
        self.log = Log()


def test_a_callback_changes_a_list_of_an_object_in_an_object() -> None:
    def f(x: Any, o: Holder) -> Any:
        def add(v: Any) -> Any:
            o.log.items.append(x)
            return v + len(o.log.items)

        return np.vectorize(add)(np.arange(2.0)).sum() if x > 1 else 0

    traced, one, other = ag.function(f), Holder(), Holder()
    for x in (0.0, 2.0, 5.0):
        assert traced(np.float64(x), one) == f(np.float64(x), other)
        assert one.log.items == other.log.items
