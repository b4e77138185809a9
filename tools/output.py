"""Writes results: code, a diff or JSON, to stdout, to a file or to a mirrored folder."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from autograph.explain.page import Failure, document
from autograph.explain.shown import Rows, Shown
from autograph.tools.diagnostics import as_json
from autograph.tools.jobs import Part, Result
from autograph.tools.targets import Target, UsageError

VERSION = 1
"""Of the JSON; it grows when a field changes its meaning or goes."""


def as_code(results: Sequence[Result]) -> str:
    """The converted texts one after the other; with their names if there are several."""
    return "".join((f"# {r.target.name}\n" if len(results) > 1 else "") + r.printed
                   for r in results if r.text is not None and r.printed)


def as_diff(result: Result, color: bool) -> str:
    """A unified diff from the user's text to the converted one."""
    new = result.target.text if result.text is None else result.text
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


def as_map(results: Sequence[Result]) -> str:
    """The line maps alone, as JSON."""
    files = [{**_identity(r), "functions": [{"qualname": p.qualname, "map": p.map}
                                            for p in r.converted]} for r in results]
    return json.dumps({"version": VERSION, "files": files}) + "\n"


def as_page(results: Sequence[Result]) -> str:
    """The functions beside what they became, linked line by line, as one HTML file."""
    pairs = [(part, _shown(result, part)) for result in results for part in result.parts]
    broken = [Failure(Shown(r.target.name, r.target.name, 1, ()), str(r.error))
              for r in results if r.error]
    title = results[0].target.name if len(results) == 1 else f"{len(results)} files"
    return document(
        os.path.basename(title), [shown for part, shown in pairs if not part.error],
        failures=broken + [Failure(shown, str(part.error)) for part, shown in pairs if part.error])


def _shown(result: Result, part: Part) -> Shown:
    first, last = part.lines
    lines = tuple(result.target.text.splitlines()[first - 1: last])
    own, text = part.text.splitlines(), (result.text or "").splitlines()
    rows: Rows = ()
    if part.map:
        defined = min(row[0] for row in part.map)  # the line of `def`, below the decorators
        shift = defined - 1 - own.index(text[defined - 1])
        rows = tuple(sorted({(row[0] - shift, row[2]) for row in part.map}))
    return Shown(part.qualname, result.target.name, first, lines, part.text, rows)


def _identity(result: Result) -> dict[str, Any]:
    data = result.target.text.encode(result.target.encoding)
    return {"path": result.target.name, "sha256": hashlib.sha256(data).hexdigest()}


def _file(result: Result) -> dict[str, Any]:
    return {
        **_identity(result),
        "status": "failed" if result.errors else "converted",
        "diagnostics": [as_json(result.error)] if result.error else [],
        "text": result.text,
        "functions": [_function(part) for part in result.parts],
    }


def _function(part: Part) -> dict[str, Any]:
    return {
        "qualname": part.qualname,
        "lines": list(part.lines),
        "status": "failed" if part.error else "converted",
        "code": part.text or None,
        "map": part.map,
        "diagnostics": [as_json(part.error)] if part.error else [],
    }


FORMS: dict[str, Callable[[Sequence[Result], bool], str]] = {
    "diff": lambda results, color: "".join(as_diff(r, color) for r in results),
    "json": lambda results, color: as_json_text(results),
    "map": lambda results, color: as_map(results),
    "html": lambda results, color: as_page(results),
}
"""What makes the text of each `--format`, given whether to colour it."""


def write_file(text: str, output: str, encoding: str = "utf-8") -> None:
    """Writes one text to a file, or to stdout if that is `-`."""
    if output == "-":
        write_out(text, encoding)
    else:
        write_to(Path(output), text.encode(encoding, "replace"))


def paths_for(targets: Sequence[Target], output: str, several: bool) -> list[Path]:
    """Returns where the result of each target goes: `output` is a file, or a folder if there may be
    several results.

    Raises:
      UsageError: there are several results and one file for them, or one would replace its source,
        or they are cells of a notebook.
    """
    inside = several or os.path.isdir(output) or output.endswith(os.sep)
    if any(target.cell for target in targets):
        raise UsageError("-o is for Python files: the cells of a notebook are printed")
    if inside and (output.endswith(".py") or os.path.isfile(output)):
        raise UsageError(f"{output!r} is one file, and there are several results: name a folder")
    if inside and (twice := _twice([target.relative for target in targets])):
        raise UsageError(f"two results would be written to {os.path.join(output, twice)!r}")
    paths = [Path(output, target.relative) if inside else Path(output) for target in targets]
    for target, path in zip(targets, paths, strict=True):
        if target.path is not None and path.exists() and path.samefile(target.path):
            raise UsageError(f"{path} is the source itself: name another file")
    return paths


def _twice(names: Sequence[str]) -> str:
    return next((name for name, times in Counter(names).items() if times > 1), "")


def write_to(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all; a link's target is written, a device is written to.

    Raises:
      UsageError: it cannot be written; the message has the system's words.
    """
    try:
        if _is_stream(path):
            with path.open("wb") as file:
                file.write(data)
            return
        real = Path(os.path.realpath(path))
        real.parent.mkdir(parents=True, exist_ok=True)
        _replace(real, data)
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror}") from None


def _is_stream(path: Path) -> bool:
    """Returns True for a device, a FIFO, a folder: there is nothing to replace.

    Raises:
      OSError: the path leads nowhere (a circle of links).
    """
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def _replace(path: Path, data: bytes) -> None:
    """Writes a file beside another one, then puts it in the other's stead."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_out(text: str | bytes, encoding: str = "utf-8") -> None:
    """Writes to stdout, every line end as it is and whatever the terminal's encoding. A stream of
    text that stands for stdout is given text.

    Raises:
      UsageError: the system refuses (the disk is full); the message has its words.
    """
    try:
        sys.stdout.flush()
        data = text if isinstance(text, bytes) else text.encode(encoding, "replace")
        if hasattr(sys.stdout, "buffer"):
            sys.stdout.buffer.write(data)
        else:
            sys.stdout.write(text if isinstance(text, str) else data.decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes at the end
        raise UsageError(f"cannot write to standard output: {error.strerror}") from None
