"""Random programs over small systems, and over every kind of value in every place: as plain Python
does it, or refused; none is wrong in silence.

A sample runs by default; thousands, in blocks of fifty, with

    AUTOGRAPH_TESTS=100 python -m pytest -n 2 tests/random/test_system_programs.py
"""

import re
from random import Random

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.kind_programs import KindProgram
from tests.random.more_system_stages import MORE_STAGES
from tests.random.shrink import shrunk
from tests.random.system_programs import SystemProgram, verdict
from tests.random.system_stages import STAGES
from tests.random.value_kinds import KINDS, PLACES
from tests.support.amount import TIMES, count

SAMPLE = 10
CLASSES = (SystemProgram, KindProgram)
CLASS = 1_000_000
"""The programs of each class begin at a multiple of this seed."""
COUNT = count(50) if TIMES > 1 else 0
BLOCK = 50


def program(mode: str, seed: int) -> str:
    return CLASSES[seed // CLASS](Random(seed), free=mode == "runtime").source()


def check(mode: str, seed: int) -> None:
    """Fails, with a smaller program, where one is wrong or does not end."""
    text = program(mode, seed)
    found = verdict(text, f"<system program {seed}, {mode}>", mode)
    if found.startswith(("wrong", "no end")):
        pytest.fail(f"{smaller(text, found, mode)}\n\n{found}")


def smaller(text: str, found: str, mode: str) -> str:
    """A program that goes wrong as this one does, from which little can be left out."""
    left = iter(range(200))
    head, _, body = text.partition("def f(")

    def shows(part: str) -> bool:
        return next(left, None) is not None and verdict(
            head + part, f"<smaller {hash(part)}>", mode)[:5] == found[:5]

    return shrunk(f"def f({body}", shows)


@pytest.mark.parametrize("seed", [k * CLASS + n for k in range(len(CLASSES))
                                  for n in range(SAMPLE)])
@pytest.mark.parametrize("mode", MODES)
def test_a_sample(mode: str, seed: int) -> None:
    check(mode, seed)


@pytest.mark.slow
@pytest.mark.skipif(not COUNT, reason="thousands of programs take hours")
@pytest.mark.parametrize("block", range(max(COUNT // BLOCK, 1)))
@pytest.mark.parametrize("mode", MODES)
def test_many(mode: str, block: int) -> None:
    first = block * BLOCK + CLASS * (block % len(CLASSES))
    for seed in range(first, first + BLOCK):
        check(mode, seed)


def test_programs_use_all_stages_and_kinds() -> None:
    systems = [program("runtime", seed).partition("def f(")[2] for seed in range(600)]
    for stage in (*STAGES, *MORE_STAGES):
        parts = [p for line in stage.split("\n") for p in (line.strip(),) if p and not any(
            word in p for word in ("NEW", "NUM", "INT", "TEST", "LIST", "ARR", "WRLD"))]
        assert not parts or any(parts[0] in text for text in systems), stage
    kinds = [program("runtime", CLASS + seed).partition("def f(")[2] for seed in range(1500)]
    for name, (_, value) in KINDS.items():
        assert any(value in text for text in kinds), name
    for place in PLACES:
        part = max(re.split("NEW|VALUE|\n", place), key=len).strip()
        assert any(part in text for text in kinds), place
