"""The golden files: cases, each of a source, a stage and the text that is expected there.

    [case name]
    source
    [out stage]
    text
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass
class Golden:
    """One case of a file; the file's folder says what makes the text."""

    file: Path
    name: str
    source: str
    stage: str
    expected: str

    @property
    def title(self) -> str:
        """The folder, the file and the case, for test names."""
        return f"{self.file.parent.name}: {self.file.stem}: {self.name}"

    @property
    def written(self) -> str:
        """The case as it stands in the file."""
        out = f"[out {self.stage}]" if self.stage else "[out]"
        return f"[case {self.name}]\n{self.source}\n{out}\n{self.expected}\n"


def read(file: Path) -> list[Golden]:
    """The cases of a file."""
    found = []
    for part in re.split(r"^\[case ", file.read_text(encoding="utf-8"), flags=re.M)[1:]:
        name, _, rest = part.partition("]\n")
        source, stage, expected = re.split(r"^\[out ?(.*)\]\n", rest, flags=re.M)
        found.append(Golden(file, name, source.strip("\n"), stage, expected.strip("\n")))
    return found


CASES = [case for file in sorted(FOLDER.glob("*/*.test")) for case in read(file)]


def of(folder: str) -> list[Golden]:
    """The cases of one folder."""
    return [case for case in CASES if case.file.parent.name == folder]


def rewrite(case: Golden, text: str) -> None:
    """Puts another text into the file of a case."""
    case.expected = text
    mine = [other.written for other in CASES if other.file == case.file]
    case.file.write_text("\n".join(mine), encoding="utf-8")
