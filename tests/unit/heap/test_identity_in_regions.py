"""Functions, classes and slices: which object is which, where loops make them and the run chooses.
"""

import pytest

from tests.corpus.state.small_programs import MODES, Small, verdict

PROGRAMS = {
    "lambdas in a list": "r = []\nfor i in range(int(x)): r.append(lambda: 1)\n"
                         "return [a is b for a in r for b in r]",
    "defaults of lambdas": "r = []\nfor i in range(int(x)): r.append(lambda k=[]: k)\n"
                           "for i, g in enumerate(r): g().append(i)\nreturn [g() for g in r]",
    "attributes of lambdas": "r = []\nfor i in range(int(x)): r.append(lambda: 1)\n"
                             "for i, g in enumerate(r): g.n = i\nreturn [g.n for g in r]",
    "positions of lambdas": "r, n = [], 0\nwhile n < x:\n r.append(lambda a: a)\n n += 1\n"
                            "return [r.index(a) for a in r]",
    "the last lambda": "p, s = None, 0\nfor i in range(int(x)):\n q = lambda: 1\n s += q is p\n"
                       " p = q\nreturn s",
    "classes in a list": "r = []\nfor i in range(int(x)):\n class C: pass\n r.append(C)\n"
                         "return [a is b for a in r for b in r]",
    "objects of classes": "r = []\nfor i in range(int(x)):\n class C: pass\n r.append(C())\n"
                          "return [type(a) is type(b) for a in r for b in r]",
    "types in a list": "r = []\nfor i in range(int(x)): r.append(type('C', (), {}))\n"
                       "return [a is b for a in r for b in r]",
    "a slice by an index": "s = S[int(x) % 2]\nreturn s is S[0], s is S[1], s == S[0]",
    "a slice by a key": "s = {0: S[0], 1: S[1]}[int(x) % 2]\nreturn s is S[0], s is S[1]",
    "a slice of a branch": "s = S[0] if x > 1 else S[1]\nK.append(s)\nreturn s is S[0]",
    "a slice of a loop": "n, s = 0, None\nwhile n < x:\n s = S[n % 2]\n n += 1\n"
                         "return s is S[0], s is S[1], s is None",
    "an attribute that is a slice": "o.v = S[0]\nif x > 1: o.v = S[1]\nreturn o.v is S[0]",
    "a list in a slice": "t = slice(K, 1)\nif x > 1: t.start.append(x)",
    "lists in slices": "t = [slice(K, 1), slice(K, 2)][int(x) % 2]\nt.start.append(x)",
    "a list in a slice outside": "T.start.append(x)\nif x > 1: T.start.append(2)",
    "a polynomial": "r = []\nfor i in range(int(x)): r.append(float(i))\n"
                    "p = Polynomial(r) if len(r) else Polynomial([1.0])\nreturn p, vars(p)",
    "one new list in two objects": "n = [1]\nK.append(n)\no.v = n\nreturn K[-1] is o.v",
    "a new object in a list": "n = Box()\nK.append(n)\nreturn [a is n for a in K]",
    "a new lambda outside": "K.append(lambda: 1)\nreturn [a is b for a in K for b in K]"}

TEXT = """
from numpy.polynomial import Polynomial
class Box: v = 0
K, S = [], [slice(0, 1), slice(0, 1)]
T = slice(K if {0!r} == "a list in a slice outside" else 0, 1)
o = Box()
def kept(): return K, o, [[a is b for b in K] for a in K]
def f(x):
{1}
"""

AT_ONCE = {"one new list in two objects", "a new object in a list", "a new lambda outside"}
"""Those whose effects outside happen while tracing by default."""


@pytest.mark.parametrize(("name", "mode"), [
    (name, mode) for name in PROGRAMS for mode in MODES
    if name not in AT_ONCE or mode != "default"])
def test_the_run_has_the_objects_that_python_has(name: str, mode: str) -> None:
    lines = "\n".join("    " + line for line in PROGRAMS[name].splitlines())
    found = verdict(Small(f"{name}, {mode}", TEXT.format(name, lines)), **MODES[mode])
    assert found == "right" or found.startswith(("plain: ", "refused: ")), found


SHARED = """
class Box: v = 0
H = {}
def make(): return (Box(),)
def kept(): return H
def f(x, o):
    n = NEW
    H["k"] = n
    o.v = n
"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("new", ["[1]", "{1: 2}", "{1}", "Box()", "[[1]]", "deque([1])"])
def test_what_is_stored_outside_and_in_an_argument_is_one(new: str, mode: str) -> None:
    assert verdict(Small(f"shared {new}, {mode}", SHARED.replace("NEW", new)),
                   **MODES[mode]) == "right"
