"""Calls that no trace follows run as plain Python: beside iterators that are not read, and where a
statement jumps out of a `finally`."""

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


def test_a_jump_out_of_finally():
    @ag.function
    def f(v, log):
        for k in range(3):
            try:
                if k == v:
                    return "found"
                log.append(k)
            finally:
                log.append("end")
                if v < 0:
                    break  # noqa: B012
        return "none"

    log, again = [], []
    with pytest.warns(ag.FallbackWarning, match="a Python bool of a symbolic value"):
        assert f(np.float64(1.0), log) == "found"
    assert log == [0, "end", "end"]
    assert f(np.float64(-1.0), again) == "none"
    assert again == [0, "end"]
