"""What a run does to objects of its own does not last: a graph with a handler is used for it."""

import random
import re
import string
from collections import deque

import numpy as np
import pytest

import autograph as ag


def drawn(a, q):
    try:
        g = np.random.default_rng(3)
        v = g.normal() + g.random(2).sum()
        if a > 1:
            raise ValueError(v)
        return v
    except ValueError as error:
        return error.args


def drawn_of_python(a, q):
    try:
        g = random.Random(4)
        v = g.random() + a
        if a > 1:
            raise ValueError(v)
        return v
    except ValueError as error:
        return error.args


def read(a, q):
    found = []
    for v in q:
        try:
            if v > a:
                raise ValueError(v)
            found.append(v)
        except ValueError as error:
            found.append(error.args)
        if a > 4:
            break
    return found


def written(a, q):
    try:
        text = re.sub("[0-9]", "n", str(a)) + string.Template("$v").substitute(v=a)
        q.append(a)
        if a > 1:
            raise ValueError(text)
        return text
    except ValueError as error:
        return error.args


@pytest.mark.parametrize("f", [drawn, drawn_of_python, read, written])
def test_a_graph_runs_what_ends_with_it(f):
    made = ag.function(f)
    for a in (0.0, 5.0, 2.0, 0.5):
        q, expected = deque([1.0, 2.0]), deque([1.0, 2.0])
        assert str(made(np.float64(a), q)) == str(f(np.float64(a), expected))
        assert q == expected
    concrete = made.get_concrete_function(np.float64(0.0), deque([1.0, 2.0]))
    assert not concrete.partition.never


def test_a_generator_from_outside_is_drawn_from_once():
    def f(a, g):
        try:
            v = g.normal()
            if a > 1:
                raise ValueError(v)
            return v
        except ValueError as error:
            return error.args[0] + 1

    made, one, other = ag.function(f), np.random.default_rng(5), np.random.default_rng(5)
    for a in (0.0, 2.0, 0.0, 2.0):
        assert made(np.float64(a), one) == f(np.float64(a), other)
        assert one.random() == other.random()


def test_a_generator_made_of_another_is_drawn_from_once():
    def f(a, g):
        try:
            v = np.random.default_rng(g).normal()
            if a > 1:
                raise ValueError(v)
            return v
        except ValueError as error:
            return error.args[0] + 1

    made, one, other = ag.function(f), np.random.default_rng(5), np.random.default_rng(5)
    for a in (0.0, 2.0, 0.0, 2.0):
        assert made(np.float64(a), one) == f(np.float64(a), other)
        assert one.random() == other.random()
