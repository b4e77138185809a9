"""Containers of the user's classes that the function makes: their `__init__` runs once."""

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.made_containers import PROGRAMS, source
from tests.random.state_verdict import verdict
from tests.support.amount import sample

PLAIN = ("tuple", "named", "str", "float", "frozenset")
"""Of these, the run cannot make others with what only it knows."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", sample(PROGRAMS, 48, "made containers"))
def test_containers_are_those_of_python(program: tuple[str, str, str], mode: str) -> None:
    kind, method, use = program
    found = verdict(source(kind, method, use), f"<{kind} {method} {use} {mode}>", mode)
    assert found == "right" or (kind in PLAIN and found.startswith("plain")), found
