"""SystemExit and its like, raised where only the run decides: they end the run that gets there, not
the trace. What comes from outside the program's lines, as Ctrl-C does, ends whatever runs."""

from __future__ import annotations

import contextlib
import io
import itertools
import signal
import sys
import time
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.support.amount import sample
from tests.support.functions_of_text import function_of


class Abort(BaseException):
    """A user's own."""


RAISED = {
    "sys.exit": "sys.exit(3)", "a message": "sys.exit('bad')", "exit": "exit(1)",
    "SystemExit": "raise SystemExit(2)", "a class": "raise SystemExit",
    "a cause": "raise SystemExit(1) from ValueError('v')",
    "the user's own": "raise Abort('a', 1)", "KeyboardInterrupt": "raise KeyboardInterrupt",
    "a function": "leave()", "symbolic": "raise Abort(y[0])",
}

HOMES = {
    "flat": "{r}",
    "a branch": "if y[0] > 1.5: {r}",
    "the other branch": "if y[0] < 1.5: y[0] = 7\n    else: {r}",
    "a loop": "for v in y:\n        if v > 1.5: {r}\n        y[1] = v",
    "a while": "while y[0] < 9:\n        if y[0] > 2.5: {r}\n        y[0] += 1",
    "a function": "def g(v):\n        if v > 1.5: {r}\n        return v\n    y[1] = g(y[0])",
    "after effects": "s.append(1); y[1] = 4\n    if y[0] > 1.5: s.append(2); {r}\n    s.append(3)",
    "caught": "try:\n        if y[0] > 1.5: {r}\n    except BaseException as e: y[1] = len(e.args)",
    "not caught": "try:\n        if y[0] > 1.5: {r}\n    except Exception: y[1] = 5",
    "finally": "try:\n        if y[0] > 1.5: {r}\n    finally: s.append(4)",
    "with": "with contextlib.suppress(BaseException):\n        if y[0] > 1.5: {r}\n    y[1] = 6",
    "a comprehension": "def g(v):\n        if v > 1.5: {r}\n        return v\n"
                       "    y[1] = sum([g(v) for v in y])",
}

PROGRAM = "def f(y, s):\n    y = y.copy()\n    {home}\n    return y, s\n"
ROWS = [*itertools.product(RAISED, HOMES)]


def leave() -> None:
    sys.exit("gone")


def outcome(f: Any, y: float) -> str:
    """Returns what a call gives or raises, and its arguments after it."""
    given = np.array([y, 1.0]), [0]
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            made = Picture().of(f(*given))
        except BaseException as error:
            made = f"raises {type(error).__name__} {error.args} {error.__cause__!r}"
    return made + Picture().of(given)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("error", "home"), sample(ROWS, 4))
def test_base_exceptions(error: str, home: str, mode: str) -> None:
    text = PROGRAM.format(home=HOMES[home].format(r=RAISED[error]))
    scope = {"sys": sys, "contextlib": contextlib, "Abort": Abort, "leave": leave}
    plain = function_of(text, f"<{error} {home}>", scope)
    traced = ag.function(plain, **MODES[mode])
    for y in (1.0, 2.0, 1.0, 3.0):
        assert outcome(traced, y) == outcome(plain, y), y


class Interrupted(Exception):
    """What the handler of a signal raises."""


@pytest.mark.parametrize("kind", [Interrupted, Abort, SystemExit, KeyboardInterrupt])
def test_a_signal_ends_the_trace(kind: type[BaseException]) -> None:
    def handler(*_: Any) -> None:
        raise kind("late")

    def wait(x: Any) -> Any:
        end = time.monotonic() + 5
        while time.monotonic() < end:
            pass
        return x

    @ag.function
    def f(x: Any) -> Any:
        if x > 1:
            return ag.do_not_convert(wait)(3.0) + x
        return x

    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(kind, match="late"):
            f(np.float64(0))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
