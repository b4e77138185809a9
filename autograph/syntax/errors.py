"""The compiler's errors: a class, a code, the user's line with a caret, and what to do about it."""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass
from types import CodeType
from typing import ClassVar

from autograph.source_lines import with_caret

MAX_DECORATORS = 50
"""So many lines of decorators are looked through for the `def`."""


@dataclass(frozen=True)
class Span:
    """A stretch of a source file: lines count from 1, columns from 0 (as in `ast`)."""

    filename: str
    lineno: int
    col: int = 0
    end_lineno: int | None = None
    end_col: int | None = None

    @classmethod
    def of(cls, node: object, filename: str) -> Span:
        """The span of an `ast` or gast node (line 0 if the node has no position)."""
        names = ("lineno", "col_offset", "end_lineno", "end_col_offset")
        line, col, end_line, end_col = (getattr(node, name, None) for name in names)
        return cls(filename, line or 0, col or 0, end_line, end_col)

    @classmethod
    def of_code(cls, code: CodeType) -> Span:
        """The `def` line of a function, below its decorators; the first line of other code."""
        head = re.compile(rf"\s*(async\s+)?def\s+{re.escape(code.co_name)}\b")
        lines = range(code.co_firstlineno, code.co_firstlineno + MAX_DECORATORS)
        found = (n for n in lines if head.match(linecache.getline(code.co_filename, n)))
        number = next(found, code.co_firstlineno)
        text = linecache.getline(code.co_filename, number).rstrip()
        indent = len(text) - len(text.lstrip())
        return cls(code.co_filename, number, indent, number, len(text.encode()))

    def caret(self, line: str | None = None) -> str:
        """The source line with a caret line under it; empty if the line cannot be had."""
        if line is None:
            try:
                line = linecache.getline(self.filename, self.lineno)
            except (UnicodeError, LookupError):  # it says that it is in UTF-16, or in rot13
                return ""
        return with_caret(line, self.col, self.end_col if self.end_lineno == self.lineno else None)


class AutographError(Exception):
    """Base class of the errors that the compiler raises on purpose."""


class ConversionError(AutographError):
    """Raised when a function or a file cannot be converted; it says where, why and what to write.

    Attributes: `code` (stable, documented in docs/errors.md), `message`, `span`, `hint`.
    """

    code: ClassVar[str] = "AG100"

    def __init__(self, message: str, span: Span | None = None, hint: str = "",
                 source_line: str | None = None) -> None:
        self.message, self.span, self.hint = message, span, hint
        self.source_line = source_line
        super().__init__(message)

    def __str__(self) -> str:
        where = ""
        if self.span is not None:
            where = f"{self.span.filename}:{self.span.lineno}:{self.span.col + 1}: "
        lines = [f"{where}{self.code} {self.message}"]
        if self.span is not None and (caret := self.span.caret(self.source_line)):
            lines.append(caret)
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class SourceUnavailableError(ConversionError):
    """Raised when the source of a function cannot be found, or is no longer what was compiled."""

    code = "AG101"


class SourceSyntaxError(ConversionError):
    """Raised when the file does not parse."""

    code = "AG102"


class UnsupportedSyntaxError(ConversionError):
    """Raised for a construct that the compiler refuses, by name."""

    code = "AG103"


class UnsupportedFunctionError(ConversionError):
    """Raised for an object that cannot be converted: a coroutine, say, or no function at all."""

    code = "AG104"


class InternalError(ConversionError):
    """Raised for a fault of the compiler's own; please report it with the function that caused
    it."""

    code = "AG199"


for _class in list(globals().values()):
    if isinstance(_class, type) and issubclass(_class, Exception):
        _class.__module__ = "autograph.errors"  # tracebacks and pages show the public name
del _class
