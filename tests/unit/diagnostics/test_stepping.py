"""A debugger steps through the user's lines only, while a function is traced and when it is called
again; without the filter it shows all frames."""

from __future__ import annotations

import contextlib
import io
import pdb
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.house.checkout import ROOT

OURS = str(ROOT / "autograph")
STOPPED = re.compile(r"^> (.+)\((\d+)\)(\w+)\(\)", re.M)


def helper(v):
    w = v + 1
    return w * 2


def traced(x, n):
    total = x * 0
    for _ in range(n):
        total = total + helper(x)
    while total.sum() > 100:
        total = total / 2
    if total.sum() > 3:
        total = total - 1
        with contextlib.suppress(KeyError):
            total = total * 2
    rows = [v + 1 for v in total]
    return rows[0]


def stops_by_itself(x):
    if x.sum() > 0:
        breakpoint()
        x = x + 1
    return helper(x)


def session(f: Callable[..., Any], args: tuple[Any, ...], *commands: str) -> str:
    """Returns what `pdb` prints for commands, from the first line of a call on."""
    made = ag.function(f)
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("\n".join([*commands, "c", ""])), stdout=out,
                       nosigint=True, readrc=False)

    def calls() -> Any:
        first = made(*args)
        again = made(*args)
        return first, again

    debugger.runcall(calls)
    return out.getvalue()


def stops(text: str) -> list[tuple[str, str]]:
    return [(file, function) for file, _, function in STOPPED.findall(text)]


def test_step_goes_through_the_users_lines() -> None:
    text = session(traced, (np.arange(3.0), 2), *["s"] * 60)
    where = stops(text)
    assert __file__ in {file for file, _ in where}
    assert {"traced", "helper", "calls"} <= {function for _, function in where}
    assert not any(line.startswith(f"> {OURS}") for line in text.splitlines())


def test_next_stays_in_the_function_and_passes_what_it_calls_by() -> None:
    text = session(traced, (np.arange(3.0), 2), "s", "s", "s", *["n"] * 12)
    assert {function for _, function in stops(text)} <= {"traced", "calls"}
    assert {file for file, _ in stops(text)} == {__file__}
    assert "-> total = x * 0" in text and "-> again = made(*args)" in text


def test_the_stack_has_no_frames_of_ours() -> None:
    at_helper = ["tbreak " + f"{__file__}:{helper.__code__.co_firstlineno + 2}", "c"]
    text = session(traced, (np.arange(3.0), 2), *at_helper, "w", "u", "p total", "u", "u", "w")
    assert "-> total = total + helper(x)" in text and "-> return w * 2" in text
    assert OURS not in text and "Tensor(" in text


def test_a_breakpoint_in_the_function_steps_on(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    commands = io.StringIO("w\nn\ns\ns\ns\ns\ns\nc\n")
    monkeypatch.setattr("sys.breakpointhook", lambda: pdb.Pdb(
        stdin=commands, stdout=out, nosigint=True, readrc=False).set_trace(
            sys._getframe(1)))
    ag.function(stops_by_itself)(np.ones(2))
    assert {"stops_by_itself", "helper"} <= {function for _, function in stops(out.getvalue())}
    assert OURS not in out.getvalue()


@pytest.fixture
def all_frames() -> Iterator[None]:
    ag.debugging.disable_traceback_filtering()
    yield
    ag.debugging.enable_traceback_filtering()


@pytest.mark.usefixtures("all_frames")
def test_without_the_filter_all_frames_are_stepped_into() -> None:
    text = session(traced, (np.arange(3.0), 2), *["s"] * 30)
    assert any(file.startswith(OURS) for file, _ in stops(text))
