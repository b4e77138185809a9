"""Tuples of numbers that loops pass on go by their items; nobody can tell."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.test_numerics import outcome

MODES: tuple[dict[str, Any], ...] = (
    {}, {"jit_compile": True}, {"effects": "runtime", "captures": "guard"},
    {"executor": "interpreter"})


def may_be_none(x, n):
    at = None
    for i in range(len(x)):
        if x[i] > n:
            at = (i, x[i])
    return at


def may_be_unbound(x, n):
    for i in range(len(x)):
        if x[i] > n:
            at = (i, x[i])
    return at


def of_two_lengths(x, n):
    for i in range(len(x)):
        if x[i] > n:
            return i, x[i]
        if x[i] < -n:
            return i, x[i], "low"
    return ()


def in_a_list(x, n):
    found = []
    for i in range(len(x)):
        if x[i] > n:
            t = (i, x[i])
            found.append(t)
    return found, t


def nested_tuples(x, n):
    for i in range(len(x)):
        if x[i] > n:
            return i, (x[i], 1.5)
    return 0, (0.0, 2)


def out_of_two_loops(x, n):
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[i] + x[j] == n:
                return i, j
    return -1, -1


def in_a_while(x, n):
    i = 0
    while True:
        if i >= len(x):
            return None
        if x[i] > n:
            return i, x[i]
        i += 1


def from_an_inner_function(x, n):
    def find(v):
        for i in range(len(x)):
            if x[i] > v:
                return i, x[i]
        return -1, np.float64(0)

    p, q = find(n)
    r = find(n * 2)
    return p, q, r, r[0], r[1]


def told_of(x, n):
    try:
        for i in range(len(x)):
            if x[i] > n:
                t = (i, 2)
        return t
    except UnboundLocalError as error:
        return str(error)


PROGRAMS = (may_be_none, may_be_unbound, of_two_lengths, in_a_list, nested_tuples, out_of_two_loops,
            in_a_while, from_an_inner_function, told_of)


@pytest.mark.parametrize("mode", MODES, ids=lambda m: "-".join(m) or "default")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore:.*made a new trace.*")
def test_as_plain_python(program: Any, mode: dict[str, Any]) -> None:
    function = ag.function(program, **mode)
    for n in (np.float64(3), np.float64(100), np.int64(0), np.float64(-3)):
        for x in (np.arange(9.0), np.arange(9) - 4, np.zeros(0)):
            assert outcome(function, (x, n)) == outcome(program, (x, n))


def test_a_search_that_returns_two_indices_is_machine_code() -> None:
    pytest.importorskip("llvmlite", reason="native code needs llvmlite")
    x, n = np.arange(300.0), np.float64(500)
    function = ag.function(out_of_two_loops, jit_compile=True)
    assert function(x, n) == out_of_two_loops(x, n)
    assert "kernel" in function.get_concrete_function(x, n).source
