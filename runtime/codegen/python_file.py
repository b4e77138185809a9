"""A file of Python as text, whose large constants can go to a file of arrays beside it."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from autograph.traceback_filter import hiding_frames

ARRAYS = "_arrays"
"""The variable of the file that holds the file of arrays while it is read."""

MAX_TEXT = 200
"""Constants whose text is longer are large."""

LINE = 88
_DATA = r"b85decode\('([^']*)'\)"


class Constant(NamedTuple):
    """A global variable of the file: its name, an expression for it, and its value."""

    name: str
    text: str
    value: Any

    @property
    def is_large(self) -> bool:
        return isinstance(self.value, np.ndarray) and len(self.text) > MAX_TEXT


class PythonFile(str):
    """The text of a file of Python; large constants are encoded at its end.

    Example:
      >>> import autograph as ag
      >>> table = np.arange(1000.0)
      >>> f = ag.function(lambda i: table[i])
      >>> text = f.to_python(ag.TensorSpec([], np.int64))  # doctest: +SKIP
      >>> text.save("table.py")                            # doctest: +SKIP
    """

    beside: str
    arrays: dict[str, Any]

    @classmethod
    def of(cls, head: Iterable[str], constants: list[Constant], functions: Iterable[str]
           ) -> PythonFile:
        """Returns the file with these parts, in this order.

        Args:
          head: the documentation, imports and helpers.
          constants: the global variables that the functions read.
          functions: the source of the functions.
        """
        small = "\n".join(f"{c.name} = {c.text}" for c in constants if not c.is_large)
        large = [c for c in constants if c.is_large]
        head, functions = [*head, small], list(functions)
        made = cls(_joined([*head, *functions, *(
            ["\n".join(["# The large constants.", *map(_wrapped, large)])] * bool(large)
        )]))
        made.beside = _joined([*head, _loading(large), *functions])
        if "base64." not in made.beside:
            made.beside = made.beside.replace("import base64\n", "", 1)
        made.arrays = {c.name: c.value for c in large}
        return made

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Pickles the text alone."""
        return str, (str(self),)

    @hiding_frames
    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, and its large constants, if there are any, to `.npz` beside it.

        The file reads them with `np.load` from where it lies: keep the two together.

        Args:
          path: where to, with the ending `.py`.

        Raises:
          ValueError: the path has another ending.
        """
        from pathlib import Path  # of use here alone

        target = Path(path)
        if target.suffix != ".py":
            raise ValueError(f"{str(path)!r} has to end in .py")
        if self.arrays:
            np.savez(target.with_suffix(".npz"), **self.arrays)
        target.write_text(self.beside, encoding="utf-8")


def _joined(parts: Iterable[str]) -> str:
    return "\n\n\n".join(filter(None, parts)) + "\n"


def _loading(large: list[Constant]) -> str:
    if not large:
        return ""
    return "\n".join([f'with np.load(__file__.removesuffix(".py") + ".npz") as {ARRAYS}:',
                      *(f'    {c.name} = {ARRAYS}["{c.name}"]' for c in large)])


def _wrapped(constant: Constant) -> str:
    """Returns the assignment of a constant in lines."""
    def lines(found: re.Match[str]) -> str:
        data = found[1]
        parts = [f'    "{data[i:i + LINE]}"' for i in range(0, len(data), LINE)]
        return "b85decode(\n" + "\n".join(parts) + ")"

    text, found = re.subn(_DATA, lines, f"{constant.name} = {constant.text}")
    return text if found else textwrap.fill(text, LINE, subsequent_indent="    ",
                                            break_long_words=False, break_on_hyphens=False)
