"""`x.__class__`, `x.__repr__()` and the like in converted code: those of the value.

AUTOGRAPH_TESTS=1000 runs all combinations.
"""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.errors import SymbolicValueError, TracingError
from tests.support.amount import ALL
from tests.support.outcome import describe


def classes(x):
    y = x if x > 1 else 3
    return x.__class__, x.__class__.__name__, y.__class__, x.__class__ is type(x)


class Named:
    def name(self, x):
        return self.__class__.__name__, x.__class__


@pytest.mark.parametrize("x", [np.float64(2), np.float32(0.5), np.array(2.0), np.ones(1), 3, 2.5])
def test_it_is_the_class_of_the_value(x: Any) -> None:
    assert ag.function(classes)(x) == classes(x)
    assert ag.function(Named().name)(x) == Named().name(x)


OPERANDS = {"a float": "x", "an int": "int(x)", "a bool": "bool(x > 1)", "a text": "str(x)",
            "bytes": "str(x).encode()", "an array": "np.array([x, 1.0])",
            "a range": "range(int(x))",
            "a complex": "complex(x, 1)", "a set": "{int(x), 5}", "a list": "[x, 2.0]",
            "a dict": "{1: x}", "a constant": "2", "a constant text": "'a'"}
CALLS = [f"__{name}__({other})" for name in (
    "add", "radd", "floordiv", "rfloordiv", "eq", "ne", "lt", "mul", "mod", "rpow")
         for other in ("2", "x", "int(x)", "complex(x, 1)", "[1]", "'a'", "None")]
CALLS += [f"__{name}__()" for name in (
    "repr", "str", "len", "bool", "abs", "neg", "iter", "reversed", "hash", "ceil")]
CALLS += ["__doc__", "__format__('')", "__contains__(2)", "__getitem__(0)", "__class__"]


@pytest.mark.parametrize("operand", OPERANDS)
def test_special_methods_are_those_of_the_value(operand: str) -> None:
    def outcome(f: Any, x: Any) -> str:
        try:
            return describe(as_text(f(x)))
        except (TracingError, SymbolicValueError):
            raise
        except Exception as error:
            return type(error).__name__

    calls = CALLS if ALL else random.Random(operand).sample(CALLS, 16)
    for call in calls:
        f = function_of(f"def f(x):\n    y = {OPERANDS[operand]}\n    return y.{call}\n")
        for x in (np.float64(2.0), np.float64(0.5)):
            try:
                made = outcome(ag.function(f), x)
            except (TracingError, SymbolicValueError):
                continue
            assert made == outcome(f, x), (operand, call, x)


def as_text(made: Any) -> Any:
    """Returns a result in a form that shows no address."""
    if hasattr(made, "__next__"):
        return list(made)
    return repr(made).partition(" at 0x")[0] if callable(made) else made


def function_of(source: str) -> Any:
    name = f"<special {abs(hash(source))}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    names: dict[str, Any] = {"np": np, "__name__": __name__}
    exec(compile(source, name, "exec"), names)
    return names["f"]
