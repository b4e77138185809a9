"""What a function did before an exception is there after it, however the function is run."""

import linecache
import warnings
from random import Random

import numpy as np
import pytest

import autograph as ag
from tests.random.stores import Stores
from tests.support.amount import seeds

MODES = (lambda f: ag.function(f, strict=True, effects="runtime"),
         lambda f: ag.function(f, strict=True, effects="runtime", executor="interpreter"))


class Point:
    """An object with some of each."""

    def __init__(self):
        self.a, self.b, self.c = 1.5, np.ones(3), np.zeros(3)
        self.n, self.items = 0, [2.0]


def loaded(seed, v, nonlocals):
    """The function of a seed, with lines that tracebacks and the compiler can find."""
    source, name = Stores(Random(seed)).source(), f"<stores {seed}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"__name__": "random_stores", "np": np, "v": v, "nonlocals": nonlocals}
    exec(compile(source, name, "exec"), scope)
    return scope["f"]


def arguments(i, n):
    x = np.array([1.0, -2.0, 3.0])
    return (x, np.arange(3.0), np.int64(i), np.int64(n), {"k": 1.0, "x": np.zeros(3)}, Point(),
            [x[0], 4.0])


CALLS = [(0, 1), (1, 3), (2, 4), (5, 2), (3, 0)]


def outcome(function, given):
    """The class of the exception or the result, and what is left of the arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*given)
        except Exception as error:
            result = type(error).__name__
    *others, p, items = given
    return repr((result, others, vars(p), items))


@pytest.mark.parametrize("seed", seeds(20))
def test_random_stores(seed):
    wanted = v = nonlocals = None
    for convert in (lambda f: f, *MODES):
        v, nonlocals = ag.Variable(0.0), [np.float64(0)]
        function = convert(loaded(seed, v, nonlocals))
        found = []
        for call in CALLS * 2:
            v.assign(0.0)
            found.append((call, outcome(function, arguments(*call)), repr((v.numpy(), nonlocals))))
        wanted = wanted or found
        assert found == wanted, Stores(Random(seed)).source()


def test_an_array_written_in_its_own_memory_is_owed_nothing():
    @ag.function
    def f(x, i):
        for k in range(len(x)):
            x[k] = x[k - 1] + 1
        return x[i]

    assert f.get_concrete_function(np.ones(30), np.int64(0)).execution.emitted.frame_states == {}
