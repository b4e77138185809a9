"""Runs every program of the corpus plainly and in each converted form; all must agree."""

import numpy as np
import pytest

import autograph as ag
from tests.corpus.case import Case
from tests.corpus.themes import THEMES
from tests.support.outcome import Call, run

MODES = {
    "converted": ag.convert,
    "traced": ag.function,
    "interpreted": lambda f: ag.function(f, executor="interpreter"),
}

# What does not work yet: why, in which modes, which programs. A program that works fails the test.
KNOWN_GAPS: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
GAPS = {f"{mode}: {name}": reason
        for reason, modes, names in KNOWN_GAPS for mode in modes for name in names}

CASES: list[Case] = [case for theme in THEMES for case in getattr(theme, "CASES", [])]


def parameters(*modes: str) -> list[object]:
    """Every case in every mode; the known gaps marked."""
    found = []
    for case in CASES:
        for name in (f"{mode}: {case.name}" for mode in modes):
            reason = GAPS.get(name)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            found.append(pytest.param(name.partition(":")[0], case, marks=marks, id=name))
    return found


@pytest.mark.parametrize(("mode", "case"), parameters(*MODES))
def test_program(mode: str, case: Case) -> None:
    """Two rounds: the first makes the traces, the second uses them."""
    function = MODES[mode](case.function)
    # Results are looked at when all calls are done: none may live in memory that is used again.
    calls = [run(function, arguments) for arguments in case.arguments * 2]
    for arguments, call in zip(case.arguments * 2, calls, strict=True):
        assert call.describe() == run(case.function, arguments).describe(), told(call)


def told(call: Call) -> str:
    """The message of the exception, if there was one."""
    return f"{type(call.error).__name__}: {call.error}" if call.error else ""


@pytest.mark.parametrize(("mode", "case"), parameters("second round"))
def test_second_round_makes_no_trace(mode: str, case: Case) -> None:
    function = ag.function(case.function)
    made = [run_all(function, case) for _ in range(2)]
    assert made[1] == made[0]


def run_all(function: object, case: Case) -> int:
    """Call with all arguments; how many traces there are afterwards."""
    for arguments in case.arguments:
        run(function, arguments)
    return function.experimental_get_tracing_count()


def test_every_gap_names_a_program() -> None:
    modes = [*MODES, "second round"]
    names = {f"{mode}: {case.name}" for mode in modes for case in CASES}
    assert [gap for gap in GAPS if gap not in names] == []


def test_the_corpus_is_large_and_has_no_duplicates() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names) >= 440
    assert all(case.arguments for case in CASES)


def test_programs_are_called_again_with_other_values() -> None:
    """Most have two argument sets of one signature, which share a trace."""
    assert sum(len(set(map(kinds, case.arguments))) < len(case.arguments) for case in CASES) >= 400


def kinds(x: object) -> object:
    """Types and nesting; of arrays dtype and shape."""
    if isinstance(x, np.ndarray):
        return x.dtype.str, x.shape
    if isinstance(x, list | tuple):
        return type(x), tuple(map(kinds, x))
    return tuple((k, kinds(v)) for k, v in x.items()) if isinstance(x, dict) else type(x)
