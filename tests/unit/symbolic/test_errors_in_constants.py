"""Errors of floating point in what NumPy computes while a function is traced: each run tells them
where plain Python does, and where a branch is not taken nobody does."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.support.amount import sample
from tests.support.functions_of_text import function_of

ERRORS = {
    "log": "np.log(c[0])",
    "scalar divide": "np.float64(c[1]) / np.float64(c[0])",
    "overflow": "np.exp(c[1] * 1000)",
    "invalid": "np.linalg.norm([c[0]]) / np.linalg.norm([c[0]])",
    "an array of a list": "np.divide(c, [0., 0.])[1]",
    "a cast": "np.float64(1e300).astype(np.float32)",
    "an int": "np.int64(3) // np.int64(0)",
    "underflow, which NumPy ignores": "np.exp(-c[1] * 1000)",
    "a global constant": "1 / ZERO",
    "a default": "1 / d",
}

HOMES = {
    "flat": "y = y * {e}",
    "a branch": "if y[0] > 1.5: y = y * {e}",
    "the other branch": "if y[0] > 1.5: y = -y\n    else: y = y * {e}",
    "after a return": "if y[0] < 1.5: return y\n    y = y * {e}",
    "a loop": "for i in range(int(y[0])): y = y * {e}",
    "a while": "while y[0] < 2.5: y = y + 1; z = {e}; y[1] = z",
    "a function": "def g(y): return y * {e}\n    if y[0] > 1.5: y = g(y)",
    "a lambda": "g = lambda y: y * {e}\n    y = g(y) if y[0] > 1.5 else y",
    "an expression": "y = y * {e} if y[0] > 1.5 else y",
    "an and": "y = y + (y[0] > 1.5 and {e} > 0)",
    "a comprehension": "y = y + sum([v * {e} for v in y if v > 1.5])",
    "a try": "try:\n        if y[0] > 1.5: y = y * {e}\n    except FloatingPointError: y = y * 0",
    "ignored": "with np.errstate(all='ignore'):\n        if y[0] > 1.5: y = y * {e}",
    "raised": "with np.errstate(all='raise'):\n        if y[0] > 1.5: y = y * {e}",
    "warned": "with np.errstate(all='warn'):\n        if y[0] > 1.5: y = y * {e}",
    "set": "old = np.seterr(all='ignore')\n    y = y * {e}\n    np.seterr(**old)\n    y = y * {e}",
    "a Python loop": "for v in c:\n        if y[0] > 1.5: y = y * {e}",
    "caught": "with warnings.catch_warnings():\n        warnings.simplefilter('error')\n"
              "        try: y = y * {e}\n        except RuntimeWarning: y = y * 0",
}

PROGRAM = "def f(y, c, d=np.float64(0.)):\n    y = y.copy()\n    {home}\n    return y\n"
SETTINGS: list[dict[str, Any]] = [{}, {"all": "ignore"}, {"all": "raise"}, {"all": "warn"}]
ROWS = [(e, h) for e in ERRORS for h in HOMES]


def told(f: Any, y: float, settings: dict[str, Any]) -> tuple[str, list[tuple[str, int]]]:
    """Returns what a call gives or raises, and the warnings with their lines."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(**settings):
        warnings.simplefilter("always")
        try:
            made = Picture().of(f(np.array([y, 1.]), [0., 1.]))
        except Exception as error:
            made = f"{type(error).__name__} {str(error).splitlines()[0]}"
    return made, [(str(w.message), w.lineno) for w in caught]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("error", "home"), sample(ROWS, 6))
def test_errors_in_constants(error: str, home: str, mode: str) -> None:
    text = PROGRAM.format(home=HOMES[home].format(e=ERRORS[error]))
    scope = {"np": np, "warnings": warnings, "ZERO": np.float64(0.)}
    plain = function_of(text, f"<{error} {home}>", scope)
    traced = ag.function(plain, **MODES[mode])
    for settings in SETTINGS:
        for y in (1., 2., 3.):
            assert told(traced, y, settings) == told(plain, y, settings), (settings, y)
