"""A store under a condition of the run is done at each call, also if it changed nothing while the
function was traced: something else may change that state between the calls."""

import linecache
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES

OUTSIDE = """
import numpy as np

class Thing:
    total = 0
    def __init__(self):
        self.n, self.flag, self.items = 1, False, [1]
    @property
    def half(self): return self.n
    @half.setter
    def half(self, value): self.n = value

class Slots:
    __slots__ = "n", "__weakref__"

GD, GS, GL, GA, GO, GN, GW = {"a": 1, "b": 2}, {1, 2}, [1, 2], np.zeros(3), Thing(), 0, Slots()
GW.n = 1

def put(o):
    o.n = 1

def reset():
    global GN
    GD["a"], GO.n, GO.flag, GN, Thing.total, GW.n = 7, 9, True, 4, 6, 8
    GS.discard(1)
    GL[:], GA[:] = [5, 6], 3
    GO.items.append(4)

def kept():
    return GD, GS, GL, GA, GO, GN, Thing.total, GW.n
"""

IN_BRANCH = {
    "item": "GD['a'] = 1", "item of a computed key": "GD[['a'][0]] = 1", "attribute": "GO.n = 1",
    "flag": "GO.flag = False", "slot": "GW.n = 1", "item of a list": "GL[0] = 1",
    "slice": "GL[:] = [1, 2]", "set": "GS.add(1)", "array": "GA[0] = 0.0",
    "array in place": "GA[:] *= 1", "variable": "GN = 0", "several": "GN, k = 0, 1",
    "method": "GD.update(a=1)", "sort": "GL.sort()", "setattr": "setattr(GO, 'n', 1)",
    "callee": "put(GO)", "property": "GO.half = 1", "alias": "d = GD; d['a'] = 1",
    "item of an attribute": "GO.items[0] = 1", "class": "Thing.total = 0",
    "nothing added": "GO.n += 0",
}
PROGRAMS = {name: f"def f(a):\n    global GN\n    if a > 0: {line}\n    return a"
            for name, line in IN_BRANCH.items()}
PROGRAMS["loop"] = """
def f(a):
    k = 0
    while k < a:
        GD["a"] = 1
        k += 1
    return a
"""
PROGRAMS["both sides"] = """
def f(a):
    if a > 0: GO.flag = False
    else: GO.flag = False
    return a + GO.n
"""
PROGRAMS["closure"] = """
def outer():
    seen = 0
    def f(a):
        nonlocal seen
        if a > 0: seen = 0
        return a
    def change():
        nonlocal seen
        seen = 3
    return f, change, lambda: seen
f, reset, kept = outer()
"""


def pictures(name: str, values: tuple[float, ...], options: dict[str, Any] | None) -> list[str]:
    """What each call leaves; something else changes the state between the calls."""
    text = OUTSIDE + PROGRAMS[name]
    file = f"<{name} {values} {options}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, file, "exec"), scope)
    f = scope["f"] if options is None else ag.function(scope["f"], **options)
    found = []
    for x in values:
        result = f(np.float64(x))
        found.append(Picture().of((result, scope["kept"]())))
        scope["reset"]()
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_done_at_each_call(name: str, mode: str) -> None:
    for values in ((0.0, 2.0, -1.0, 3.0), (2.0, 0.0, 2.0, 0.0)):
        assert pictures(name, values, MODES[mode]) == pictures(name, values, None)


def test_what_is_stored_in_any_case_stays_with_the_trace() -> None:
    made = []

    class Counter:
        n = 0

    counter = Counter()

    @ag.function
    def f(a: Any) -> Any:
        counter.n = 1
        return a

    for _ in range(3):
        f(np.float64(1.0))
        made.append(counter.n)
        counter.n = 5
    assert made == [1, 5, 5]
