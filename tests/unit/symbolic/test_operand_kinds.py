"""Operators between values of all kinds, of which the run knows at least one.

AUTOGRAPH_TESTS=100 runs so many random programs.
"""

from __future__ import annotations

import collections
import datetime
import decimal
import linecache
import random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.errors import SymbolicValueError, TracingError
from tests.support.amount import seeds
from tests.support.outcome import describe


class Plain:
    pass


class Operand:
    def __add__(self, other: Any) -> Any:
        return "add", other

    def __radd__(self, other: Any) -> Any:
        return "radd", other

    def __lt__(self, other: Any) -> Any:
        return "lt"


KINDS = [x.strip() for x in """
slice(0, int(x)); slice(1); range(2); range(int(x)); {1: x}; {1, 2}; {int(x)}; "a"; str(x); b"a"
None; len; float; np; ...; PLAIN; OPERAND; [1, 2]; [x, 1]; []; (x, 1); (); True; x > 1; 3; int(x)
2.5; 1j; complex(x, 1); np.array([1, 2]); np.array([x, 1]); np.array(x); np.float32(2); x
np.int8(int(x)); datetime.timedelta(1); datetime.date(2020, 1, 1)
decimal.Decimal(2); np.array(["a", "b"]); frozenset([1]); ValueError("a"); object; np.bool_(True)
collections.deque([x]); iter([1])
""".replace("\n", ";").split(";") if x.strip()]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", "==", "!=", "<", ">=",
             "is", "in", "not in", "and", "or"]
FORMS = {"at the top": "    return {e}", "in a branch that may not run":
         "    v = None\n    if x > 1:\n        v = {e}\n    return v",
         "in a test": "    if {e}:\n        return 1\n    return 0"}
NAMES = {"np": np, "PLAIN": Plain(), "OPERAND": Operand(), "datetime": datetime, "decimal": decimal,
         "collections": collections, "__name__": __name__}


def program(number: int) -> str:
    """Returns the source of a program in which an operator has an operand of the run."""
    draw = random.Random(number)
    while True:
        a, op, b = draw.choice(KINDS), draw.choice(OPERATORS), draw.choice(KINDS)
        if "x" in a + b:
            return "def f(x):\n" + draw.choice(list(FORMS.values())).format(e=f"({a}) {op} ({b})")


def function_of(source: str) -> Any:
    name = f"<operands {abs(hash(source))}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    names = dict(NAMES)
    exec(compile(source, name, "exec"), names)
    return names["f"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("start", seeds(160)[::40])
def test_operators_do_what_they_do_with_values(start: int) -> None:
    def outcome(f: Any, x: Any) -> str:
        try:
            made = f(x)
        except (TracingError, SymbolicValueError):
            raise
        except Exception as error:
            return type(error).__name__
        return "an iterator" if hasattr(made, "__next__") else describe(made)

    for number in range(start, start + 40):
        source = program(number)
        plain = function_of(source)
        traced = ag.function(plain)
        for x in (np.float64(2.0), np.float64(0.5)):
            try:
                made = outcome(traced, x)
            except (TracingError, SymbolicValueError):
                break
            assert made == outcome(plain, x), (number, source, x)


def means_of_the_last(x: Any) -> Any:
    window = collections.deque([0.0, 0.0], maxlen=2)
    found = []
    for i in range(4):
        window.append(x * i)
        found.append(np.mean(window))
    return found, np.array(window), np.add(window, x), np.stack(window), np.dot(window, [1, 2])


def test_numpy_reads_deques() -> None:
    x = np.float64(1.5)
    assert describe(ag.function(means_of_the_last)(x)) == describe(means_of_the_last(x))
