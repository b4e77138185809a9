"""An attribute that only the run knows an object to have: each read finds it, or raises there."""

from textwrap import indent
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import load
from tests.support.amount import sample

CLASSES = """
import operator
from contextlib import suppress
class WithDefault:
    fees = 0
    def __init__(self, n): self.n = n
    def read(self): return self.fees
class Without:
    def __init__(self, n): self.n = n
    def read(self): return self.fees
def get(v): return v.fees
def ignores(v): return 1
def f(a, b, u, w):
    r, g = [], {}
"""

SETS = ("if a > 1:\n    u.fees = a\n", "if a > 1:\n    u.fees = 5\n",
        "for _ in range(int(a)):\n    u.fees = a\n", "u.fees = 1\nif a > 1:\n    del u.fees\n")

USES = (
    "u.fees", "y = u.fees", "y = u.fees\nr.append(y)", "r.append(u.fees)", "t = u.fees, 2",
    "r.append((u.fees, 1))", "r.append(ignores(u.fees))", "r.append([u.fees])", "g['k'] = u.fees",
    "r.append({'a': u.fees})", "v = u if b > 1 else w\nv.fees", "v = u if b > 1 else w\ny = v.fees",
    "v = u if b > 1 else w\nr.append((v.fees, v.n))", "r.append(u.fees is None)",
    "r.append([k.fees for k in (u, w)])", "r.append(getattr(u, 'fees', 9))", "x = [u.fees] * 2",
    "z = u.fees\nif b > 1: r.append(z)", "if b > 1:\n    y = u.fees", "w.fees = u.fees",
    "for q in (u.fees,): r.append(1)", "d = dict(k=u.fees)", "r.append((lambda v=u.fees: 1)())",
    "list(k for k in [u.fees])", "return r, u.fees", "r.append(-u.fees)", "r.append(u.fees + 1)",
    "r.append(get(u))", "r.append(u.read())", "get(u)", "t = u.read(), get(u)",
    "r.append([*map(get, [u, w])])", "r.append(max([w, u], key=get).n)", "r.append(f'{u.fees}')",
    "r.append(operator.attrgetter('fees')(u))", "r.append(hasattr(u, 'fees'))", "u.fees += 1",
    "r.append(getattr(u, 'fees'))", "r.append(sorted([u, w], key=operator.attrgetter('n'))[0].n)",
    "operator.attrgetter('n', 'fees')(u)", "r.append([*map(operator.attrgetter('fees'), [u])])",
    "r.append(max([u], key=operator.attrgetter('fees')).n)", "getattr(u, 'fees')", "del u.fees",
    "if u.fees > 2: r.append(1)", "r.append(u.fees if b > 1 else 3)", "assert u.fees is not None")

AROUND = ("{}", "if b > 0:\n{}", "try:\n{}except AttributeError:\n    r.append('no')\n",
          "with suppress(AttributeError):\n{}", "try:\n{}finally:\n    r.append('last')\n",
          "try:\n{}except Exception as e:\n    r.append(type(e).__name__)\n")


def source(cls: str, sets: str, use: str, around: str) -> str:
    used = around.format(use + "\n" if around == "{}" else indent(use + "\n", "    "))
    body = f"{sets}{used}r.append('end')\nreturn r, g\n"
    return f"{CLASSES}{indent(body, '    ')}def make(): return {cls}(1), {cls}(2)\n"


def outcome(function: Any, a: float, b: int, made: Any) -> str:
    try:
        result = function(np.float64(a), np.int64(b), *made)
    except AttributeError as error:
        result = type(error).__name__
    return Picture().of((result, made))


@pytest.mark.parametrize(("cls", "sets", "use", "around"), sample([
    (cls, sets, use, around) for cls in ("WithDefault", "Without") for sets in SETS
    for use in USES for around in AROUND], 20))
@pytest.mark.parametrize("mode", MODES)
def test_as_in_python(mode: str, cls: str, sets: str, use: str, around: str) -> None:
    text = source(cls, sets, use, around)
    expected, found = load(text, "<expected>"), load(text, "<found>")
    traced = ag.function(found["f"], **MODES[mode])
    for a, b in (0.0, 3), (2.0, 2), (1.0, 1):
        assert outcome(traced, a, b, found["make"]()) == outcome(
            expected["f"], a, b, expected["make"]()), text
