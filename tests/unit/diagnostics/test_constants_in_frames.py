"""What the trace knows of the arguments is among the variables of the frame of an error."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.symbolic.frame_variables import MOST_SHOWN
from tests.unit.diagnostics.test_frames import caught, entries


def named(x, k, mode="near", flag=True, *, shape=(3, 2), scale=-1.5, nothing=None):
    y = x * 2
    return y[k]


def given_on(x, k):
    return named(x + 1, k, shape=(1,), flag=False)


def given_on_to_a_method(x, k):
    return Named().take(x, k, "far", scale=0.5)


class Named:
    def take(self, x, k, mode, scale, deep=b"deep"):
        y = x * 2
        return y[k]


def given_in_a_loop(x, k):
    total = 0.0
    for i in range(3):
        if x[i] >= 0:
            total += named(x, k) + i
    return total


def bound_again(x, k, mode):
    y = x * 2
    k = k + 1
    for mode in "ab":  # noqa: B007  # it is the parameter's name that counts
        y = y + 1
    return y[k]


def bound_by_other_statements(x, k, mode, os):
    def mode():
        return k
    import os  # noqa: F401
    y = x * 2
    return y[mode()]


CONSTANTS = {named: 6, given_on: 6, given_on_to_a_method: 4, given_in_a_loop: 6, bound_again: 1,
             bound_by_other_statements: 1}
"""How many parameters of the function that fails are constants of the trace."""


@pytest.mark.parametrize("function", CONSTANTS, ids=lambda f: f.__name__)
def test_constants_of_the_trace_are_among_the_variables(function: Any) -> None:
    arguments = (np.arange(3.0), 7, "mode", "os")[:function.__code__.co_argcount]
    arguments = arguments[:2] if function is named else arguments
    frames = [[*entries(caught(f, *arguments))][-1].tb_frame
              for f in (function, ag.function(function))]
    plain, own = ({name: x for name, x in frame.f_locals.items() if name not in ("x", "y", "self")}
                  for frame in frames)
    assert frames[0].f_code.co_name == frames[1].f_code.co_name
    assert {name: plain[name] for name in own} == own
    assert len(own) == CONSTANTS[function]


def levels(x, n):
    return x[70] if n == 0 else levels(x, n - 1) + 1


def test_of_a_deep_recursion_the_level_that_fails_is_shown() -> None:
    error = caught(ag.function(levels), np.arange(3.0), 200)
    assert [*entries(error)][-1].tb_frame.f_locals["n"] == 0


def test_a_function_of_many_variables_shows_those_of_the_line(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("def many(x, k, unread):\n" + "".join(
        f"    y{i} = x * {i}\n" for i in range(MOST_SHOWN)) + "    return y7[k]\n")
    many = runpy.run_path(str(program))["many"]
    frame = [*entries(caught(ag.function(many), np.arange(3.0), 7, 2.5))][-1].tb_frame
    assert frame.f_locals["k"] == 7
    assert "unread" not in frame.f_locals
    np.testing.assert_array_equal(frame.f_locals["y7"], np.arange(3.0) * 7)
