"""Copies of containers that only the run knows: other objects, as deep as Python makes them."""

from __future__ import annotations

import copy
import linecache
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import run

CONTAINERS = {
    "[1, [2.0], x]": "Q.append(x)", "[[x], [x]]": "Q[0].append(x)", "{'k': [x]}": "Q['z'] = x",
    "deque([1, [2], x])": "Q.append(x)", "{x}": "Q.add(x + 1)", "Counter([x, x])": "Q[x] += 1",
    "defaultdict(list, k=[x])": "Q['k'].append(x)", "OrderedDict(k=[x])": "Q['k'].append(x)",
}
COPIES = ["copy.copy(a)", "copy.deepcopy(a)", "a.copy()", "type(a)(a)", "a[:]"]
SOURCE = """
def f(x):
    a = {made} if x > 1 else {other}
    b = {copied}
    if x > 0:
        {changed_copy}
    else:
        {changed}
    return a, b, a is b
"""


def program(made: str, copied: str) -> Any:
    change = CONTAINERS[made]
    source = SOURCE.format(made=made, other=made.replace("x", "(x + 1)"), copied=copied,
                           changed_copy=change.replace("Q", "b"), changed=change.replace("Q", "a"))
    name = f"<copies: {made} {copied}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    scope = {"copy": copy, "deque": deque, "Counter": Counter, "defaultdict": defaultdict,
             "OrderedDict": OrderedDict}
    exec(compile(source, name, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("made", CONTAINERS)
def test_a_copy_is_another_object(made: str, copied: str) -> None:
    f = program(made, copied)
    traced = ag.function(f)
    for x in (2, 1, -2):
        assert run(traced, (np.int64(x),)).describe() == run(f, (np.int64(x),)).describe()
