"""Generators that are closed, or unpacked with a star, and iterators whose
rest is asked for, where only the run knows how far they were read."""

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture


def closed_within_its_try(x):
    log = []

    def items():
        try:
            yield from x
        finally:
            log.append("end")

    g = items()
    a = next(g)
    if x[0] > 1:
        a += next(g)
    g.close()
    return a, log, list(g)


def closed_within_two(x):
    log = []

    def items():
        yield x[1]
        for k in x:
            try:
                try:
                    yield k
                finally:
                    log.append(k)
            finally:
                log.append(-k)

    g = items()
    r = [next(g), 0.0]
    while r[1] < x[0]:
        r[1] += next(g)
    g.close()
    g.close()
    return r, log, next(g, 9)


def closed_on_one_side(x):
    log = []

    def items():
        try:
            yield from x
        finally:
            log.append(x.sum())

    g = items()
    next(g)
    if x[0] > 1:
        next(g)
    if x[1] > 0:
        g.close()
    else:
        log.append(list(g))
    return log


def closed_before_it_is_read(x):
    log = []

    def items():
        try:
            yield from x
        finally:
            log.append("end")

    g = items()
    if x[0] > 1:
        g.close()
    return list(g), log


def unpacked_with_a_star(x):
    def items():
        for k in x:
            if k > 1:
                yield k

    g = items()
    a = next(g)
    first, *others = items()
    return a, [*g], first, others, {*items()}, (*items(), 1)


CASES = (closed_within_its_try, closed_within_two, closed_on_one_side, closed_before_it_is_read,
         unpacked_with_a_star)
ARRAYS = (np.array([2.0, 1.0, 3.0]), np.array([0.5, -1.0, 4.0]), np.array([5.0, 6.0, 1.0]))


@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_it_is_as_in_plain_python(f, effects):
    traced = ag.function(f, effects=effects)
    for x in ARRAYS:
        assert Picture().of(traced(x)) == Picture().of(f(x))


def rest_after_a_loop(x, it):
    s = 0.0
    for v in it:
        s += v
        if s > x[0]:
            break
    r = list(it)
    r.append(x[1])
    return r, sum(r), len(r)


def rest_after_a_branch(x, it):
    if x[0] > 1:
        next(it)
    return tuple(it), list(it)


@pytest.mark.parametrize("make", [iter, lambda v: map(float, v), lambda v: (k for k in v)])
@pytest.mark.parametrize("f", [rest_after_a_loop, rest_after_a_branch])
def test_the_run_reads_what_is_left_of_an_iterator_from_outside(f, make):
    traced = ag.function(f)
    for x in ARRAYS:
        items = [1.0, 2.0, 3.0, 4.0]
        assert Picture().of(traced(x, make(items))) == Picture().of(f(x, make(items)))
