"""A list that grows in a loop stays the list of its holder, which gets other values there."""

from itertools import product
from textwrap import indent

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import load
from tests.support.amount import sample

HEAD = """
from dataclasses import dataclass
class M: pass
class S:
    __slots__ = ('h', 'w')
@dataclass
class D:
    h: list
    w: float
class I:
    def __init__(self): self.h, self.w = [], 0.
def make(): return []
def f(x):
"""

HOMES = (
    ("m = M(); m.h = NEW; m.w = 0.", "m.h", "m.w"),
    ("m = {'h': NEW, 'w': 0.}", "m['h']", "m['w']"),
    ("m = [NEW, 0.]", "m[0]", "m[1]"),
    ("h = NEW; m = M(); m.h = h; m.w = 0.", "h", "m.w"),
    ("h = NEW; m = M(); m.h = h; n = [h, 0.]; m.w = 0.", "n[0]", "m.w"),
    ("m = M(); m.d = {'h': NEW}; m.w = 0.", "m.d['h']", "m.w"),
    ("m = M(); m.d = {'h': NEW, 'w': 0.}", "m.d['h']", "m.d['w']"),
    ("m = S(); m.h = NEW; m.w = 0.", "m.h", "m.w"),
    ("m = D(NEW, 0.)", "m.h", "m.w"),
    ("m = M(); m.t = NEW, 1; m.w = 0.", "m.t[0]", "m.w"),
    ("m = I()", "m.h", "m.w"),
    ("m = [I(), I()]", "m[0].h", "m[1].w"),
    ("m = [I(), I()]", "m[1].h", "m[1].w"),
)
NEW = ("[]", "make()")
GROWS = ("HELD.append(x[i % 3])", "HELD.append(i)", "HELD.extend([x[0], 2.])",
         "HELD.insert(0, x[1])", "HELD.append(x[0]); HELD.pop()", "HELD.append([x[0]])")
SETS = ("W = x[0] + i", "W += x[1]", "W = i", "if x[0] > 0: W = x[0]", "pass")
LOOPS = (
    "for i in range(50):\n    BOTH\n    if x.sum() < -1: break\n",
    "for i in range(int(x[2])):\n    BOTH\n",
    "i = 0\nwhile i < x[2]:\n    BOTH\n    i += 1\n",
    "for i in range(60):\n    if x[i % 3] > 1:\n        BOTH\n",
    "i = 1\nif x[0] > 0:\n    BOTH\n",
    "for i in range(3):\n    BOTH\n    if x.sum() < -1: break\n")
ORDERS = (1, -1)

TABLE = sample(list(product(HOMES, NEW, GROWS, SETS, LOOPS, ORDERS)), 150)


def source(home, new, grow, set_, loop, order):
    made, held, w = home
    lines = [grow.replace("HELD", held), set_.replace("W", w)][::order]
    depth = loop.partition("BOTH")[0].rpartition("\n")[2]
    body = loop.replace("BOTH", f"\n{depth}".join(lines))
    end = f"return m, len({held}), {held}[:2], {w}, {held}[-1:]\n"
    return HEAD + indent(f"{made.replace('NEW', new)}\n{body}{end}", "    ")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("row", TABLE, ids=range(len(TABLE)))
def test_as_in_python(row, mode):
    text = source(*row)
    expected, found = load(text, "<expected>"), load(text, "<found>")
    traced = ag.function(found["f"], **MODES[mode])
    for x in ([1., 2., 4.], [-1., 0., 3.], [2., 3., 0.]):
        x = np.array(x)
        assert Picture().of(traced(x)) == Picture().of(expected["f"](x)), text


def test_a_model_that_keeps_its_history():
    class Regression:
        def __init__(self, steps=50):
            self.steps, self.history = steps, []

        def fit(self, x, y):
            self.w = np.zeros(x.shape[1])
            for _ in range(self.steps):
                error = x @ self.w - y
                self.w -= 0.1 * x.T @ error / len(y)
                self.history.append((error ** 2).mean())
                if len(self.history) > 1 and abs(self.history[-1] - self.history[-2]) < 1e-4:
                    break
            return self

    def fitted(x, y):
        model = Regression().fit(x, y)
        return model.w, model.history

    x = np.random.default_rng(0).normal(size=(20, 3))
    y = x @ np.array([1.0, -2.0, 0.5])
    found, expected = ag.function(fitted)(x, y), fitted(x, y)
    assert Picture().of(found) == Picture().of(expected)
    assert len(found[1]) > 2
