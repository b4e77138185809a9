"""A call that no trace follows runs as plain Python, though iterators are there that it has not
read; one that read them is refused."""

import numpy as np
import pytest

import autograph as ag


def numbers():
    yield 1
    yield 2


class Holder:
    def __init__(self, iterator):
        self.iterator, self.kept = iterator, []


ITERATORS = [lambda: iter([1, 2]), numbers, lambda: map(str, [1, 2]),
             lambda: zip([1, 2], [3, 4], strict=True),
             lambda: iter({1: 2}), lambda: (v for v in [1, 2]), lambda: enumerate(numbers())]


@pytest.mark.parametrize("make", ITERATORS)
def test_an_iterator_that_is_not_read(make):
    @ag.function
    def f(a, o):
        made = []
        for v in range(int(a)):
            made.append(lambda: v)  # noqa: B023, PERF401
        o.kept.append([g() for g in made])
        return len(o.kept)

    o = Holder(make())
    with pytest.warns(ag.FallbackWarning):
        assert f(np.float64(3.0), o) == 1
    assert f(np.float64(2.0), o) == 2
    assert o.kept == [[2, 2, 2], [1, 1]]
    assert list(o.iterator) == list(make())


@pytest.mark.parametrize("make", ITERATORS[:4])
def test_an_iterator_that_is_read(make):
    @ag.function
    def f(a, o):
        first = next(o.iterator)
        made = []
        for v in range(int(a)):
            made.append(lambda: v)  # noqa: B023, PERF401
        o.kept.append([g() for g in made])
        return first

    with pytest.raises(ag.errors.TracingError):
        f(np.float64(3.0), Holder(make()))
