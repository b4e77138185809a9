"""Loops that change what they iterate over do what plain Python's do."""

import pytest

from tests.corpus.state.live_iteration import programs
from tests.corpus.state.small_programs import MODES, Small, verdict
from tests.support.amount import sample

CALLS = [(program, mode) for program in programs() for mode in MODES
         if mode == "runtime" or program.remark != "while tracing"]


def check(program: Small, mode: str) -> None:
    assert verdict(program, **MODES[mode]) == "right"


@pytest.mark.parametrize(("program", "mode"), CALLS[::11], ids=str)
def test_a_sample(program: Small, mode: str) -> None:
    check(program, mode)


@pytest.mark.slow
@pytest.mark.parametrize("number", sample(range(11), 4))
def test_all(number: int) -> None:
    for program, mode in CALLS[number::11]:
        check(program, mode)
