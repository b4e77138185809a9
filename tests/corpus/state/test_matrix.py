"""Effects x homes x constructs: no program is wrong in silence; few are refused, or run as plain
Python.

A sample runs by default; all, some 18,000 programs, with

    AUTOGRAPH_TESTS=1000 python -m pytest -n 2 tests/corpus/state/test_matrix.py
"""

import hashlib

import pytest

from tests.corpus.state.matrix import ALWAYS, names
from tests.corpus.state.verdict import verdict
from tests.support.amount import ALL

OUTSIDE = frozenset({"global", "closure", "class", "attribute"})
OF_OBJECTS = frozenset({"attribute", "list of an object"})
"""What an object of a class is given by constants counts as outside, as in TensorFlow's guides."""

Program = tuple[str, str, str]


def share(program: Program) -> int:
    """A number from 0 to 99 that depends on the program's names alone."""
    return hashlib.sha256("/".join(program).encode()).digest()[0] * 100 // 256


def follows(program: Program, effects: str) -> bool:
    """Returns True if Python's state has to be the plain function's."""
    effect, home, construct = program
    outside = home in OUTSIDE or effect in OF_OBJECTS
    return effects == "runtime" or not outside or construct not in ALWAYS


PROGRAMS = {effects: [p for p in names() if follows(p, effects)]
            for effects in ("trace", "runtime")}
CASES = [(p, effects) for effects, programs in PROGRAMS.items() for p in programs]


def check(program: Program, effects: str) -> None:
    found = verdict(*program, effects=effects)
    assert found.startswith(("right", "plain", "refused")), found


@pytest.mark.parametrize(("program", "effects"), [c for c in CASES if share(c[0]) < 2], ids=str)
def test_a_sample(program: Program, effects: str) -> None:
    check(program, effects)


@pytest.mark.slow
@pytest.mark.skipif(not ALL, reason="the whole matrix takes minutes")
@pytest.mark.parametrize("number", range(2, 100))
def test_all(number: int) -> None:
    wrong = []
    for program, effects in CASES:
        if share(program) == number:
            found = verdict(*program, effects=effects)
            if not found.startswith(("right", "plain", "refused")):
                wrong.append((program, effects, found))
    assert wrong == []


def test_few_programs_are_refused() -> None:
    sample = [p for p in PROGRAMS["trace"] if share(p) in (3, 4)]
    others = [p for p in sample if verdict(*p) != "right"]
    assert len(others) <= len(sample) // 50

