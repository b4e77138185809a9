"""Keys that a branch chose: the object that is put in is the one that is looked for."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import run
from tests.support.program_files import program

HEAD = """
from collections import Counter, OrderedDict, defaultdict


class Node:
    def __init__(self, v):
        self.v = v


class Equal(Node):
    def __hash__(self):
        return 3

    def __eq__(self, other):
        return isinstance(other, Equal) and self.v == other.v


def f(x):
    a, b = {cls}(1.0), {cls}(x[0])
    {choice}
    {use}
    return found
"""

CHOICES = ["k = a if x[1] > 2 else b", "k = a if x[1] > 2 else {cls}(x[2])",
           "k = b\n    if x[1] > 2: k = a", "k = 'u' if x[1] > 2 else 'w'",
           "k = 1 if x[1] > 2 else 2",
           "k = (a, 1) if x[1] > 2 else (b, 1)"]
USES = ["s = {k}; found = k in s, a in s, len(s)", "s = {k, a}; found = len(s), b in s",
        "s = set((k, b)); found = len(s), a in s", "s = set([k]); s.add(a); found = len(s)",
        "s = {a}; found = k in s", "s = {a, b}; s.discard(k); found = len(s), a in s",
        "d = {k: 1.0}; found = d.get(a, 0.0), d.get(b, 0.0)",
        "d = {}; d[k] = x[0]; found = d.get(a, -1.0), len(d)",
        "d = {a: 1.0, b: 2.0}; found = d[k] if k in d else 0",
        "d = {a: 1.0, b: 2.0}; d[k] = 5.0; found = d[a] if a in d else 0, len(d)",
        "d = {a: 1.0}; d.setdefault(k, 4.0); found = len(d), d[a]",
        "d = defaultdict(int); d[k] += 1; d[a] += 2; found = d[a], len(d)",
        "c = Counter([k, a, b]); found = c[a], c[b], len(c)",
        "d = OrderedDict(); d[a] = 1; d[k] = 2; found = len(d), d[a]",
        "d = {a: 1, b: 2}; found = d.pop(k, None), len(d)",
        "d = {u: 1 for u in (k, a)}; found = len(d), d[a]",
        "d = {(k, 1): 1}; found = (a, 1) in d, (b, 1) in d",
        "d = dict.fromkeys((k, a)); found = len(d), a in d",
        "d = {a: []}; d.setdefault(k, []).append(1); found = len(d[a]), len(d)"]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("cls", ["Node", "Equal"])
def test_containers_find_the_key(cls: str, choice: str, use: str, tmp_path: Path) -> None:
    text = HEAD.replace("{choice}", choice).replace("{use}", use).replace("{cls}", cls)
    f = program(tmp_path, text).f
    ways: list[dict[str, Any]] = [{}, {"effects": "runtime", "captures": "guard"}]
    for g in (ag.function(f, **how) for how in ways):
        for second in (3.0, 1.0):
            x = np.array([2.0, second, 4.0, 5.0])
            with warnings.catch_warnings():
                if cls == "Equal" or choice is not CHOICES[0]:
                    warnings.simplefilter("ignore", ag.FallbackWarning)
                assert run(g, (x,)).describe(False) == run(f, (x,)).describe(False), text
