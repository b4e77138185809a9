"""Reads the code cells of notebooks as Python: what is IPython's own in them becomes comments."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

PYTHON = {"capture", "debug", "prun", "pypy", "python", "python3", "time", "timeit"}
"""The magics whose cells are Python; a cell below another one is in a language of its own."""

OWN_LINE = re.compile(r"([ \t]*)([%!?].*|[\w.,\[\] \t]+=[ \t]*[%!].*|.*\?)[ \t]*$")
"""A line that may be IPython's: a magic, a command, what is assigned from one, a question."""


def cells_of(data: bytes) -> list[str]:
    """Returns the code cells of a notebook; those of another language than Python are empty."""
    notebook = json.loads(data)
    texts = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    ours = _language(notebook.get("metadata", {})).startswith(("python", "ipython"))
    return [_python_of(text) if ours else "" for text in texts]


def _language(metadata: dict[str, Any]) -> str:
    for table, key in (("language_info", "name"), ("kernelspec", "language")):
        name = metadata.get(table, {}).get(key)
        if name:
            return str(name).lower()
    return "python"


def _python_of(text: str) -> str:
    """Returns the cell as Python: a line is IPython's if Python does not parse it."""
    lines = text.splitlines()
    if any(magic not in PYTHON for magic in _cell_magics(lines)):
        lines = [f"# {line}" for line in lines]
    while (line := _refused(lines)) is not None:
        found = OWN_LINE.match(lines[line])
        if not found or found[2].startswith("#"):
            break
        lines[line] = f"{found[1]}{'pass  ' if found[1] else ''}# {found[2]}"
    return "".join(f"{line}\n" for line in lines)


def _cell_magics(lines: list[str]) -> Iterator[str]:
    """Yields the names of the magics that the cell begins with."""
    for line in filter(str.strip, lines):
        if not line.startswith("%%"):
            return
        yield (line[2:].split() or [""])[0]


def _refused(lines: list[str]) -> int | None:
    """Returns the index of the line that Python does not parse, if there is one."""
    try:
        ast.parse("\n".join(lines))
    except SyntaxError as error:
        line = (error.lineno or 1) - 1
        return line if line < len(lines) else None
    except ValueError:  # null bytes
        pass
    return None
