"""Files and functions stay small enough to be read in one go; a tool measures the checkout."""

import pytest

from autograph.tools import house
from tests.house.checkout import ROOT

LONGEST_FILE, LONGEST_FUNCTION = 500, 50
MEASURED = house.folders(ROOT)
FILES = [file for files in MEASURED.values() for file in files]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path)
def test_file_is_small(file: house.File) -> None:
    assert file.lines <= LONGEST_FILE
    assert [f for f in file.functions if f.lines > LONGEST_FUNCTION] == []


def test_report_has_a_row_for_every_folder() -> None:
    lines = list(house.size_table(MEASURED))
    assert [line.split()[0] for line in lines[1:]] == list(house.FOLDERS)
    assert f"{sum(f.lines for f in MEASURED['runtime'])}" in lines[2].split()


def test_report_tells_what_there_is_too_much_of() -> None:
    text = '"""Doc."""\nFRESH = {"np.exp", "reshape"}\nlast = lambda e: e.op.name == "add"\n'
    file = house.File("runtime/lower/a.py", text + "x: Any = 0\ndef f(): 'Whether it is.'\n")
    lines = dict(line.rsplit(": ", 1) for line in house.total_lines([file]))
    assert lines["collections of op names outside ops/"] == "1 (runtime/lower/a.py:2)"
    assert lines["comparisons of op.name outside ops/"] == "1 (runtime/lower/a.py)"
    assert lines['docstrings that begin with "Whether" or "What"'].startswith("1")
    assert lines["lines with `: Any` or `-> Any`"].startswith("1")
