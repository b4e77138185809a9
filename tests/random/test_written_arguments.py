"""Arguments that are written in one place and whose names are bound again in another.

What the caller's arrays hold afterwards is decided by which array object was written, never by the
name that it had. Each program is a way of writing, a way of binding the name again, a place for
both, and a line after them; traced calls must leave what plain Python leaves, and return what
shares as much memory. A sample runs by default; all, some 13,000 programs, with

    AUTOGRAPH_TESTS=1000 python -m pytest -n 2 tests/random/test_written_arguments.py
"""

from itertools import product
from random import Random
from textwrap import indent

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.random.test_numeric_programs import load
from tests.support.amount import one_of
from tests.support.outcome import seen

EVERY = one_of(300)

WRITES = ("y[0] = 5.0", "y[1:3] = x[1:3]", "y += 0.5", "np.clip(y, 0.1, 0.9, y)",
          "np.add(y, x, out=y)", "y.sort()", "y[::-1][0] = 3.0", "np.copyto(y, x)", "y.fill(0.25)",
          "w = y; w *= 2.0", "y[y > 0.5] = 0.0")

BINDS = ("y = x[::-1]", "y = x * 2.0", "y = y.copy()", "y = y[::-1]", "x, y = y, x", "y = x",
         "y = np.where(y > 0.5, x, y)", "y = 0.01 * x - y", "y = z", "w = y; y = x - w")

PLACES = {
    "one side, the other": "if c:\n  {write}\nelse:\n  {bind}",
    "the other, one side": "if c:\n  {bind}\nelse:\n  {write}",
    "one side, later": "if c:\n  {write}\n{bind}",
    "later, one side": "if c:\n  {bind}\n{write}",
    "sides of an inner branch": "if c:\n  if d:\n    {bind}\n  else:\n    {write}",
    "one side of two": "if c:\n  {write}\nif d:\n  {bind}",
    "one after the other": "for i in range(n):\n  {write}\n  {bind}",
    "in turn": "for i in range(n):\n  if i % 2 == 0:\n    {bind}\n  else:\n    {write}",
    "one side in a loop": "for i in range(n):\n  if y[1] > 0.5:\n    {write}\n  {bind}",
    "sides in a loop": "for i in range(3):\n  if y[0] > 0.5:\n    {write}\n  else:\n    {bind}",
    "a while loop": "i = 0\nwhile y[1] < 2.0 and i < n:\n  i += 1\n  {write}\n  {bind}",
    "before a break": "for i in range(n):\n  {write}\n  if c:\n    {bind}\n    break",
    "after a loop": "for i in range(n):\n  {write}\n{bind}",
    "before a loop": "if c:\n  {bind}\nfor i in range(n):\n  {write}",
    "a loop in a branch": "if c:\n  for i in range(n):\n    {write}\n    {bind}",
    "before a return": "if c:\n  {write}\n  return y\n{bind}",
    "an inner function": "def g(y, x):\n  if c:\n    {bind}\n  {write}\n  return y\ny = g(y, x)",
}

AFTER = ("pass", "y[1] = 7.0", "y = x + 1.0", "y = y * 0.5\ny[2] = 1.0")

SIZES = (4, 300)
"""Large arrays are computed in memory that there is."""


def source(place: str, write: str, bind: str, after: str) -> str:
    lines = ["z = x * 2.0", "c = x[0] > 0.5", "d = y[0] > 0.5"]
    text = "\n".join([*lines, PLACES[place].format(write=write, bind=bind), after, "return y"])
    return f"import numpy as np\ndef f(x, y, n):\n{indent(text, '    ')}\n"


PROGRAMS = list(product(PLACES, WRITES, BINDS, AFTER, SIZES))
Random(0).shuffle(PROGRAMS)


def calls(size: int):
    for first, second, n in ((0.9, 0.1, 3), (0.1, 0.9, 2), (0.9, 0.9, 0), (0.1, 0.1, 12)):
        x, y = np.random.default_rng(n).random((2, size))
        x[0] = y[1] = first
        y[0] = x[1] = second
        yield x, y, np.int64(n)


def check(program: tuple[str, str, str, str, int], mode: str) -> str:
    """An empty text, or what differs: none of these programs is refused."""
    text = source(*program[:4])
    plain = load(text, f"<written {hash(program)}>")
    traced = ag.function(plain, jit_compile=False, **MODES[mode])
    for given, same in zip(calls(program[4]), calls(program[4]), strict=True):
        found, expected = seen(traced, given), seen(plain, same)
        if found.describe() != expected.describe():
            return f"{program}, {mode}\n{text}\n{found.told}"
    return ""


@pytest.mark.parametrize("block", range(len(PROGRAMS) // EVERY // 50 + 1))
@pytest.mark.parametrize("mode", MODES)
def test_a_sample(mode: str, block: int) -> None:
    programs = PROGRAMS[::EVERY][block * 50: (block + 1) * 50]
    assert [text for program in programs if (text := check(program, mode))] == []


FOUND = [
    ("sides of an inner branch", "np.clip(y, 0.1, 0.9, y)", "y = x[::-1]", "pass", 300),
    ("sides of an inner branch", "y.sort()", "y = y.copy()", "pass", 4),
    ("one after the other", "y += 0.5", "y = 0.01 * x - y", "pass", 300),
    ("a while loop", "np.add(y, x, out=y)", "w = y; y = x - w", "y[1] = 7.0", 300),
]
"""Programs that random ones showed to be wrong."""


@pytest.mark.parametrize("program", FOUND, ids=str)
@pytest.mark.parametrize("mode", MODES)
def test_those_that_were_wrong(mode: str, program: tuple[str, str, str, str, int]) -> None:
    assert check(program, mode) == ""
