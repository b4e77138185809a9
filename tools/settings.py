"""Options that a project keeps in its `pyproject.toml`, in the table `[tool.autograph]`."""

from __future__ import annotations

import argparse
import os
import tomllib
from pathlib import Path
from typing import Any

from autograph.tools.targets import UsageError

FILE = "pyproject.toml"


def apply_config(parser: argparse.ArgumentParser, path: str | None) -> None:
    """Makes the options of a configuration file the parser's defaults.

    `path` is the file; without one, the nearest `pyproject.toml` from here upwards is read.

    Raises:
      UsageError: the file cannot be read, or an option in it does not exist or has a wrong value.
    """
    file = nearest() if path is None else Path(path)
    if file is None:
        return
    table = read(file, required=path is not None)
    options = {name: action for action in parser._actions for name in _names(action)}
    for key, value in table.items():
        action = options.get(key.replace("_", "-"))
        if action is None:
            raise UsageError(f"{file}: there is no option {key!r} (there are: "
                             f"{', '.join(sorted(options))})")
        parser.set_defaults(**{action.dest: _checked(action, key, value, file)})


def nearest() -> Path | None:
    """The `pyproject.toml` of this folder, or of the nearest one around it."""
    here = Path.cwd()
    return next((p / FILE for p in (here, *here.parents) if os.path.isfile(p / FILE)), None)


def read(file: Path, required: bool) -> dict[str, Any]:
    """The table `[tool.autograph]`; empty if there is none and none is `required`."""
    try:
        with file.open("rb") as opened:
            table = tomllib.load(opened).get("tool", {}).get("autograph")
    except OSError as error:
        raise UsageError(f"cannot read {str(file)!r}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        if not required:
            return {}  # the project's own tools will complain of it
        raise UsageError(f"{file}: {error}") from None
    if table is None and required:
        raise UsageError(f"{file} has no table [tool.autograph]")
    return table if isinstance(table, dict) else {}


NOT_IN_FILES = frozenset({"help", "version", "config", "list-passes", "c", "check"})
"""Options that say what to do now, not how a project wants it."""


def _names(action: argparse.Action) -> list[str]:
    long = [s.removeprefix("--") for s in action.option_strings if s.startswith("--")]
    return [name for name in long if name not in NOT_IN_FILES]


def _checked(action: argparse.Action, key: str, value: Any, file: Path) -> Any:
    """The value of an option, if it is one that the command line could give."""
    if action.nargs == 0:
        fits = isinstance(value, bool)
    elif isinstance(action.default, list):
        fits = isinstance(value, list) and all(isinstance(v, str) for v in value)
    else:
        fits = type(value) is (str if action.type is None else int)
    values = value if isinstance(value, list) else [value]
    allowed = action.choices is None or all(v in action.choices for v in values)
    if not fits or not allowed:
        choices = f" (one of {', '.join(map(str, action.choices))})" if action.choices else ""
        raise UsageError(f"{file}: {value!r} is no value of {key!r}{choices}")
    return value
