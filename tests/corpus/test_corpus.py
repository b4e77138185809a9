"""Runs every case of the corpus plainly and in each converted form; all must agree.

The rows of NumPy's tables are all traced; a part of them runs in the other forms each time, and
all of them with

    AUTOGRAPH_ROWS=1 python -m pytest -n 2 tests/corpus/test_corpus.py
"""

import os

import numpy as np
import pytest

import autograph as ag
from tests.corpus.case import Case
from tests.corpus.cases import CASES, GAPS, OTHER_WARNINGS, ROWS, parameters
from tests.support.outcome import run

MODES = {
    "converted": ag.convert,
    "traced": ag.function,
    "interpreted": lambda f: ag.function(f, executor="interpreter"),
}

EVERY = 1 if os.environ.get("AUTOGRAPH_ROWS") else 8
"""One row of so many runs in the forms that are not traced by the default executor."""

ALL = [*parameters(CASES, *MODES), *parameters(ROWS, "traced"),
       *parameters(ROWS[::EVERY], "converted", "interpreted")]


@pytest.mark.parametrize(("mode", "case"), ALL)
def test_case(mode: str, case: Case) -> None:
    """Two rounds: the first makes the traces, the second uses them."""
    function = MODES[mode](case.function)
    # Results are looked at when all calls are done: none may live in memory that is used again.
    calls = [run(function, arguments) for arguments in case.arguments]
    traces = traces_of(function)
    calls += [run(function, arguments) for arguments in case.arguments]
    told = case.name not in OTHER_WARNINGS
    for arguments, call in zip(case.arguments * 2, calls, strict=True):
        assert call.describe(told) == run(case.function, arguments).describe(told), call.told
    assert traces_of(function) == traces
    assert case.traces is None or traces <= case.traces


def traces_of(function: object) -> int:
    """How many traces a function has."""
    count = getattr(function, "experimental_get_tracing_count", None)
    return 0 if count is None else count()


def test_every_gap_names_a_case() -> None:
    modes = [*MODES, "other values"]
    names = {f"{mode}: {case.name}" for mode in modes for case in (*CASES, *ROWS)}
    assert [gap for gap in GAPS if gap not in names] == []


def test_the_corpus_is_large_and_has_no_duplicates() -> None:
    names = [case.name for case in (*CASES, *ROWS)]
    assert sorted(names) == sorted(set(names))
    assert len(CASES) >= 1300 and len(ROWS) >= 2000
    assert all(case.arguments for case in CASES)


def test_programs_are_called_again_with_other_values() -> None:
    """Most have two argument sets of one signature, which share a trace."""
    assert sum(len(set(map(kinds, case.arguments))) < len(case.arguments) for case in CASES) >= 1000


def kinds(x: object) -> object:
    """Types and nesting; of arrays dtype and shape."""
    if isinstance(x, np.ndarray):
        return x.dtype.str, x.shape
    if isinstance(x, list | tuple):
        return type(x), tuple(map(kinds, x))
    return tuple((k, kinds(v)) for k, v in x.items()) if isinstance(x, dict) else type(x)
