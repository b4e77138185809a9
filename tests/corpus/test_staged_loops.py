"""Runs cases of the corpus with every loop as one equation, however short; all must agree.

A part of them runs each time, and all of them with

    AUTOGRAPH_TESTS=1000 python -m pytest -n 2 tests/corpus/test_staged_loops.py
"""


import pytest

import autograph as ag
from autograph.staging import iterator_builtins, loops
from tests.corpus.case import Case
from tests.corpus.cases import CASES, OTHER_WARNINGS, parameters
from tests.support.amount import one_of
from tests.support.outcome import run

EVERY = one_of(8)
SAMPLE = CASES[::EVERY] + [case for case in CASES[:0 if EVERY == 1 else None]
                            if case.name == "symbolic_classes.objects changed in loops"]


@pytest.fixture(autouse=True)
def no_loop_is_unrolled(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (loops, iterator_builtins):
        monkeypatch.setattr(module, "UNROLL", 0)


@pytest.mark.parametrize(("mode", "case"), parameters(SAMPLE, "traced"))
def test_case(mode: str, case: Case) -> None:
    function = ag.function(case.function)
    calls = [run(function, arguments) for arguments in case.arguments * 2]
    told = case.name not in OTHER_WARNINGS
    for arguments, call in zip(case.arguments * 2, calls, strict=True):
        assert call.describe(told) == run(case.function, arguments).describe(told), call.told
