"""Lists that random programs change by every method: as plain Python does it, in the lists."""

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.growing_programs import program
from tests.random.state_verdict import verdict
from tests.support.amount import sample


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", sample(range(1000, 1200), 12, "growing programs"))
def test_lists_are_those_of_python(seed: int, mode: str) -> None:
    found = verdict(program(seed), f"<growing {seed} {mode}>", mode)
    assert found == "right" or found.startswith("invalid: TooSlow"), found
