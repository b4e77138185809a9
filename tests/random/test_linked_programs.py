"""Random programs on linked structures, caches, listeners, descriptors and views: as plain Python
does it, or refused; none is wrong in silence."""

from random import Random

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.linked_programs import LinkedProgram
from tests.random.system_programs import verdict
from tests.support.amount import seeds


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", seeds(8))
def test_programs_on_linked_structures(seed: int, mode: str) -> None:
    text = LinkedProgram(Random(seed), free=mode == "runtime").source()
    found = verdict(text, f"<linked program {seed}, {mode}>", mode)
    assert not found.startswith(("wrong", "no end")), found
