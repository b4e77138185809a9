"""Writes results: code, a diff or JSON, to stdout, to a file or to a mirrored folder."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograph.errors import ConversionError
from autograph.module import Converted, Outcome
from autograph.tools.diagnostics import as_json
from autograph.tools.line_map import line_maps
from autograph.tools.targets import Target, UsageError

VERSION = 1
"""Of the JSON; it grows when a field changes its meaning or goes."""


@dataclass(frozen=True)
class Result:
    """What became of one target: its conversion, or the error for which it does not parse."""

    target: Target
    converted: Converted | None = None
    error: ConversionError | None = None

    @property
    def errors(self) -> list[ConversionError]:
        """All errors of the file, in order."""
        own = [self.error] if self.error else []
        return own + [o.error for o in self._outcomes() if o.error]

    @property
    def text(self) -> str:
        """What is printed: the file, or only the functions that were asked for by name."""
        if self.converted is None:
            return self.target.text
        if self.target.functions:
            return "\n\n".join(o.text for o in self._outcomes() if not o.error)
        return self.converted.text

    def _outcomes(self) -> Sequence[Outcome]:
        return self.converted.outcomes if self.converted else ()


def as_diff(result: Result, color: bool) -> str:
    """A unified diff from the user's text to the converted one."""
    new = result.converted.text if result.converted else result.target.text
    lines = difflib.unified_diff(
        result.target.text.splitlines(keepends=True), new.splitlines(keepends=True),
        result.target.name, f"{result.target.name} (converted)")
    return "".join(_colored(line) if color else line for line in lines)


def _colored(line: str) -> str:
    shade = {"+": "32", "-": "31", "@": "36"}.get(line[:1])
    return f"\033[{shade}m{line.rstrip()}\033[0m\n" if shade else line


def as_json_text(results: Sequence[Result]) -> str:
    """All results as one JSON document."""
    return json.dumps({"version": VERSION, "files": [_file(r) for r in results]}) + "\n"


def _file(result: Result) -> dict[str, Any]:
    converted = result.converted
    maps = line_maps(converted, result.target.name) if converted else {}
    data = result.target.text.encode(result.target.encoding)
    return {
        "path": result.target.name,
        "sha256": hashlib.sha256(data).hexdigest(),
        "status": "failed" if result.errors else "converted",
        "diagnostics": [as_json(result.error)] if result.error else [],
        "text": converted.text if converted else None,
        "functions": [_function(o, maps) for o in converted.outcomes] if converted else [],
    }


def _function(outcome: Outcome, maps: dict[str, list[list[int]]]) -> dict[str, Any]:
    name = outcome.function.qualname
    return {
        "qualname": name,
        "lines": list(outcome.function.lines),
        "status": "failed" if outcome.error else "converted",
        "code": outcome.text or None,
        "map": maps.get(name, []),
        "diagnostics": [as_json(outcome.error)] if outcome.error else [],
    }


def write_files(results: Sequence[Result], output: str, several: bool) -> None:
    """Write each result to `output`: a file, or a folder if there may be several results."""
    for result in results:
        inside = several or os.path.isdir(output) or output.endswith(os.sep)
        path = Path(output, result.target.relative) if inside else Path(output)
        write_atomically(path, result.text.encode(result.target.encoding))


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_out(text: str) -> None:
    """Write to stdout, every line end as it is and whatever the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.flush()
