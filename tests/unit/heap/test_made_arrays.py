"""Symbolic values are stored in arrays that NumPy's own code makes of plain values."""

from __future__ import annotations

import functools
import linecache
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.amount import ALL
from tests.support.outcome import run

MADE = """
np.tri(3); np.indices((2, 2)); np.indices(n for n in (2, 2)); np.mgrid[0:3, 0:3]; np.ogrid[0:3]
np.r_[1:4]; np.r_[1.0, 2.0]; np.c_[np.zeros(3), np.ones(3)]; np.linspace(0, 1, 3)
np.meshgrid(np.arange(3.0), np.arange(2.0))[0]; np.meshgrid([1.0, 2.0], [3.0])[1]
np.logspace(0, 1, 3); np.geomspace(1, 2, 3); np.diag([1.0, 2.0]); np.vander([1.0, 2.0])
np.fromiter((v for v in range(3)), float); np.fromfunction(lambda i, j: i + j, (2, 2))
np.fromstring("1 2", sep=" "); np.tile([1.0, 2.0], 2); np.hstack([[1.0], [2.0]])
np.linalg.inv(np.eye(2)); np.sin([1.0, 2.0]); np.sort([2.0, 1.0]); np.stack([[1.0], [2.0]])
np.pad([1.0], 1); np.bincount([1, 1]) * 1.0; np.histogram([1.0, 2.0])[0] * 1.0
np.kron([1.0, 2.0], [1.0, 1.0]); np.polyfit([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], 1)
np.fft.rfft([1.0, 2.0]).real.copy(); np.loadtxt(["1 2"]); np.genfromtxt(["1 2"])
np.atleast_1d(1.0); np.unique([1.0, 2.0]); np.cumsum([1.0, 2.0]); np.block([[np.eye(2)]])
np.vectorize(lambda v: v + 1.0)([1.0, 2.0]); np.apply_along_axis(lambda r: r * 2, 0, np.eye(2))
np.select([[True, False]], [[1.0, 2.0]]); np.ix_([1.0, 2.0])[0]; np.nonzero([1, 1])[0] * 1.0
np.hanning(4); np.interp([1.0, 2.0], [0.0, 3.0], [0.0, 1.0]); np.convolve([1.0, 2.0], [1.0])
max([np.flip([1.0])], key=len); list(map(np.flip, [[2], [3]]))[0]; np.zeros_like([1.0, 2.0])
np.flip([1.0, 2.0]); np.roll([1.0, 2.0], 1); np.split([1.0, 2.0], 2)[0]; np.gradient([1.0, 2.0])
functools.reduce(np.add, [np.flip([1.0])] * 2); np.rot90([[1.0, 2.0]]); np.dstack([[1.0]])
np.linalg.svd([[1.0, 2.0], [3.0, 4.0]]).S; dict(a=np.flip([1.0]))["a"]; np.tri(2, dtype=bool)
"""
STORES = ["a.flat[0] = x", "a[...] = x", "a += x", "a[a > 0.5] = x", "a.fill(x)",
          "np.add(a, x, out=a)", "np.put(a, [0], x)", "b = a; a[0] = x"]
SOURCES = [s.strip() for line in MADE.strip().splitlines() for s in line.split(";")]
PAIRS = list(product(SOURCES, STORES)) if ALL else [
    (s, STORES[i % len(STORES)]) for i, s in enumerate(SOURCES)]


def function(source: str, name: str, scope: dict[str, Any]) -> Any:
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    exec(compile(source, name, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize(("made", "store"), PAIRS)
def test_a_symbolic_value_is_stored(made: str, store: str) -> None:
    f = function(f"def f(x):\n    a = {made}\n    {store}\n    return a\n",
                 f"<made: {made} {store}>", {"np": np, "functools": functools})
    x = (np.float64(2.5),)
    assert run(ag.function(f), x).describe() == run(f, x).describe()


KEPT = {}


@ag.do_not_convert
def kept() -> Any:
    return KEPT.setdefault("a", np.arange(3.0))


@ag.do_not_convert
def twice() -> Any:
    a = np.arange(3.0)
    return a, a


@ag.do_not_convert
def and_a_view() -> Any:
    a = np.arange(3.0)
    return a, a[::-1]


@ag.do_not_convert
class Holder:
    def __init__(self) -> None:
        self.array = np.arange(3.0)

    def get(self) -> Any:
        return self.array


def of_kept(x):
    a = kept()
    a[0] = x
    return a, kept()


def of_a_pair(x):
    pair = twice()
    pair[0][0] = x
    return pair


def of_views(x):
    a, b = and_a_view()
    a[0] = x
    return a, b


def of_an_object(x):
    holder = Holder()
    a = holder.get()
    a[0] = x
    return holder.array.sum(), a


@pytest.mark.parametrize("f", [of_kept, of_a_pair, of_views, of_an_object])
def test_an_array_that_something_else_refers_to_is_refused(f: Any) -> None:
    with pytest.raises(ag.errors.SymbolicValueError, match="make the array in the function"):
        ag.function(f)(np.float64(2.5))
    KEPT.clear()


def aliases(x):
    a = np.flip([1.0, 2.0, 3.0])
    b, view, rows = a, a[1:], [a, a]
    view[0] = x
    b[2] = -x
    for i in range(20):
        rows[1][i % 3] += i
    return a, view, rows, a is rows[0]


def numbers_stay_known(x):
    order = np.argsort([3, 1, 2])
    steps = [10 * k for k in range(len(order))]
    out = np.zeros_like([1.0, 2.0, 3.0])
    for k, i in enumerate(order):
        out[i] = x + steps[k]
    return out, order


def in_branches(x):
    a = np.r_[1.0, 2.0] if x > 1 else np.tile([1.0, 2.0], 2)
    a[0] = x
    return a


@pytest.mark.parametrize("f", [aliases, numbers_stay_known, in_branches])
@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}])
def test_aliases_and_views_see_the_store(f: Any, options: Any) -> None:
    traced = ag.function(f, **options)
    for x in (2.5, 0.5):
        assert run(traced, (np.float64(x),)).describe() == run(f, (np.float64(x),)).describe()
