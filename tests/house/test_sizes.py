"""Files and functions stay small enough to be read in one go."""

import pytest

from autograph.tools import sizes
from tests.house.checkout import ROOT

LONGEST_FILE, LONGEST_FUNCTION = 500, 50
MEASURED = sizes.folders(ROOT)
FILES = [file for files in MEASURED.values() for file in files]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path)
def test_file_is_small(file: sizes.File) -> None:
    assert file.lines <= LONGEST_FILE
    assert [f for f in file.functions if f.lines > LONGEST_FUNCTION] == []


def test_report_has_a_row_for_every_folder() -> None:
    lines = sizes.report(MEASURED).splitlines()
    assert [line.split()[0] for line in lines[1:7]] == list(sizes.FOLDERS)
    assert f"{sum(f.lines for f in MEASURED['runtime'])}" in lines[2].split()
