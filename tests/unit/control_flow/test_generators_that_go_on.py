"""Generators that are read on, or sent values, where only the run knows how far they were read."""

import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES


class World:
    def __init__(self):
        self.seen = {1}


def send1(x, a):
    def averages():
        total, count, mean = 0.0, 0, None
        while True:
            v = yield mean
            if v is None:
                return count
            total += v
            count += 1
            mean = total / count
    r = []
    g = averages()
    next(g)
    r.append(g.send(x[0]))
    if a > 1:
        r.append(g.send(int(a)))
    try:
        g.send(None)
    except StopIteration as e:
        r.append(("count", e.value))
    return r


def within_a_try(x, a, w):
    def g(items):
        for v in items:
            try:
                if v > a:
                    continue
                if v == 3:
                    break
                yield v
            finally:
                w.seen.add(int(v) % 7)
        else:
            yield "end"
    return list(g([1, 2, a])), list(g(x))


def again(x, a):
    it = iter([v for v in x if v > 1])
    r = []
    for v in it:
        if v > a:
            r.append(("found", v, next(it, "none")))
            break
    r.append(list(it))
    return r


def again2(x, a):
    def g():
        for v in x:
            if v > a:
                yield v
        yield 9
    it = g()
    r = [next(it)]
    if a > 0:
        r.append(next(it, "none"))
    for v in it:
        r.append(v)
        if v > 2:
            break
    r.append(list(it))
    return r


def machine(x, a):
    def states():
        state = "idle"
        while True:
            event = yield state
            if state == "idle":
                if event > a:
                    state = "busy"
            elif event < 2:
                state = "done"
            else:
                state = "idle"
    m = states()
    next(m)
    return [m.send(v) for v in x]


def again3(x, a):
    it = iter(x[x > 1])
    r = []
    for v in it:
        r.append(v)
        if v > a:
            break
    return r, next(it, "none"), list(it), list(it)


def zipped(x, a):
    def g():
        for v in x:
            if v > a:
                yield v
    def h():
        k = 0
        while k < a:
            k += 1
            yield k
    r = list(zip(g(), h(), strict=False))
    i, j = g(), h()
    for v in i:
        r += [(v, next(j, None))]
    return r, list(j)


def pipeline(x, a):
    def source():
        yield from x
    def doubled(it):
        for v in it:
            if v > a:
                yield v * 2
    def batch(it, n):
        part = []
        for v in it:
            part.append(v)
            if len(part) == n:
                yield part
                part = []
        if part:
            yield part
    return list(batch(doubled(source()), 2))


def sched(x, a):
    log = []
    def task(name, n):
        for i in range(n):
            log.append((name, i))
            got = yield i
            if got is not None:
                log.append(got)
        return name
    tasks = [task("a", 2), task("b", 3)]
    done = []
    for _k in range(4):
        for t in tasks:
            try:
                if x[0] > a:
                    t.send(None)
                else:
                    next(t)
            except StopIteration as e:
                done.append(e.value)
    return log, done


def closing(x, a):
    log = []
    def g():
        try:
            yield 1
            yield x[0]
        finally:
            log.append("closed")
    it = g()
    r = [next(it)]
    if a > 1:
        r.append(next(it))
    it.close()
    return r, log, list(it)


def thrown(x, a):
    def g():
        n = 0
        while True:
            try:
                n = yield n
            except ValueError:
                n = -1
    it = g()
    next(it)
    r = [it.send(x[0])]
    if a > 1:
        r.append(it.throw(ValueError("x")))
    r.append(it.send(a))
    return r


def starred_after_next(x, a):
    def n(v):
        v = v[0] if isinstance(v, tuple) else v
        return -1 if v is None else v
    def gen4(y):
        for v in y:
            if v > a:
                yield v
    t, out = 0, None
    it = gen4(x)
    for _k in range(int(a)):
        t += n(next(it, 0))
    c, b, *_ = itertools.islice(it, 20)
    out=[n(c),n(b)]
    return t, out


def zipped_with_effects(x, a):
    log = []
    def g(src):
        for v in src:
            if v < 0:
                continue
            log.append(1)
            if v == a:
                break
            yield v
        else:
            log.append(2)
    r = 0
    for v, w in zip(g(x), g(x), strict=False):
        if v > a + 2:
            break
        r += w
    return r, log


def effects_of_next(x, a):
    log = []
    n = 0
    arr = [0, 0]
    def g(src):
        nonlocal n
        for v in src:
            log.append(1)
            n += 1
            arr[1] = n
            if v > a + 2:
                return 9
            yield v
    it = g(x)
    r = []
    for k in range(int(a)):
        r += [next(it, k)]
    return r, log, n, arr


def sliced_twice(x, a):
    def n(v):
        v = v[0] if isinstance(v, tuple) else v
        return -1 if v is None else v
    def gen3(a):
        k = 0
        while k < a + 2:
            k += 1
            yield k
    t = 0
    it = gen3(a)
    for v, _k in zip(it, range(2), strict=False):
        t += n(v)
    out = [*itertools.islice(it, 9)], [*itertools.islice(it, 9)]
    return t, out


PLAIN = (sliced_twice, *[starred_after_next] * (sys.version_info < (3, 13)))
"""These run as plain Python, with a warning. From 3.13 on, a trace follows the one with a star."""

TRACED = (send1, within_a_try, again, again2, machine, again3, zipped, pipeline, sched, thrown,
          zipped_with_effects, effects_of_next, closing)

CALLS = (([1.0, 2.0, 3.0], 0.0), ([4.0, 1.0, 1.0], 1.0), ([3.0, 5.0, 2.0], 2.0),
         ([1.0, 1.0, 7.0], 2.0))


def outcome(function: Callable[..., Any], x: list[float], a: float, *given: Any) -> str:
    return Picture().of((function(np.array(x), np.float64(a), *given), given))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", TRACED)
def test_as_in_python(program: Callable[..., Any], mode: str) -> None:
    traced = ag.function(program, **MODES[mode])
    for x, a in CALLS:
        one, other = ([World()] if program is within_a_try else [] for _ in range(2))
        assert outcome(traced, x, a, *other) == outcome(program, x, a, *one)


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
def test_a_star_takes_what_a_generator_has_left() -> None:
    x, a = np.arange(3.0), np.float64(0.0)
    assert ag.function(starred_after_next)(x, a) == starred_after_next(x, a)


@pytest.mark.parametrize("program", PLAIN)
def test_runs_as_plain_python(program: Callable[..., Any]) -> None:
    with pytest.warns(ag.FallbackWarning):
        assert ag.function(program)(np.arange(3.0), np.float64(0.0)) == program(
            np.arange(3.0), np.float64(0.0))
