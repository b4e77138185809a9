"""Classes of libraries that are written in C: to open the library opens no code of theirs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
import autograph as ag
from librt.strings import BytesWriter

{opened}

def made(x):
    w = BytesWriter()
    w.append(int(x))
    if x > 1:
        w.append(2)
    return w.getvalue(), len(w)

def given(w, x):
    w.append(int(x))
    return len(w)

for f in (made, given):
    found = []
    for decorate in (lambda f: f, ag.function):
        g, w = decorate(f), BytesWriter()
        arguments = (w,) if f is given else ()
        results = [g(*arguments, np.float64(x)) for x in (0, 2, 3, 0)]
        found.append((results, w.getvalue()))
    assert found[0] == found[1], found
print("equal")
"""


@pytest.mark.parametrize("opened", ["", "ag.trace_into('librt')"])
def test_an_opened_library_keeps_its_classes_in_c(opened: str, tmp_path: Path) -> None:
    pytest.importorskip("librt.strings", reason="mypy brings no such library here")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(opened=opened))
    ran = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert ran.stdout == "equal\n", ran.stderr
