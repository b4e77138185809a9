"""Programs of the corpus are saved, and run in another process without their source.

    AUTOGRAPH_TESTS=1000 python -m pytest tests/unit/serialize/test_survival.py

takes all of them, not a sample; `python -m tests.support.survival` tells each program's fate.
"""

from pathlib import Path

from tests.corpus.cases import CASES, GAPS, OTHER_WARNINGS, ROWS
from tests.support.amount import one_of
from tests.support.survival import REFUSED, SURVIVED, WRONG, fates

EVERY = one_of(40)
TRIED = [case for case in (*CASES, *ROWS)[::EVERY] if f"traced: {case.name}" not in GAPS]


def test_saved_programs_do_the_same_elsewhere(tmp_path: Path) -> None:
    found = list(fates(TRIED, list(OTHER_WARNINGS), tmp_path))
    assert [f for f in found if f.kind == WRONG] == []
    assert all(f.why for f in found if f.kind == REFUSED)
    assert sum(f.kind == SURVIVED for f in found) > 0.85 * len(TRIED)
