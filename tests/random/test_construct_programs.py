"""Random programs of constructs that few programs have: as plain Python does it, or refused."""

from random import Random

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.construct_programs import ConstructProgram
from tests.random.system_programs import verdict
from tests.support.amount import seeds


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", seeds(8))
def test_programs_of_constructs(seed: int, mode: str) -> None:
    text = ConstructProgram(Random(seed), free=mode == "runtime").source()
    found = verdict(text, f"<construct program {seed}, {mode}>", mode)
    assert not found.startswith(("wrong", "no end")), found
