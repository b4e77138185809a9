"""Functions that a branch or a loop makes, used after it: as plain Python does it, or refused."""

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.region_functions import PROGRAMS, source
from tests.random.system_programs import verdict
from tests.support.amount import sample

FOLLOWED = (
    ("default", "list", "slice", "each"), ("two values", "dict", "while", "twice"),
    ("variable", "list", "slice", "twice"), ("partial", "variable", "in loop", "each"),
    ("reader", "tuple", "slice", "twice"), ("chain", "variable", "slice", "last"),
    ("log", "list of s", "slice", "each"), ("default", "attribute", "branch", "each"),
    ("inner", "list", "break", "twice"), ("array", "list", "slice", "later"),
    ("method", "list", "slice", "twice"), ("older", "tuple", "slice", "each"))
"""Programs that a graph runs: none of them is left to plain Python."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", sample(PROGRAMS, 250, "region functions"), ids=" ".join)
def test_functions_of_regions(program: tuple[str, str, str, str], mode: str) -> None:
    found = verdict(source(*program), f"<functions {program}, {mode}>", mode)
    assert not found.startswith(("wrong", "no end", "invalid")), found


@pytest.mark.parametrize("program", FOLLOWED, ids=" ".join)
def test_a_graph_runs_them(program: tuple[str, str, str, str]) -> None:
    assert verdict(source(*program), f"<functions {program}>", "default") == "right"
