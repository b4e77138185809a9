"""Files that a `with` statement enters while a function is traced: the run enters and closes them.

If the run raises in between, the file is closed with the frame that held it. An object whose exit
does more than close is refused: it may swallow the exception, or undo something.
"""

from __future__ import annotations

import io
from typing import Any

from autograph.runtime.ir.errors import InvalidArgumentError
from autograph.runtime.ops import opaque


def enter_file(x: Any) -> Any:
    """Enters what the run knows.

    Raises:
      InvalidArgumentError: it is no file.
    """
    if not isinstance(x, io.IOBase) and type(x).__name__ not in CLOSED_ONLY:
        raise InvalidArgumentError(
            f"a `with` statement enters an object of class {type(x).__name__!r} that is known only "
            "when the graph runs\n"
            "  hint: enter it outside the function, or call what is inside through ag.py_function")
    return x.__enter__()


def exit_file(x: Any) -> None:
    """Closes it."""
    x.__exit__(None, None, None)


CLOSED_ONLY = ("_TemporaryFileWrapper", "ScandirIterator", "NpzFile")
"""The names of classes, beside those of files, whose exit closes something, and does no more."""


ENTER, EXIT = opaque(enter_file), opaque(exit_file)
