"""Every NumPy function that programs use has a row in the tables, and most a record of an op."""

import re

from benchmarks.numpy_coverage import KINDS, kind_of, used
from tests.corpus.cases import ROWS

TEXTS = "\n".join(case.title for case in ROWS)


def test_every_used_function_has_a_row() -> None:
    missing = [name for name, _ in used() if not re.search(rf"\bnp\.{re.escape(name)}\b", TEXTS)]
    assert missing == []


def test_most_are_in_the_table() -> None:
    found = list(used())
    known = sum(files for name, files in found if kind_of(name) != KINDS[2])
    assert known > 0.95 * sum(files for _, files in found)
    assert [name for name, files in found if files > 100 and kind_of(name) == KINDS[2]] == [
        "issubdtype"]
