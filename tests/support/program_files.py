"""Writes programs to files and imports them, as a user's would be."""

import importlib.util
import itertools
import sys
import textwrap
from pathlib import Path
from types import ModuleType

_numbers = itertools.count()


def write(folder: Path, source: str, name: str | None = None) -> Path:
    """A file with the source, by a name that no other test has used."""
    path = folder / f"{name or f'program_{next(_numbers)}'}.py"
    path.write_text(textwrap.dedent(source).lstrip("\n"), encoding="utf-8")
    return path


def load(path: Path) -> ModuleType:
    """The module of a file, imported anew."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def program(folder: Path, source: str) -> ModuleType:
    """The module of a source."""
    return load(write(folder, source))
