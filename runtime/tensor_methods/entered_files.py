"""Files that a `with` statement enters while a function is traced: the run enters and closes them.

If the run raises in between, the file is closed with the frame that held it. An object whose exit
does more than close is refused: it may swallow the exception, or undo something.
"""

from __future__ import annotations

import io
from typing import Any

from autograph.runtime.heap.objects import build
from autograph.runtime.ir.errors import InvalidArgumentError, TracingError, at
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ops import opaque


def refuse_built(graph: Graph) -> None:
    """Refuses to enter an object that the trace made an object of the graph, of a class that is no
    file's: what it does belongs to the trace.

    Raises:
      TracingError: the graph enters one.
    """
    made = {v: e.args[0] for e in graph.walk() if e.op.kernel is build for v in e.outputs}
    for e in graph.walk() if made else ():
        if e.op is ENTER and e.args[0] in made:
            raise TracingError(
                f"a `with` statement enters an object of class {made[e.args[0]].__name__!r} that "
                f"is known only when the graph runs{at(e.location)}\n"
                "  hint: enter it outside the function", about_state=True)


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
