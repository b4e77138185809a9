"""Files and functions stay small enough to be read in one go; a tool measures the checkout."""

from functools import cache

from autograph.tools import house
from tests.house.checkout import ROOT

LONGEST_FILE, LONGEST_FUNCTION = 500, 50


@cache
def measured() -> dict[str, list[house.File]]:
    """The files of the checkout by folder."""
    return house.folders(ROOT)


def test_files_and_functions_are_small() -> None:
    files = [file for found in measured().values() for file in found]
    assert [file.path for file in files if file.lines > LONGEST_FILE] == []
    assert [(file.path, f) for file in files for f in file.functions
            if f.lines > LONGEST_FUNCTION] == []


def test_report_has_a_row_for_every_folder() -> None:
    lines = list(house.size_table(measured()))
    assert [line.split()[0] for line in lines[1:]] == list(house.FOLDERS)
    assert f"{sum(f.lines for f in measured()['runtime'])}" in lines[2].split()


def test_report_tells_what_there_is_too_much_of() -> None:
    text = '"""Doc."""\nFRESH = {"np.exp", "reshape"}\nlast = lambda e: e.op.name == "add"\n'
    file = house.File("runtime/lower/a.py", text + "x: Any = 0\ndef f(): 'Whether it is.'\n")
    lines = dict(line.rsplit(": ", 1) for line in house.total_lines([file]))
    assert lines["collections of op names outside ops/"] == "1 (runtime/lower/a.py:2)"
    assert lines["comparisons of op.name outside ops/"] == "1 (runtime/lower/a.py)"
    assert lines['docstrings that begin with "Whether" or "What"'].startswith("1")
    assert lines["lines with `: Any` or `-> Any`"].startswith("1")
