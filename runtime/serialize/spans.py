"""Source locations in a file: file, function, lines, columns, and the text of the line itself."""

from __future__ import annotations

import os
from typing import Any

from autograph.runtime.diagnostics.line_tables import line_table
from autograph.runtime.ir.errors import LoadError
from autograph.runtime.ir.location import Location
from autograph.runtime.serialize.fields import the_int, the_list, the_text

MAX_LINE = 2 ** 24
MAX_COLUMN = 2 ** 15
MAX_TEXT = 2 ** 16
SPAN = 6
"""A span is [file, function, line, end line, column, end column, text]."""


class SavedLocation(Location):
    """A location in source that need not be on this machine: the file has its text.

    The name of the file stands in angle brackets, so that Python does not look for it.
    """

    __slots__ = ("data", "text")

    in_trace = False

    def __init__(self, data: tuple[Any, ...]) -> None:
        file, function, *span, text = data
        line = span[0]
        super().__init__(_EMPTY.replace(
            co_filename=f"<{file}>", co_name=function.rpartition(".")[2], co_qualname=function,
            co_firstlineno=line,
            co_linetable=line_table([(tuple(span), len(_EMPTY.co_code) // 2)], line)), 0)
        self.data = data
        self.text: str = text
        self._targets = []
        self._span = (span[0], span[1], span[2], span[3])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SavedLocation) and self.data == other.data

    def __hash__(self) -> int:
        return hash(self.data)

    def stand_in(self, path: str) -> None:
        """Says that the source is on this machine, in a file that is as it was."""
        if self.code.co_filename != path:
            self.code = self.code.replace(co_filename=path)

    def caret(self) -> str:
        """The source line, as it was saved, with a caret line under it."""
        return self.text

    def __str__(self) -> str:
        return f"{self.data[0]}:{self.line}"


_EMPTY = compile("None", "<saved>", "exec")


def span_data(location: Location) -> tuple[Any, ...]:
    """Returns a location as plain data, with the name of the file only, without its folder."""
    if isinstance(location, SavedLocation):
        return location.data
    line, end, column, end_column = location.span
    file = os.path.basename(location.filename).strip("<>") or "source"
    text = location.caret()
    return (_plain(file), _plain(location.function), min(line, MAX_LINE - 1),
            min(end, MAX_LINE - 1), min(column, MAX_COLUMN - 1), min(end_column, MAX_COLUMN - 1),
            _plain(text) if len(text) <= MAX_TEXT else "")


def _plain(text: str) -> str:
    return text.encode(errors="replace").decode()


def span_of(x: Any, where: str) -> SavedLocation:
    """Returns the location that `span_data` wrote."""
    data = the_list(x, where, SPAN + 1)
    line, end = (the_int(n, where, MAX_LINE) for n in data[2:4])
    columns = [the_int(c, where, MAX_COLUMN) for c in data[4:SPAN]]
    if not 1 <= line <= end or (line == end and columns[1] < columns[0]):
        raise LoadError("the lines or columns of a span are out of order", where)
    file, function = the_text(data[0], where, 1000), the_text(data[1], where, 1000)
    text = the_text(data[SPAN], where, MAX_TEXT)
    if "\0" in file or "\0" in function or "/" in file or "\n" in file:
        raise LoadError("no file has this name", where)
    return SavedLocation((file, function, line, end, *columns, text))
