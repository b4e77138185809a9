"""Iterators of the caller's. Of several the run takes one: what reads it moves it on, each time,
also where nothing uses what it gives, and two such reads are not one. What Python or a library
reads where the graph decides if it does is refused: it cannot be put back."""

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
import itertools, math, operator, statistics
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


STARS = ["(*v, 1)", "[0, *v]", "len({*v})", "str(*v)", "[0].extend(v)", "math.hypot(*v)",
         "statistics.mean([1, *v])", "(lambda a, *b: b)(*v)", "v.__next__()"]
IN_A_BRANCH = "    r = 3\n    if x > 1.5:\n        r = {0}\n    return r"


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
    compare(text, f"<{read}, {make}, {choice}, {form}>", {})


@pytest.mark.parametrize(("read", "make", "effects"), sample(
    itertools.product(READS + STARS, MAKES, ("trace", "runtime")), 17))
def test_no_read_happens_while_tracing_that_the_graph_decides(
        read: str, make: str, effects: str) -> None:
    text = PROGRAM.format(make=MAKES[make], choice="p", form=IN_A_BRANCH.format(read))
    compare(text, f"<{read}, {make}, {effects}>", {"effects": effects})


@pytest.mark.parametrize(("read", "make", "form"), sample(
    itertools.product(READS + STARS, MAKES, FORMS), 23))
def test_no_read_happens_while_tracing_where_effects_belong_to_the_run(
        read: str, make: str, form: str) -> None:
    text = PROGRAM.format(make=MAKES[make], choice="p", form=FORMS[form].format(read))
    compare(text, f"<{read}, {make}, {form}>", {"effects": "runtime"})


def compare(text: str, name: str, options: dict[str, Any]) -> None:
    scope = load(text, name)
    f = ag.function(scope["f"], **options)
    with fallbacks(), suppress(*REFUSALS):
        for x in (0.0, 2.0, 5.0, 1.0):
            found = outcome(scope, f, x)
            assert found == outcome(scope, scope["f"], x)
