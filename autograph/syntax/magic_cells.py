"""Finds the text of cells that IPython's magics (%%time, %%timeit, %%prun) compile as strings."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import CodeType

from autograph.syntax.errors import AutographError
from autograph.syntax.source_file import SourceFile

NAMES = {"<timed exec>", "<timed eval>", "<magic-timeit>", "<string>"}
"""The file names that the magics give to code."""


class TimedCell(SourceFile):
    """The cell of a %%timeit, whose statements are the body of a function."""

    def __init__(self, filename: str, lines: list[str]) -> None:
        super().__init__(filename, lines)
        holder = ast.parse("def inner(_it, _timer): 0").body[0]
        assert isinstance(holder, ast.FunctionDef)
        holder.body = self.module.body or holder.body
        self.module = ast.Module([holder], [])


def cells_of(code: CodeType) -> Iterator[SourceFile]:
    """Yields the cells under magics that have been run and may hold this code, newest first.

    Python gives all of them one file name: each gets one of its own, with the number of the cell.
    """
    get_shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = get_shell() if get_shell and code.co_filename in NAMES else None
    kind = TimedCell if code.co_filename == "<magic-timeit>" else SourceFile
    if shell is None:
        return
    for number, cell in reversed(list(enumerate(shell.history_manager.input_hist_raw))):
        text = _without_magics(cell)
        if text is not None and code.co_name.strip("<>") in text:
            try:
                lines = shell.transform_cell(text).splitlines(keepends=True)
                yield kind(f"{code.co_filename[:-1]} {number}>", lines)
            except (SyntaxError, AutographError):  # the cell of %%bash, say
                continue


def _without_magics(cell: str) -> str | None:
    """Returns the text of a cell below its magics; None if it begins with none."""
    rest = cell.lstrip()
    if not rest.startswith("%%"):
        return None
    while rest.startswith("%%"):
        rest = rest.partition("\n")[2].lstrip("\n")
    return rest
