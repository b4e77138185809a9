"""Runs every row plainly, converted on the values as they are, and traced; all must agree."""


import pytest

import autograph as ag
from tests.corpus.language import builtin_functions
from tests.corpus.language import call_constructs as functions
from tests.corpus.language import conditional_constructs as conditionals
from tests.corpus.language import expression_constructs as expressions
from tests.corpus.language import growing_lists as lists
from tests.corpus.language import jump_constructs as jumps
from tests.corpus.language import loop_constructs as loops
from tests.corpus.row import Row

TABLES = [conditionals, loops, jumps, expressions, builtin_functions, lists, functions]
ROWS = [row for table in TABLES for row in table.ROWS]
MODES = {"converted": ag.convert, "traced": ag.function}

# What does not work yet when staged: why, and which constructs. One that works fails the test.
KNOWN_GAPS: dict[str, tuple[str, ...]] = {}
GAPS = {construct: reason for reason, rows in KNOWN_GAPS.items() for construct in rows}


def _parameters() -> list[object]:
    found = []
    for row in ROWS:
        for mode in MODES:
            name = f"{mode}: {row.construct}"
            reason = GAPS.get(row.construct) if mode == "traced" else None
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            found.append(pytest.param(mode, row, marks=marks, id=name))
    return found


@pytest.mark.parametrize(("mode", "row"), _parameters())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_row(mode: str, row: Row) -> None:
    for shown, expected, told in row.outcomes(MODES[mode](row.function)):
        assert shown == expected, told


def test_every_gap_names_a_row() -> None:
    names = {row.construct for row in ROWS}
    assert [gap for gap in GAPS if gap not in names] == []


def test_no_construct_has_two_rows() -> None:
    names = [row.construct for row in ROWS]
    assert sorted(set(names)) == sorted(names)
