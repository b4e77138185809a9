"""Derivatives of the corpus along random directions: both modes agree with differences, or refuse.

A sample of the programs runs by default; AUTOGRAPH_TESTS=1000 runs all of them.
"""

from zlib import crc32

import numpy as np
import pytest

from tests.corpus.case import Case
from tests.corpus.cases import CASES, ROWS
from tests.support.alarm import Endless, alarm
from tests.support.amount import ALL
from tests.support.slopes import Trial, moved_off

ONE_OF = 40
PATIENCE = 20.0

READ_ONE_TRIANGLE = ("cholesky", "eigh", "eigvalsh", "hermitian", "UPLO")
"""Functions of symmetric matrices: NumPy reads one triangle, the gradient is a symmetric matrix."""

# What is not right yet: why, which cases. A case that is right fails the test.
KNOWN_GAPS: dict[str, str] = {
    "fft_and_linalg.np.linalg.eigh(zz)": "the phase of complex eigenvectors is the solver's choice",
}


def chosen(cases: list[Case]) -> list[object]:
    """The cases of this run; the known gaps marked."""
    found = []
    for case in cases:
        if ALL or case.name in KNOWN_GAPS or not crc32(case.name.encode()) % ONE_OF:
            marks = [pytest.mark.xfail(reason=KNOWN_GAPS[case.name], strict=True)] if (
                case.name in KNOWN_GAPS) else []
            found.append(pytest.param(case, marks=marks, id=case.name))
    return found


@pytest.mark.parametrize("case", chosen([*CASES, *ROWS]))
def test_slopes(case: Case) -> None:
    symmetric = any(word in case.name for word in READ_ONE_TRIANGLE)
    for k, arguments in enumerate(case.arguments[:2]):
        rng = np.random.default_rng(crc32(case.name.encode()) + k)
        try:
            with alarm(PATIENCE):
                moved = moved_off(arguments, rng, symmetric)
                verdict = Trial(case.function, moved, k, symmetric).verdict()
        except Endless:
            pytest.skip("the program runs for ever on these values")
        assert verdict.outcome in ("agree", "refused", "no slope"), verdict.told
