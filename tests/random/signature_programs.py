"""Programs of which one signature changes what another one reads: places that hold the state, and
what tells the signatures from each other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import fallbacks, load, outcome_of

SOURCE = """
import numpy as np
from collections import deque

class O:
    c = 0
    def __init__(self):
        self.n, self.l, self.d, self.q = 0, [], {"k": 0}, deque()
        self.a, self.s = np.zeros(2), set()

GN, GL, GO, GA, GD = 0, [], O(), np.zeros(2), {}

def build():
    cn = 0
    def f(x, writes, o):
        global GN
        nonlocal cn
        y = np.sum(x)
        if writes:
            GUARD WRITE
        return y + READ
    return f, lambda: cn

f, get = build()

def kept():
    return GN, GL, GO, GA, GD, O.c, get()
"""

ADDED, APPENDED = ("P += 1", "P"), ("P.append(float(y))", "len(P)")
HOMES = {
    "o.n": ADDED, "o.d['k']": ADDED, "GN": ADDED, "GO.n": ADDED, "O.c": ADDED, "cn": ADDED,
    "o.l": APPENDED, "GL": APPENDED, "o.q": APPENDED, "o.a": ("P[0] += 1", "P[0]"),
    "GA": ("P[0] += 1", "P[0]"), "o.s": ("P.add(float(y))", "len(P)"),
    "GD": ("P[len(P)] = y", "len(P)"),
}
"""The places, and how each is changed and read."""

VALUES: dict[str, Callable[[bool], Any]] = {
    "constant": lambda writes: np.float64(1.5), "shape": lambda writes: np.ones(2 + writes),
    "dtype": lambda writes: (np.float64 if writes else np.int64)(2)}

PROGRAMS = [(home, guard, values, mode) for home, guard, values, mode in product(
    HOMES, ("if y > 0:", ""), VALUES, MODES) if guard or mode == "runtime"]
"""By default, what happens always happens while the function is traced."""


def verdict(home: str, guard: str, values: str, mode: str) -> str:
    """"right", "plain: …", or what differs."""
    write, read = (part.replace("P", home) for part in HOMES[home])
    text = SOURCE.replace("GUARD", guard).replace("WRITE", write).replace("READ", read)
    seen: list[list[str]] = []
    for converts in (False, True):
        scope = load(text, f"<signatures {home} {guard} {values} {mode} {converts}>")
        f = ag.function(scope["f"], **MODES[mode]) if converts else scope["f"]
        o, found = scope["O"](), []
        with fallbacks() as told:
            for writes in map(bool, (0, 1, 0, 1, 1, 0, 0, 1, 0)):
                result = f(VALUES[values](writes), writes, o)
                found.append(Picture().of((result, o, scope["kept"]())))
        seen.append(found)
    return outcome_of(told) if seen[0] == seen[1] else f"wrong: {seen[1]} is not {seen[0]}"
