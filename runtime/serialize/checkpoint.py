"""`ag.Checkpoint`: the values of variables in numbered files, of which the last few are kept."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import LoadError, SaveError
from autograph.runtime.ops.state import check_value
from autograph.runtime.serialize.fields import shown, the_dict, the_int, the_list, the_text
from autograph.runtime.serialize.tables import Tables, TablesWriter
from autograph.runtime.symbolic.module import Module
from autograph.runtime.symbolic.variables import Variable
from autograph.traceback_filter import hiding_methods

FORMAT = "autograph checkpoint"
VERSION = 2
MAX_STEP = 2 ** 62
TABLES = ("arrays", "types", "spans", "variables")


@hiding_methods
class Checkpoint:
    """Saves the values of variables, and gives them back.

    Args:
      folder: where the files are: `checkpoint-1.agz`, `checkpoint-2.agz`, …; it is made if it is
        not there.
      thing: an `ag.Module`, or a dict, list or tuple of modules and variables.
      keep: how many files to keep; the oldest go. None keeps all.

    Raises:
      SaveError: there is no variable in `thing`.
      ValueError: no file would be kept.

    >>> import tempfile
    >>> v = Variable([1.0, 2.0], name="v")
    >>> checkpoint = Checkpoint(tempfile.mkdtemp(), {"v": v}, keep=2)
    >>> checkpoint.save()
    1
    >>> _ = v.assign(np.zeros(2))
    >>> checkpoint.restore(), v.value()
    (1, array([1., 2.]))
    """

    def __init__(self, folder: str | os.PathLike[str] = "", thing: Any = None,
                 keep: int | None = 5, **named: Any) -> None:
        if named or not folder or thing is None:  # as tf.train.Checkpoint is called
            inside = ", ".join(f'"{name}": {name}' for name in named) or '"model": model'
            raise TypeError("a checkpoint needs a folder, and what is to be saved\n  "
                            f"hint: write ag.Checkpoint(folder, {{{inside}}})")
        if not isinstance(folder, (str, os.PathLike)):
            raise TypeError(f"the folder of a checkpoint is a path, not {type(folder).__name__}\n  "
                            "hint: write ag.Checkpoint(folder, module)")
        if keep is not None and not (isinstance(keep, (int, np.integer)) and keep > 0):
            raise ValueError(f"keep is a number of files from 1 on, or None for all, not {keep!r}")
        self.folder = Path(folder)
        self.keep = keep
        self.variables = dict(named_variables(thing))
        if not self.variables:
            raise SaveError("there is no variable to save",
                            "pass an ag.Module, or a dict of variables")

    @property
    def steps(self) -> list[int]:
        """The numbers of the files that are there, in order."""
        names = os.listdir(self.folder) if self.folder.is_dir() else []
        found = (re.fullmatch(r"checkpoint-([0-9]{1,18})\.agz", name) for name in names)
        return sorted(int(match[1]) for match in found if match)

    def path(self, step: int) -> Path:
        """Returns the file of a step."""
        return self.folder / f"checkpoint-{step}.agz"

    def save(self, step: int | None = None) -> int:
        """Writes the values to a file, as a whole; the oldest files go.

        Args:
          step: the number of the file; the default is one more than the last.

        Returns:
          The number of the file.

        Raises:
          OSError: the file cannot be written.
        """
        from autograph.runtime.serialize.archive import (  # for files alone
            read_archive,
            write_archive,
            write_atomically,
        )

        number = (self.steps or [0])[-1] + 1 if step is None else _checked(step)
        tables = TablesWriter({})
        rows = [[name, tables.variable(v.storage)] for name, v in self.variables.items()]
        data = {"format": FORMAT, "version": VERSION, "step": number, **tables.data(),
                "values": rows}
        self.folder.mkdir(parents=True, exist_ok=True)
        arrays = [held.array for held in tables.files]
        write_atomically(self.path(number), lambda stream: write_archive(stream, data, arrays),
                         lambda stream: _values(*read_archive(stream)))
        if self.keep is not None:
            for old in [s for s in self.steps if s != number][:1 - self.keep or None]:
                self.path(old).unlink(missing_ok=True)
        return number

    def restore(self, step: int | None = None) -> int:
        """Gives all variables the values of a file: all of them, or, if something is wrong, none.

        Args:
          step: the number of the file; the default is the last.

        Returns:
          The number of the file.

        Raises:
          LoadError: the file is damaged, or has other variables, dtypes or shapes.
          FileNotFoundError: there is no such file.
        """
        from autograph.runtime.serialize.archive import read_archive  # for files alone
        from autograph.runtime.serialize.save import naming

        steps = self.steps
        if step is None and not steps:
            raise FileNotFoundError(f"there is no checkpoint in {self.folder}")
        number = steps[-1] if step is None else _checked(step)
        path = self.path(number)
        with open(path, "rb") as stream, naming(path):
            held = _values(*read_archive(stream))
        if held.keys() != self.variables.keys():
            wrong = sorted(held.keys() ^ self.variables.keys())
            raise LoadError(f"the file has other variables: {', '.join(map(shown, wrong))}",
                            self.path(number).name)
        for name, variable in self.variables.items():
            _check(variable, held[name], name)
        for name, variable in self.variables.items():
            variable.storage.put(held[name])
        return number


def _checked(step: int) -> int:
    """Returns the number of a step, which is no path as in TensorFlow.

    Raises:
      TypeError: it is no number.
      ValueError: it is out of range.
    """
    if not isinstance(step, (int, np.integer)):
        raise TypeError(f"the step of a checkpoint is a number, not {shown(step)}\n  hint: the "
                        "folder of the files is given to ag.Checkpoint; the steps count themselves")
    if not 0 <= step < MAX_STEP:
        raise ValueError(f"the step of a checkpoint is a number from 0 on, not {step}")
    return int(step)


def _check(variable: Variable, value: np.ndarray[Any, Any], name: str) -> None:
    if value.dtype != variable.dtype:
        raise LoadError(f"it has dtype {value.dtype} in the file, {variable.dtype} here", name)
    try:
        check_value(variable.type, f"the variable {name!r}", value)
    except (TypeError, ValueError) as error:
        raise LoadError(str(error).partition("\n")[0], name) from None


def _values(data: Any, arrays: list[np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """Returns the values in a file, by name."""
    if type(data) is not dict or data.get("format") != FORMAT or (
            data.get("version") not in range(1, VERSION + 1)):
        raise LoadError(f"this is no checkpoint of a version up to {VERSION}")
    the_dict(data, "", ("format", "version", "step", *TABLES, "values"))
    the_int(data["step"], "step", MAX_STEP)
    tables = Tables(data, arrays, {})
    pairs = [the_list(row, "values", 2) for row in the_list(data["values"], "values")]
    found = {the_text(name, "values", 10_000): tables.variable(number, "values").storage.array
             for name, number in pairs}
    if len(found) != len(pairs):
        raise LoadError("a variable is there twice", "values")
    return found


def named_variables(thing: Any) -> Iterator[tuple[str, Variable]]:
    """Yields the variables in modules, dicts, lists and tuples, each once, with the path to it."""
    seen: set[int] = set()
    pending = [("", thing)]
    while pending:
        path, x = pending.pop()
        if id(x) in seen:
            continue
        if isinstance(x, Variable):
            seen.add(id(x))
            yield path.lstrip("."), x
            continue
        parts = _parts(x)
        if parts:
            seen.add(id(x))
        pending += [(f"{path}.{name}", part) for name, part in reversed(parts)]


def _parts(x: Any) -> list[tuple[str, Any]]:
    if isinstance(x, Module):
        return list(vars(x).items())
    if isinstance(x, dict):
        return [(str(k), v) for k, v in x.items()]
    return [(str(i), v) for i, v in enumerate(x)] if type(x) in (list, tuple) else []
