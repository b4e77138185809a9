"""Notes beside generated code that say where each line comes from."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from autograph.conversion.module import Notes
from autograph.printer.comments import Comments, comments_of

FORMS = ("none", "line", "source")


class LineNotes(Comments):
    """After each simple statement, `# FILE:LINE` instead of the user's comments."""

    def __init__(self, filename: str) -> None:
        super().__init__()
        self.filename = filename

    def beside(self, node: ast.stmt) -> str | None:
        return f"# {self.filename}:{node.lineno}"


class SourceNotes(Comments):
    """Above the first statement that a line of the user's became, that line as a comment."""

    def __init__(self, lines: Sequence[str], header: int) -> None:
        super().__init__()
        self.lines = lines
        self.shown = {header}

    def before(self, node: ast.stmt, simple: bool) -> list[str]:
        if node.lineno in self.shown:
            return []
        self.shown.add(node.lineno)
        return [f"# {self.lines[node.lineno - 1].strip()}"]


def notes(form: str) -> Notes:
    """The notes of `--annotate none|line|source`."""

    def make(tree: Any, lines: Sequence[str], filename: str) -> Comments:
        if form == "line":
            return LineNotes(filename)
        return SourceNotes(lines, tree.lineno) if form == "source" else comments_of(tree, lines)

    return make
