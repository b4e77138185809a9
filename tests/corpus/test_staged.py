"""Every program gives the same plainly, converted, and traced on both executors."""

import pytest

import autograph as ag
from tests.corpus.language import algorithms, combinations, everyday, generators, matching, ordinary
from tests.corpus.language import symbolic_builtins as functions
from tests.corpus.language import symbolic_classes as classes
from tests.corpus.language import symbolic_exceptions as exceptions
from tests.corpus.language import symbolic_expressions as expressions
from tests.corpus.language import symbolic_jumps as jumps
from tests.corpus.library import iterators, standard_library
from tests.corpus.library import tools as library
from tests.corpus.numpy import dtypes, lists_for_numpy
from tests.corpus.row import Row
from tests.corpus.state import attributes, laziness, objects, places
from tests.corpus.state import changes as state

TABLES = [jumps, exceptions, expressions, places, matching, classes, functions, generators,
          iterators, combinations, state, laziness,
          attributes, dtypes, objects, library, standard_library, lists_for_numpy, everyday,
          ordinary, algorithms]
MODES = {
    "converted": ag.convert,
    "traced": ag.function,
    "interpreted": lambda f: ag.function(f, executor="interpreter"),
}

# What does not work yet when staged: why, and which constructs. One that works fails the test.
KNOWN_GAPS: dict[str, tuple[str, ...]] = {
    "a list that was not made here gets another length": (
        "return through everything",),
    "a jump out of a `finally` stays a Python statement": ("return in finally",),
    "how many arguments a function of the user's gets is known only when the graph runs": (
        "star arguments",),
    "what is chosen by a branch is taken apart by a match": ("objects chosen",),
    "an array of unknown length is gone through in steps, in a loop": (
        "StopIteration",),
}
GAPS = {construct: reason for reason, rows in KNOWN_GAPS.items() for construct in rows}


def _parameters() -> list[object]:
    found = []
    for table in TABLES:
        for row in table.ROWS:
            name = f"{table.__name__.rpartition('.')[2]}: {row.construct}"
            for mode in MODES:
                gap = GAPS.get(row.construct) if mode != "converted" else None
                marks = [pytest.mark.xfail(reason=gap, strict=True)] if gap else []
                found.append(pytest.param(mode, row, marks=marks, id=f"{mode}: {name}"))
    return found


@pytest.mark.parametrize(("mode", "row"), _parameters())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_same_as_plain(mode: str, row: Row) -> None:
    for shown, expected, told in row.outcomes(MODES[mode](row.function)):
        assert shown == expected, told


def test_every_gap_names_a_row() -> None:
    names = [row.construct for table in TABLES for row in table.ROWS]
    assert [gap for gap in GAPS if gap not in names] == []
