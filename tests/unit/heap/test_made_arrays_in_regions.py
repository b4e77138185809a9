"""Arrays of NumPy's that a function makes of constants: one that was there before a branch or a
loop, and leaves it, is still the same array, of the same class, and so is a value with parts."""

from __future__ import annotations

from itertools import product

import pytest

from tests.corpus.state.small_programs import MODES, Small, verdict
from tests.support.amount import sample

MADE = ["np.flip([1.0, 2.0, 3.0])", "np.linspace(0.0, 1.0, 3)", "np.poly1d([1.0, 2.0, 4.0]).coeffs",
        "np.ma.array([1.0, 2.0, 3.0], mask=[0, 0, 1])", "np.matrix([[1.0, 2.0, 3.0]])",
        "np.arange(3.0).view(Own)", "np.rec.array([(1, 2.0)], dtype=[('a', int), ('b', float)]).b",
        "fractions.Fraction(1, 3)", "np.ma.masked_greater([1.0, 2.0], 1)"]

WAYS = {
    "a branch": "V = A\nif x > 1:\n V = {made}",
    "both sides": "if x > 1:\n V = A\nelse:\n V = {made}",
    "two that were there": "V = A if x > 1 else B",
    "an index": "V = [A, B][int(x) % 2]",
    "an index of a tuple": "V = (A, B)[int(x) % 2]",
    "a key": "V = {0: A, 1: B}[int(x) % 2]",
    "a loop": "V = A\nfor i in range(int(x)):\n V = {made}",
    "a loop that keeps it": "V, W, n = A, B, 0\nwhile n < x:\n V, W = W, V\n n += 1",
    "a list": "L = []\nfor i in range(int(x) + 1):\n L.append(A)\nV = L[-1]",
    "an attribute": "b = Box()\nb.v = A\nif x > 1:\n b.v = B\nV = b.v",
    "an exception": "V = A\ntry:\n if x > 1:\n  raise ValueError\nexcept ValueError:\n V = B",
    "a function that calls itself":
    "def g(n):\n if n > x:\n  return A\n return g(n + 1)\nV = g(0.0)",
}

CHANGES = ["V += 1", "V = V * 2", "A += 1"]

PROGRAM = """
import fractions
class Box: pass
class Own(np.ndarray): pass
def f(x):
    A, B = {made}, {made}
{way}
    {change}
    return V, A, B, V is A, type(V).__name__, V.sum() if isinstance(V, np.ndarray) else V + 1
"""


def source(made: str, way: str, change: str) -> str:
    lines = "\n".join("    " + line for line in way.replace("{made}", made).splitlines())
    return PROGRAM.replace("{made}", made).format(way=lines, change=change)


@pytest.mark.parametrize(("made", "way", "change", "mode"), sample(
    product(MADE, WAYS, CHANGES, MODES), 54))
def test_an_array_that_leaves_a_region_is_the_same_one(made: str, way: str, change: str, mode: str
                                                       ) -> None:
    program = Small(f"{made}, {way}, {change}, {mode}", source(made, WAYS[way], change))
    found = verdict(program, **MODES[mode])
    assert found == "right" or found.startswith("plain: "), found


SMALL = {
    "a method of one of several objects that a function holds": """
def f(x):
    if x > 1:
        made = io.StringIO("a")
    else:
        made = io.StringIO("a")
    def tell():
        return made.tell()
    return (tell() if x > 1 else 1), made.getvalue(), (tell if x > 1 else None) is None
""",
    "a container of weak references with keywords": """
import weakref
class Thing: pass
KEPT = Thing()
def f(x):
    made = weakref.WeakValueDictionary(a=KEPT)
    return len(made) + x
""",
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SMALL)
def test_small_programs(name: str, mode: str) -> None:
    found = verdict(Small(f"{name}, {mode}", SMALL[name]), **MODES[mode])
    assert found == "right" or found.startswith("plain: "), found
