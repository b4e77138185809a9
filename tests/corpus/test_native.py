"""Runs cases of the corpus with loops as machine code, however short; all must agree.

A part of them runs each time, and all of them with

    AUTOGRAPH_TESTS=1000 python -m pytest -n 2 tests/corpus/test_native.py
"""


import pytest

import autograph as ag
from tests.corpus.case import Case
from tests.corpus.cases import CASES, OTHER_WARNINGS, parameters
from tests.support.amount import one_of
from tests.support.native import compile_short_loops
from tests.support.outcome import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


@pytest.fixture(autouse=True)
def short_loops_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch, unroll=True)


EVERY = one_of(8)


@pytest.mark.parametrize(("mode", "case"), parameters(CASES[::EVERY], "traced"))
def test_case(mode: str, case: Case) -> None:
    function = ag.function(case.function, jit_compile=True)
    calls = [run(function, arguments) for arguments in case.arguments * 2]
    told = case.name not in OTHER_WARNINGS
    for arguments, call in zip(case.arguments * 2, calls, strict=True):
        assert call.describe(told) == run(case.function, arguments).describe(told), call.told
