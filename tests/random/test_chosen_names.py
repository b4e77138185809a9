"""Attributes whose names only the run knows: as plain Python does it, or refused."""

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.chosen_names import PROGRAMS, source
from tests.random.state_verdict import verdict
from tests.support.amount import sample


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", sample(PROGRAMS, 60, "names of attributes"))
def test_as_plain_python(program: tuple[str, int, str, str], mode: str) -> None:
    found = verdict(source(*program), f"<{program} {mode}>", mode)
    assert not found.startswith(("wrong", "no end")), found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("cls", ["Plain", "Property", "Lacking", "Set"])
def test_a_few_attributes_are_asked_one_by_one(cls: str, mode: str) -> None:
    """A property may raise AttributeError: then the object lacks it."""
    assert verdict(source(cls, 2, "has", "argument"), f"<{cls} {mode}>", mode) == "right"
