"""Iterators of the caller's of which the run takes one: what reads it moves it on, each time, also
where nothing uses what it gives, and two such reads are not one."""

import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.verdict import REFUSALS, fallbacks, load
from tests.support.amount import sample

READS = [
    "2 in v", "9 not in v", "list(v)", "tuple(v)", "set(v)", "sum(v)", "max(v, default=0)",
    "sorted(v)", "any(v)", "all(v)", "bytes(v)", "frozenset(v)", "next(v, 0)", "[k for k in v]",
    "dict.fromkeys(v)", "deque(v)", "list(enumerate(v))", "list(map(abs, v))", "list(islice(v, 1))",
    "operator.contains(v, 2)", "operator.countOf(v, 2)", "operator.indexOf(v, 3)", "math.prod(v)",
    "np.fromiter(v, float)", "Counter(v)", "array('d', v)", "list(reversed(list(v)))"]
MAKES = {
    "list": "iter([1, 2, 3, 2])", "generator": "items()", "map": "map(abs, [1, -2, 3])",
    "dict": "iter({1: 1, 2: 2, 3: 3})", "range": "iter(range(1, 4))",
    "islice": "islice(itertools.count(1), 3)", "reversed": "reversed([1, 3, 2])"}
CHOICES = {
    "key": "{0: p, 1: q}[int(x) % 2]", "ternary": "p if x > 1 else q",
    "index": "[p, q][int(x) % 2]", "branch": "taken(x, p, q)"}
FORMS = {
    "twice": "    return {0}, {0}", "unused": "    {0}\n    return 0",
    "once more": "    r = {0} if x > 1.5 else 3\n    return r, {0}"}
PROGRAM = """
import itertools, math, operator
from array import array
from collections import Counter, deque
from itertools import islice
import numpy as np

def items():
    yield 1
    yield 2
    yield 3

def taken(x, p, q):
    if x > 2:
        return p
    return q

def make():
    return {make}, {make}

def f(x, p, q):
    v = {choice}
{form}
"""


def outcome(scope: dict[str, Any], f: Callable[..., Any], x: float) -> Any:
    p, q = scope["make"]()
    try:
        found = repr(f(np.float64(x), p, q))
    except REFUSALS:
        raise
    except Exception as error:
        found = repr(error)
    return found, list(p), list(q)


@pytest.mark.parametrize(("read", "make", "choice", "form"), sample(
    itertools.product(READS, MAKES, CHOICES, FORMS), 80))
def test_each_read_moves_it_on(read: str, make: str, choice: str, form: str) -> None:
    text = PROGRAM.format(make=MAKES[make], choice=CHOICES[choice], form=FORMS[form].format(read))
    scope = load(text, f"<{read}, {make}, {choice}, {form}>")
    f = ag.function(scope["f"])
    with fallbacks(), suppress(*REFUSALS):
        for x in (0.0, 2.0, 5.0, 1.0):
            found = outcome(scope, f, x)
            assert found == outcome(scope, scope["f"], x)
