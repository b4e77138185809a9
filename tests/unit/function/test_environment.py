"""Environment variables set their switches at the start, whether or not `ag.config` is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.checkout import ROOT

PROGRAM = """
import sys
import numpy as np
import autograph as ag

@ag.do_not_convert
def callers():
    frame, found = sys._getframe(1), set()
    while frame is not None:
        found.add(frame.f_globals["__name__"].partition(".")[0])
        frame = frame.f_back
    return sorted(found)

@ag.function
def f(x, n):
    unused = x[n]
    if x.sum() > 0:
        print("ran", repr(x)[:6])
    return x * 2

@ag.convert
def g(x):
    if x > 0:
        return callers()

steps = []
def watch(frame, event, argument):
    steps.append("__graph__" in frame.f_locals)
    return watch

if "raise" in sys.argv:
    f(np.ones(3), np.int64(9))
elif "steps" in sys.argv:
    sys.settrace(watch)
    f(np.ones(3), np.int64(0))
    sys.settrace(None)
    print("in the graph", any(steps))
elif "plain" in sys.argv:
    print(g(1))
else:
    for _ in range(2):
        f(np.ones(3), np.int64(0))
"""


@pytest.mark.parametrize(("setting", "argument", "expected"), [
    ("", "steps", "in the graph False"), ("AUTOGRAPH_DEBUG=1", "steps", "in the graph True"),
    ("AUTOGRAPH_DEBUG=0", "steps", "in the graph False"),
    ("", "plain", "['__main__']"), ("AUTOGRAPH_PLAIN=0", "plain", "'autograph'"),
    ("", "", "ran Tensor"), ("AUTOGRAPH_EAGER=1", "", "ran array(\nran array("),
    ("", "raise", "ran Tensor"), ("AUTOGRAPH_STRICT=1", "raise", "IndexError"),
    ("AUTOGRAPH_VERBOSITY=1", "", "traced f("),
    ("AUTOGRAPH_TRACEBACK_FILTERING=0 AUTOGRAPH_STRICT=1", "raise", "dispatcher.py")])
def test_a_variable_sets_its_switch(setting: str, argument: str, expected: str, tmp_path: Path
                                    ) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("AUTOGRAPH_")}
    done = subprocess.run(
        [sys.executable, str(program), argument], capture_output=True, text=True, check=False,
        env={**kept, "PYTHONPATH": str(ROOT), **dict(s.split("=") for s in setting.split())})
    assert expected in done.stdout + done.stderr
