"""A `with` statement enters objects that only the run knows: what it leaves in them, and which
exceptions they swallow, is as in plain Python."""

from contextlib import ExitStack

import numpy as np
import pytest

import autograph as ag


class Block:
    def __init__(self, log, n, hides=False, fails=False):
        self.log, self.n, self.hides, self.fails = log, n, hides, fails
        self.seen = []

    def __enter__(self):
        self.log.append(self.n)
        return self

    def __exit__(self, kind, error, traceback):
        self.log.append((-self.n, kind and kind.__name__, len(self.seen)))
        if self.fails:
            raise KeyError(int(self.n))
        return self.hides


def of_run(a, block):
    """Returns a block by a key that only the run knows."""
    kept = {}
    kept[int(a)] = block
    return kept[int(a)]


class Stack(ExitStack):
    pass


def called_later(a, log):
    with ExitStack() as stack:
        if a > 1:
            stack.callback(log.append, a)
        log.append("body")


def entered_in_a_loop(a, log):
    with Stack() as stack:
        for k in range(int(a)):
            stack.enter_context(Block(log, k))
        log.append("body")


def swallowed(a, log):
    block = of_run(a, Block(log, 1, hides=True))
    for k in range(int(a)):
        block.seen.append(k)
    with block:
        if a > 2:
            raise ValueError(a)
        log.append("calm")
    return len(block.seen)


def turned(a, log):
    block = of_run(a, Block(log, 2, fails=a > 2))
    for k in range(int(a)):
        block.seen.append(k)
    try:
        with block as same:
            log.append(same is block)
    except KeyError as error:
        log.append(error.args)


def raised(a, log):
    block = of_run(a, Block(log, 3))
    for k in range(int(a)):
        block.seen.append(k)
    with block:
        log.append([10, 20, 30][int(a)])


@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}])
@pytest.mark.parametrize("f", [called_later, entered_in_a_loop, swallowed, turned, raised])
def test_as_in_python(f, options):
    made = ag.function(f, **options)
    for a in (0.0, 3.0, 2.0, 1.0, 4.0):
        expected, found = [], []
        outcomes = []
        for function, log in ((f, expected), (made, found)):
            try:
                outcomes.append(function(np.float64(a), log))
            except IndexError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
        assert str(found) == str(expected)
    if f in (called_later, entered_in_a_loop):
        assert not made.get_concrete_function(np.float64(1.0), []).partition.never


def test_an_exception_while_tracing_leaves_the_call_to_python():
    def f(a, log):
        block = of_run(a, Block(log, 1, hides=True))
        for k in range(int(a)):
            block.seen.append(k)
        with block:
            raise ValueError(1)
        return len(log)

    log, other = [], []
    with pytest.warns(ag.FallbackWarning, match="a ValueError is raised in a `with` statement"):
        assert ag.function(f)(np.float64(2.0), log) == f(np.float64(2.0), other)
    assert log == other
