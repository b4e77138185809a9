"""Containers of the user's that count and log: as plain Python does it."""

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.own_containers import PROGRAMS, source
from tests.random.state_verdict import verdict
from tests.support.amount import sample

OTHERS = "class_n"
"""The class whose method sets an attribute of the class: it runs as plain Python."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", sample(PROGRAMS, 24, "own containers"))
def test_containers_are_those_of_python(program: tuple[str, str], mode: str) -> None:
    kind, use = program
    found = verdict(source(kind, use), f"<{kind} {use} {mode}>", mode)
    if (kind, use) == ("list", "set"):  # `list.__setitem__` takes no symbolic index
        assert found.startswith("refused"), found
    else:
        assert found == "right" or (kind == OTHERS and found.startswith("plain")), found
