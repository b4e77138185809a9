"""A list that grows from call to call, and to which two locations outside the function lead."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import load

WAYS = {
    "one append each": "s.inner.log.append('in')\ns.log.append(b)\ns.inner.log.append('out')",
    "removed": "s.inner.log.append('in')\ns.log.append('p')\ns.log.remove('p')\n"
               "s.inner.log.append(b)",
    "replaced": "s.log.append(b)\ns.inner.log[:] = s.log[-3:] + ['x']\ns.log.append('y')",
    "bound anew": "s.log.append(b)\ns.inner.log = s.inner.log + ['x']\ns.log.append('y')",
    "in a branch": "s.inner.log.append(0)\nif b > 1:\n    s.log.append(b)\ns.inner.log.append(2)",
    "before a raise": "s.inner.log.append('in')\ns.log.append('p')\nif b > 2: raise KeyError\n"
                      "s.inner.log.append('out')",
}
HOMES = {"objects": "s = O(log=[], inner=O(log=[]))",
         "an item": "s = O(log=[], inner=O(log=[]), table={})\ns.table['log'] = s.log",
         "a global": "s = O(log=[], inner=O(log=[]))\nL = s.log"}

PROGRAM = """
{home}
def f(b, s):
    {way}
    return len(s.log), s.log is s.inner.log
def join():
    s.kept, s.log = s.log, s.inner.log
def part():
    s.log = s.kept
"""


def history(scope: dict[str, Any], f: Any) -> list[str]:
    """What each call returns and leaves: with two lists, with one, and again."""
    found, s = [], scope["s"]
    for change in ("join", "part", "join", "join"):
        scope[change]()
        for b in (1, 3, 2):
            try:
                found.append(repr(f(np.int64(b), s)))
            except KeyError:
                found.append("raised")
            found.append(f"{s.log} {s.inner.log} {s.kept}")
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("way", WAYS)
def test_one_list(way: str, home: str, mode: str) -> None:
    body = WAYS[way].replace("\n", "\n    ")
    if home != "objects":
        body += {"an item": "\n    s.table['log'].append(7)", "a global": "\n    L.append(7)"}[home]
    text = "O = __import__('types').SimpleNamespace\n" + PROGRAM.format(home=HOMES[home], way=body)
    plain, traced = (load(text, f"<{way}, {home}>") for _ in range(2))
    assert isinstance(plain["s"], SimpleNamespace)
    assert history(traced, ag.function(traced["f"], **MODES[mode])) == history(plain, plain["f"])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("change", ["s.t[0] = 5", "s.t[0] = s.old", "del s.t[0]", "s.t.clear()",
                                    "s.t[0], s.old = s.old, s.t[0]\n    s.t[0].append(4)"])
def test_an_argument_that_a_list_outside_holds_no_more(change: str, mode: str) -> None:
    """Which lists outside held it is asked of what they held, not of what they hold."""
    text = f"""
def f(b, s, arg):
    arg.append(1)
    s.t[0].append(b)
    arg.append(3)
    {change}
"""
    def history(f: Any) -> str:
        items: list[Any] = []
        s = SimpleNamespace(t=[items, 1], old=[9])
        f(np.int64(7), s, items)
        return f"{items} {s}"

    plain, traced = (load(text, f"<{change}>")["f"] for _ in range(2))
    assert history(ag.function(traced, **MODES[mode])) == history(plain)
