"""An object that a branch binds anew: its attributes are chosen; who knows the old one sees it."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from benchmarks.latency import written
from tests.corpus.state.small_programs import MODES, Small, verdict
from tests.support.amount import sample
from tests.support.work_done import calls_made

INIT = "    def __init__(self, v, w=1.0):\n        self.v = v\n        self.w = w\n"

KINDS = {
    "plain": f"class P:\n{INIT}",
    "list": f"KEPT = [1]\nclass P:\n{INIT}        self.kept = KEPT\n        self.next = None\n",
    "property": f"class P:\n{INIT.replace('self.w', 'self._w')}"
                "    @property\n    def w(self):\n        return self._w\n"
                "    @w.setter\n    def w(self, new):\n        self._w = new * 0.5\n",
    "super": "class B:\n    def twice(self):\n        return self.v * 2.0\n"
             f"class P(B):\n{INIT}"
             "    def twice(self):\n        return super().twice() + self.w\n",
    "data": "@dataclasses.dataclass\nclass P:\n    v: float\n    w: float = 1.0\n",
    "slots": f"class P:\n    __slots__ = 'v', 'w'\n{INIT}",
    "equal": f"class P:\n{INIT}"
             "    def __eq__(self, o):\n        return self.w == o.w\n"
             "    def __hash__(self):\n        return 7\n",
    "in place": f"class P:\n{INIT}"
                "    def __iadd__(self, o):\n        self.v = self.v + 1.0\n        return self\n",
    "text": f"class P:\n{INIT}        self.name = 'p' if w == 1.0 else 'q'\n",
    "asked": f"class P:\n{INIT}"
             "    def __getattribute__(self, name):\n        if name == 'v':\n"
             "            return object.__getattribute__(self, 'w') + 3.0\n"
             "        return object.__getattribute__(self, name)\n",
}

METHODS = """
    def __neg__(self):
        return P(-self.v, -self.w)
    def __add__(self, o):
        return P(self.v + o, self.w) if isinstance(o, float) else P(self.v + o.v, self.w + o.w)
    def __radd__(self, o):
        return P(self.v - o, self.w)
    def me(self):
        return self
    def same(self, o):
        return self is o
    def move(self, d):
        self.v = self.v + d
        return self.v
    def clip(self):
        if self.v > 1.0:
            self.v = 1.0
    def checked(self):
        if self.v > 3.0:
            raise ValueError("too large")
        return self.v
    def put(self, log):
        log.append(self)
"""

ALIASES = ("pass", "w = v", "l.append(v)", "d['k'] = v", "o.v = v", "w = u", "w = weakref.ref(v)",
           "k = lambda: v", "n, w = id(v), v")

REBINDS = ("v = -v", "v = v + u", "v = u", "v = P(x, 3.0)", "v = v + 2.0", "v = 1.0 + v",
           "v = v.me()", "v += u", "v, u = u, v", "v = copy.copy(v)", "v.v = x; v = -v")

USES = (
    "out.append((v.v, v.w))", "v.v = x * 2.0", "v.move(x)", "v.clip()", "out.append(v.checked())",
    "if x > 3.0:\n        v = -v", "for i in range(3):\n        v = v + u",
    "for i in range(12):\n        if x > i:\n            v = -v", "out.append(v == u)",
    "out.append(v.same(u))", "out.append(v in l)", "v.put(l)", "out.append(len({id(v), id(u)}))",
    "old = v.v; v.v = 7.0; out.append(u.v); v.v = old", "out.append(getattr(v, 'v'))",
    "out.append(sorted(vars(v)) if hasattr(v, '__dict__') else 0)",
    "if x > 1.0:\n        v.v = 5.0", "try:\n        out.append(v.checked())\n"
    "    except ValueError:\n        out.append(u.v)", "out.append(type(v) is P)",
    "u = v; u.v = 9.0", "out.append(v.twice() if hasattr(v, 'twice') else 0)",
)

LOOKS = ("v.v, u.v", "v.v, w.v if isinstance(w, P) else w", "v, u, l, d, o", "v is u, l, out",
         "v.v, w() is v if isinstance(w, weakref.ref) else 0", "v.v, k().v", "v.v, n == id(v)",
         "v.w, [p.v for p in l], d['k'].v if d else 0")


def program(kind: str, alias: str, rebind: str, use: str, look: str) -> Small:
    text = ("import copy, dataclasses, weakref\n" + KINDS[kind] + METHODS +
            "class O:\n    v = None\n"
            "def f(x):\n    v, u = P(x * 0.5), P(2.0, x)\n"
            "    w, o, l, d, out = 0, O(), [], {}, []\n"
            f"    k, n = lambda: u, 0\n    {alias}\n    if x > 1.0:\n        {rebind}\n    {use}\n"
            f"    if x < 4.0:\n        {rebind}\n    {use}\n    return {look}, out\n")
    return Small(f"{kind}/{alias}/{rebind}/{use}/{look}", text)


ROWS = list(itertools.product(KINDS, ALIASES, REBINDS, USES, LOOKS))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("row", sample(ROWS, 4000), ids="/".join)
def test_who_knows_the_old_object_sees_it(row: tuple[str, ...], mode: str) -> None:
    found = verdict(program(*row), **MODES[mode])
    assert found.startswith(("right", "plain", "refused")), found


def turned(times: int) -> Callable[..., Any]:
    body = "".join(f"    if v.v + x[{i}] > 0.0:\n        v = -v\n" for i in range(times))
    text = ("def f(x):\n    class V:\n        def __init__(self, v, w):\n            self.v = v\n"
            "            self.w = w\n        def __neg__(self):\n            return V(-self.v, "
            f"-self.w)\n    v = V(x[0], x[1])\n{body}    return v.v, v.w\n")
    return written(text, 8_100_000 + times)


def test_branches_that_bind_an_object_anew_cost_the_same_each() -> None:
    x = np.linspace(-1.0, 1.0, 100)
    counts = [calls_made(lambda n=n: ag.function(turned(n)).get_concrete_function(x.copy()))
              for n in (4, 12, 24, 48)]
    assert counts[3] - counts[2] < 2.5 * (counts[2] - counts[1]) + counts[0]
