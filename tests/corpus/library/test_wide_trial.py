"""Public functions of the scientific packages that are installed, called from traced functions.

    AUTOGRAPH_TESTS=100 python -m pytest -s tests/corpus/library/test_wide_trial.py

A table of all packages, with the reason of every refusal: `python -m tests.support.wide_trial`.
"""

import importlib.util

import pytest

from tests.corpus.state.small_programs import MODES
from tests.support.amount import count
from tests.support.wide_trial import PACKAGES, table

MOST = count(12)


@pytest.mark.slow
@pytest.mark.skipif(not any(map(importlib.util.find_spec, PACKAGES)),
                    reason="none of the packages is installed")
@pytest.mark.parametrize("mode", MODES)
def test_no_function_is_wrong(mode: str) -> None:
    rows = table(list(PACKAGES), MOST, 600, mode)
    total = {kind: sum(row[kind] for row in rows.values()) for kind in ("same", "wrong", "late")}
    assert total["same"] > 0 and total["wrong"] == total["late"] == 0, total
