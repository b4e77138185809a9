"""Which tuple is which: two places hold one object where they do in plain Python."""

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.immutable_programs import PROGRAMS, source, verdict
from tests.support.amount import sample


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", sample(PROGRAMS, 40, "tuples"))
def test_tuples_are_those_of_python(program: tuple[str, str, str], mode: str) -> None:
    found = verdict(source(*program), f"<tuples {program}, {mode}>", mode)
    assert not found.startswith("wrong"), found
