"""Compares what the compiler makes of small sources with the texts in tests/golden."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.compiler import text

FOLDER = Path(__file__).parent / "passes"


@dataclass
class Case:
    """A source, the pass after which we look (none: all), and the text expected."""

    file: Path
    name: str
    source: str
    upto: str | None
    expected: str

    def written(self, expected: str) -> str:
        out = f"[out {self.upto}]" if self.upto else "[out]"
        return f"[case {self.name}]\n{self.source}\n{out}\n{expected}\n"


def cases_of(file: Path) -> list[Case]:
    """The cases of a file."""
    found = []
    for part in re.split(r"^\[case ", file.read_text(), flags=re.M)[1:]:
        name, _, rest = part.partition("]\n")
        source, upto, expected = re.split(r"^\[out ?(\w*)\]\n", rest, flags=re.M)
        found.append(Case(file, name, source.strip("\n"), upto or None, expected.strip("\n")))
    return found


FILES = sorted(FOLDER.glob("*.test"))
CASES = [case for file in FILES for case in cases_of(file)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file.stem}: {case.name}")
def test_text(case: Case, request: pytest.FixtureRequest) -> None:
    made = text(case.source, case.upto)
    if request.config.getoption("--update-golden", default=False):
        case.expected = made
        _rewrite(case.file)
    assert made == case.expected


def _rewrite(file: Path) -> None:
    mine = [case for case in CASES if case.file == file]
    file.write_text("\n".join(case.written(case.expected) for case in mine))


def test_names_are_unique() -> None:
    names = [(case.file, case.name) for case in CASES]
    assert len(set(names)) == len(names) > 40
