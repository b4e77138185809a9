"""Operators such as `+=` and `|=` on Python's containers, whose operand only the run knows."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import REFUSALS, load
from tests.support.amount import sample

BEGIN = """
from collections import Counter, OrderedDict, defaultdict, deque
import numpy as np
class Holder: pass
"""

CONTAINERS = (
    "{'z': 1}", "[5]", "deque([5], maxlen=4)", "{5}", "OrderedDict(z=1)", "Counter('zz')",
    "defaultdict(int, z=1)", "bytearray(b'ab')")

OPERANDS = (
    "{k: v for k, v in zip('abc', [1, 2, 3]) if v > a}", "[v for v in [1, 2, 3] if v > a]",
    "{v for v in [1, 2, 3] if v > a}", "(v for v in [1, 2, 3] if v > a)", "int(a)",
    "[(v, 1) for v in [1, 2, 3] if v > a]", "bytes([v for v in [1, 2, 3] if v > a])", "x[x > a]",
    "x")

HOLDERS = {"d": "return {}", "o.d": "o = Holder(); o.d = {}; return o", "o[0]": "return [{}]"}

REFUSED = ("(v for v in [1, 2, 3] if v > a)", "Counter('zz')")
"""With these, `+=` may be refused: the container is not known where the items are read."""


def source(target: str, made: str, operator: str, operand: str, branch: bool) -> str:
    line = f"{target} {operator} {operand}"
    body = f"    if a > 1:\n        {line}\n" if branch else f"    {line}\n"
    return (f"{BEGIN}def f(a, x, {target[0]}):\n{body}    return {target}\n"
            f"def make():\n    {HOLDERS[target].format(made)}\n")


def ends(made: str, operator: str, operand: str) -> bool:
    """Returns True if Python has the operator for these."""
    scope: dict[str, Any] = {}
    try:
        exec(f"{BEGIN}a = 1.0\nx = np.arange(3.0)\nd = {made}\nd {operator} {operand}\n", scope)
    except Exception:
        return False
    return True


TABLE = [(t, made, op, operand, branch) for t in HOLDERS for made in CONTAINERS
         for op in ("|=", "+=", "*=", "&=", "-=", "^=") for operand in OPERANDS
         if ends(made, op, operand) for branch in (False, True)]


def outcome(function: Any, a: float, made: Any) -> str:
    try:
        result = function(np.float64(a), np.arange(3.0), made)
    except REFUSALS:
        raise
    except Exception as error:
        result = type(error).__name__
    return Picture().of((result, made))


@pytest.mark.parametrize(("target", "made", "operator", "operand", "branch"), sample(TABLE, 7))
@pytest.mark.parametrize("mode", MODES)
def test_as_in_python(mode: str, target: str, made: str, operator: str, operand: str, branch: bool
                      ) -> None:
    text = source(target, made, operator, operand, branch)
    expected, found = load(text, "<expected>"), load(text, "<found>")
    traced = ag.function(found["f"], **MODES[mode])
    for a in (0.0, 2.0, 1.0):
        wanted = outcome(expected["f"], a, expected["make"]())
        try:
            assert outcome(traced, a, found["make"]()) == wanted, text
        except REFUSALS:
            assert operator == "+=" and (operand in REFUSED or made in REFUSED)
            return
