"""Small programs on Python's state: their texts, and what comes of them, plain and decorated.

`programs.txt` holds modules, each under a line `### name`, or `### name | remark`. A module has a
function `f(x, *made)`; `make()` gives the other arguments, `kept()` the state outside, and `CALLS`
the values of `x`, if they differ from those in the prelude. The remarks: "refused": the program is
refused; "plain": its calls run as plain Python, with a warning; "plain by default": so, and it is
refused with `effects="runtime"`; "while tracing": some of what it does happens while tracing, so
state and results are those of plain Python only with `effects="runtime"`; "scipy": it needs SciPy.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.verdict import REFUSALS, TooSlow, fallbacks, load, outcome_of, seconds

PRELUDE = """
import array, bisect, collections, contextlib, copy, csv, functools, heapq, io, itertools, math
import operator, re, struct, warnings
from collections import Counter, OrderedDict, defaultdict, deque
from functools import partial, reduce
import numpy as np
import autograph as ag
CALLS = (0.0, 2.0, 5.0, 2.0, 1.0)
def kept(): return None
def make(): return ()
"""

MODES: dict[str, dict[str, Any]] = {
    "default": {}, "runtime": {"effects": "runtime", "captures": "guard"}}


class Small(NamedTuple):
    """A program: its name, its text, and the remark."""

    name: str
    text: str
    remark: str = ""


def programs() -> Iterator[Small]:
    """All programs of `programs.txt`."""
    parts = Path(__file__).with_name("programs.txt").read_text().split("### ")
    for part in parts[1:]:
        title, _, text = part.partition("\n")
        name, _, remark = title.partition(" | ")
        yield Small(name.strip(), text, remark.strip())


def outcomes(scope: dict[str, Any], function: Any) -> list[str]:
    """The outcome of each call, and the arguments and the state after it."""
    found: list[str] = []
    made = scope["make"]()
    for x in scope["CALLS"]:
        try:
            result = function(np.float64(x), *made)
        except REFUSALS:
            raise
        except Exception as error:
            result = type(error).__name__, str(error)
        found.append(Picture().of((result, made, scope["kept"]())))
    return found


def verdict(program: Small, **options: Any) -> str:
    """"right", "plain: ..." (right, by a fallback to plain Python), "refused: ...", "wrong: ..." or
    "no end"."""
    name = f"<{program.name}>"
    expected_in, found_in = (load(PRELUDE + program.text, name) for _ in range(2))
    expected = outcomes(expected_in, expected_in["f"])
    try:
        with seconds(30), fallbacks() as told:
            found = outcomes(found_in, ag.function(found_in["f"], **options))
    except REFUSALS as error:
        return f"refused: {str(error).splitlines()[0]}"
    except TooSlow:
        return "no end"
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if one != other:
            return f"wrong: call {number}:\n  {one} expected\n  {other} found"
    return outcome_of(told)
