"""Classes of libraries that are written in C: to open the library opens no code of theirs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import mypy.util
import pytest

PROGRAM = """
import warnings
import numpy as np
import autograph as ag
from mypy.util import IdMapper  # machine code, made by mypyc

{opened}
warnings.simplefilter("error", ag.FallbackWarning)

def made(numbers, x):
    own = IdMapper()
    own.id("a")
    if x > 1:
        own.id("b")
    return own.id("c")

def given(numbers, x):
    if x > 1:
        numbers.id("b")
    return numbers.id(float(x)), numbers.id("a")

for f in (made, given):
    found = []
    for decorate in (lambda f: f, ag.function):
        g, numbers = decorate(f), IdMapper()
        results = [g(numbers, np.float64(x)) for x in (0, 2, 3, 0)]
        found.append((results, numbers.id("b"), numbers.id(object())))
    assert found[0] == found[1], found
print("equal")
"""


@pytest.mark.skipif(not mypy.util.__file__.endswith((".so", ".pyd")),
                    reason="mypy is not compiled here")
@pytest.mark.parametrize("opened", ["", "ag.trace_into('mypy')"])
def test_an_opened_library_keeps_its_classes_in_c(opened: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(opened=opened))
    ran = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert ran.stdout == "equal\n", ran.stderr
