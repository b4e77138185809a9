"""A list that a loop begins anew is filled in place; the lists from before it stay as they are."""

import numpy as np
import pytest

import autograph as ag


def rebuilt(n, p):
    r = p
    for _ in range(n):
        r = [2 * k for k in r]
    return r


def kept(n, p):
    r, last = p, p
    for i in range(n):
        last = r
        r = [k + 1 for k in r]
        r.append(i)
    return r, last


def rows(n, p):
    made = []
    for i in range(n):
        row = []
        for k in p:
            row.append(k * i)
            row.append(k)
        made.append(row)
        row.append(100)
    return made


def begun_again(n, p):
    r, seen = p, []
    for _ in range(n):
        q = []
        for k in r:
            if k > 1:
                q.append(k)
            else:
                q = []
        seen.append(r)
        r = q
    return r, seen


def nested(n, p):
    h = []
    for i in range(n):
        g = []
        for j in range(i):
            g.append(h)
            g.append(j)
        h = g
    return h


def swapped(n, p):
    a, b = [], p
    for _ in range(n):
        a, b = [2 * k for k in b], [k + 1 for k in a]
    return a, b


def joined(n, p):
    q = []
    for i in range(n):
        q.append(i)
        q = [*q, 5]
    return q


@pytest.mark.parametrize("f", [rebuilt, kept, rows, begun_again, nested, swapped, joined])
def test_lists_are_as_in_python(f):
    function = ag.function(f)
    for n in range(5):
        assert function(np.int64(n), [3, 1, 2]) == f(n, [3, 1, 2])


def test_the_list_of_an_argument_is_given_back():
    p = [3, 1]
    assert ag.function(rebuilt)(np.int64(0), p) is p
    assert ag.function(kept)(np.int64(1), p)[1] is p


def test_the_new_list_is_appended_to():
    text = str(ag.function(rebuilt).to_python(np.int64(3), [1, 2]))
    assert ".append(" in text and "copy(" not in text
