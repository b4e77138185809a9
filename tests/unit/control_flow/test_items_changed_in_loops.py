"""Loops over lists of objects whose bodies change the objects: the iterator reads the list alone.

A network's layers are such a list, and training it such a loop.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.support.amount import sample
from tests.support.functions_of_text import function_of

READERS = {
    "the list": "for l in layers: {body}",
    "iter": "for l in iter(layers): {body}",
    "reversed": "for l in reversed(layers): {body}",
    "enumerate": "for k, l in enumerate(layers): {body}",
    "zip": "for l, m in zip(layers, layers[1:]): {body}",
    "reversed zip": "for l, m in reversed(list(zip(layers, others))): {body}",
    "zip of reversed": "for l, m in zip(reversed(layers), others): {body}",
    "enumerate of reversed": "for k, l in enumerate(reversed(layers), 2): {body}",
    "the values of a dict": "for l in dict(zip('abc', layers)).values(): {body}",
    "the items of a dict": "for k, l in dict(enumerate(layers)).items(): {body}",
    "a tuple": "for l in reversed(tuple(layers)): {body}",
    "next": "i = iter(layers); l = next(i); l.w = l.w * 2\n        for l in i: {body}",
}

BODIES = {
    "an attribute": "g = l.back(g)",
    "another object": "others[0].w = others[0].w + g; g = g + l.w",
    "a list of it": "l.seen.append(g.sum()); g = g - l.w",
    "an attribute or none": "g = l.back(g) if g[0] > .5 else g - .1",
}

OUTER = {
    "while": "while x.sum() > 1:",
    "for": "for _ in range(int(n)):",
    "if": "if x[1] > 1:",
    "flat": "if True:",
}

PROGRAM = """
class Layer:
    def __init__(self, w):
        self.w, self.seen = w, []
    def back(self, g):
        self.g, self.w = g, self.w - .1 * g * self.w
        return g * self.w
def f(x, n, ws):
    layers, others = [Layer(w) for w in ws], [Layer(w * 2) for w in ws]
    {outer}
        g = x
        {reader}
        x = x * .5 + g * .01
    return [(l.w, l.seen) for l in layers], x
"""

ROWS = [*itertools.product(READERS, BODIES, OUTER)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("reader", "body", "outer"), sample(ROWS, 5))
def test_items(reader: str, body: str, outer: str, mode: str) -> None:
    text = PROGRAM.format(outer=OUTER[outer], reader=READERS[reader].format(body=BODIES[body]))
    plain = function_of(text, f"<{reader} {body} {outer}>", {"np": np})
    traced = ag.function(plain, **MODES[mode])
    for k in range(1, 4):
        args = np.arange(3.) * k, np.int64(k % 3), [np.ones(3), np.full(3, 2.), np.arange(3.)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert Picture().of(traced(*args)) == Picture().of(plain(*args))
