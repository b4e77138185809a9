"""Writes errors and warnings to stderr: as text with a caret, as JSON lines, or for GitHub."""

from __future__ import annotations

import json
import sys
from typing import Any

from autograph.syntax.errors import ConversionError

FORMATS = ("text", "json", "github")


def as_json(error: ConversionError) -> dict[str, Any]:
    """A diagnostic as plain data; columns count from 1."""
    span = error.span
    return {
        "code": error.code,
        "line": span.lineno if span else None,
        "col": span.col + 1 if span else None,
        "end_line": span.end_lineno if span else None,
        "end_col": span.end_col + 1 if span and span.end_col is not None else None,
        "message": error.message,
        "hint": error.hint,
    }


def report(error: ConversionError, name: str, form: str, color: bool, cell: int = 0) -> None:
    """Writes one error; `cell` is the number of the cell in a notebook, of which `name` is a part.
    """
    if form == "json":
        say(json.dumps({"path": name, **as_json(error)}))
    elif form == "github":
        say(_for_github(error, name, cell))
    else:
        text = str(error)
        say(text.replace(error.code, f"\033[1;31m{error.code}\033[0m", 1) if color else text)


def _for_github(error: ConversionError, name: str, cell: int) -> str:
    data = as_json(error)
    message = error.message + (f" ({error.hint})" if error.hint else "")
    if cell:  # GitHub counts the lines of the notebook's JSON
        message = f"cell {cell}, line {data['line']}: {message}"
        name, data = name.removesuffix(f":cell {cell}"), dict.fromkeys(data)
    message = _escaped(message)
    file = _escaped(name).replace(":", "%3A").replace(",", "%2C")
    rows = {"line": data["line"], "endLine": data["end_line"]}
    if data["end_line"] in (None, data["line"]):  # GitHub takes columns of one line only
        rows.update(col=data["col"], endColumn=data["end_col"])
    position = "".join(f",{key}={value}" for key, value in rows.items() if value is not None)
    return f"::error file={file}{position},title={error.code}::{message}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def warn(message: str, quiet: bool) -> None:
    """Writes a warning, unless the user wants silence."""
    if not quiet:
        say(f"warning: {message}")


def say(text: str) -> None:
    """Writes a line to stderr."""
    print(text, file=sys.stderr)
