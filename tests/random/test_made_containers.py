"""Containers of the user's classes: their `__init__` runs when the program calls it, once."""

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.made_containers import PROGRAMS, source
from tests.random.state_verdict import verdict
from tests.support.amount import sample

PLAIN = ("tuple", "named", "str", "float", "frozenset", "date")
"""Of these, the run cannot make others with what only it knows."""

COMPARED = "read"
"""The use that compares two containers: plain Python does that where only the run knows one."""

WATCHED = "deque", "outside"
"""Of a deque of a user's class that is outside, no trace sees what changed."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", sample(PROGRAMS, 96, "made containers"))
def test_containers_are_those_of_python(program: tuple[str, str, str, str], mode: str) -> None:
    found = verdict(source(*program), f"<{program} {mode}>", mode)
    kind, _, use, home = program
    may_be_plain = kind in PLAIN or use == COMPARED or (kind, home) == WATCHED
    assert found == "right" or (may_be_plain and found.startswith("plain")), found
