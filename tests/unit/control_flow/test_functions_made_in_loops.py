# ruff: noqa: B007, B023, F811, PERF401, UP034  # programs that do what the rules are about
"""Functions, classes and iterators that a long loop makes, and that are used after it."""

import functools
from collections.abc import Callable

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import run


class P:

    def __init__(self, v):
        self.v = v

    def get(self):
        return self.v


class Log:

    def __init__(self):
        self.items = []

    def see(self, i, v):
        self.items.append((i, v))


def partials(x):
    rs = []
    for v in x:
        rs.append(functools.partial(np.add, v))
    return [r(1.0) for r in rs]


def bound_methods(x):
    rs = []
    for v in x:
        rs.append(P(v).get)
    return [r() for r in rs]


def in_an_attribute(x):
    p = P(0)
    for v in x:
        p.fn = lambda: v
    return p.fn()


def in_a_dict(x):
    d = {}
    for i in range(3):
        v = x[i] * 2
        d[i] = lambda: v + i
    return [d[i]() for i in range(3)]


def generator_expressions(x):
    rs = []
    for v in x:
        rs.append((v * k for k in range(3)))
    return [list(r) for r in rs]


def iterators(x):
    rs = []
    for v in x:
        rs.append(iter([v, v]))
    return [list(r) for r in rs]


def in_while(x):
    i = 0
    r = lambda: 0.0
    while x[i] < 100:
        v = x[i]
        r = lambda: v
        i += 1
        if i == 2:
            break
    return r()


def inner_functions(x):
    fs = []
    for v in x:

        def make(k):

            def inner():
                return k * v
            return inner
        fs.append(make(v + 1))
    return [f() for f in fs]


def used_in_its_iteration(x):
    t = 0.0
    for v in x:

        def g(y):
            return y * v
        t += g(v)
    return t


def handed_to_map(x):
    t = 0.0
    for v in x:
        g = lambda y: y * v
        t += sum(map(g, [v, 1.0]))
    return t


def class_made(x):
    C = None
    for v in x:

        class C:
            a = v

            def get(self):
                return v + self.a
    return C().get()


def counters(x):
    fs = []
    for v in x:
        n = 0

        def inc():
            nonlocal n
            n += v
            return n
        fs.append(inc)
    return [f() for f in fs] + [f() for f in fs]


def of_the_iteration_before(x):
    prevf = None
    t = 0.0
    for v in x:
        if prevf is not None:
            t += prevf(v)
        prevf = lambda y, v=v: y * v
    return t


def without_values(x):
    fs = []
    for v in x:
        fs.append(lambda y: y + 1)
    return sum((f(x[0]) for f in fs))


def of_an_outer_value(x):
    s = x.sum()
    f = lambda y: y
    for v in x:
        f = lambda y: y * s
    return f(2.0)


def read_after_the_loop(x):
    readers = []
    for value in x:
        readers.append(lambda: value)
    return [r() for r in readers]


def defaults(x):
    readers = []
    for value in x:
        readers.append(lambda value=value: value)
    return [r() for r in readers]


def last_lambda(x):
    r = None
    for value in x:
        r = lambda: value * 2
    return r()


def defined_again(x):

    def r():
        return 0.0
    for value in x:

        def r():
            return value * 2
    return r()


def defined_in_the_loop(x):
    for value in x:

        def r(y):
            return value * y
    return r(3.0)


def of_a_local(x):
    for value in x:
        w = value * 3

        def r(y):
            return w * y
    return r(3.0)


def length_of_a_log(x):
    log = Log()
    for i, v in enumerate(x):
        if v < 0:
            continue
        log.see(i, v)
    return len(log.items)


def items_of_a_log(x):
    log = Log()
    for i, v in enumerate(x):
        if v < 0:
            continue
        log.see(i, v)
    return log.items


PROGRAMS = [partials, bound_methods, in_an_attribute, in_a_dict,
            generator_expressions, iterators,
            inner_functions, used_in_its_iteration, handed_to_map, class_made,
            counters, of_the_iteration_before,
            without_values, of_an_outer_value, read_after_the_loop, defaults,
            last_lambda, defined_again, defined_in_the_loop, of_a_local,
            length_of_a_log, items_of_a_log]

LONG = [np.array(x * 7) for x in ([1.0, -2.0, 3.0], [2.0, 5.0, -8.0], [-2.0, 0.5, 1.0])]


@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}])
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_python(program: Callable, options: dict) -> None:
    function = ag.function(program, **options)
    for x in LONG:
        assert run(function, (x,)).describe() == run(program, (x,)).describe()


def test_refused_where_the_run_decides_how_often() -> None:
    @ag.function
    def last(n):
        read = None
        for i in range(n):
            read = lambda: i
        return read()

    with pytest.raises(ag.errors.TracingError, match="a function that a staged loop makes"):
        last(np.int64(20))


def test_refused_in_a_while() -> None:
    with pytest.raises(ag.errors.TracingError, match="a function that a staged loop makes"):
        ag.function(in_while)(LONG[0])
