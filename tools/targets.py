"""Turns the arguments of a command into texts to convert: files, folders, stdin, live functions."""

from __future__ import annotations

import fnmatch
import glob
import importlib
import inspect
import io
import os
import re
import sys
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograph.syntax.errors import ConversionError, SourceUnavailableError, Span
from autograph.tools.gitignore import Ignored, absolute
from autograph.tools.notebooks import cells_of

LIVE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*\Z")
SKIPPED = ("build", "dist", "node_modules", "__pycache__", "site-packages")


class UsageError(Exception):
    """The command was called in a way that cannot be carried out; the exit code is 2."""


@dataclass(frozen=True)
class Target:
    """A text with the name it has in messages, and the functions asked for (none: the marked).

    cell   the number of the code cell, from 1, in a notebook.
    error  why the text cannot be had.
    """

    name: str
    text: str
    functions: tuple[str, ...] = ()
    relative: str = ""
    encoding: str = "utf-8"
    path: Path | None = None
    is_code: bool = False
    cell: int = 0
    error: ConversionError | None = None


def targets_of(sources: Sequence[str], *, exclude: Sequence[str] = (),
               stdin_name: str = "<stdin>") -> list[Target]:
    """The targets of `FILE.py`, `FILE.py::name`, `DIR`, globs and `-`, in order, each file once.

    What is written of one folder mirrors it; of several, each has a folder of its own.
    """
    asked: dict[str, list[str]] = {}
    entire: set[str] = set()
    for source in sources:
        path, _, name = source.partition("::")
        names = asked.setdefault(path, [])
        if name:
            names.append(name)
        else:
            entire.add(path)
    found: dict[str, Target] = {}
    folders = [path for path in asked if os.path.isdir(path)]
    for path, names in asked.items():
        functions = () if path in entire else tuple(dict.fromkeys(names))
        for target in _targets(path, functions, exclude, stdin_name):
            if len(folders) > 1 and path in folders:
                own = os.path.basename(os.path.abspath(path))
                target = replace(target, relative=os.path.join(own, target.relative))
            found.setdefault(target.name, target)
    return list(found.values())


def _targets(path: str, functions: tuple[str, ...], exclude: Sequence[str],
             stdin_name: str) -> Iterator[Target]:
    if path == "-":
        given = sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else (
            sys.stdin.read().encode())
        text, encoding = _decoded(given, stdin_name)
        yield Target(stdin_name, text, functions, os.path.basename(stdin_name), encoding)
        return
    paths = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not paths:
        raise UsageError(f"there is no file {path!r}")
    for found in paths:
        if not os.path.isdir(found):
            yield from _files(Path(found), functions, Path(found).name)
            continue
        for file in _files_below(Path(found), exclude):
            yield from _files(file, functions, str(file.relative_to(found)))


def _files_below(root: Path, exclude: Sequence[str]) -> Iterator[Path]:
    """The Python files of a folder in sorted order, without hidden, built, ignored and excluded
    ones, and without what is no file: reading a FIFO would wait."""
    ignored = {absolute(root): Ignored.above(absolute(root))}
    for folder, folders, files in os.walk(root, onerror=_refuse):
        here = absolute(Path(folder))
        known = ignored[here]
        folders[:] = sorted(d for d in folders if _is_wanted(Path(folder, d), root, exclude)
                            and not os.path.exists(Path(folder, d, "pyvenv.cfg"))
                            and not known(here / d, True))
        ignored.update((here / d, known.inside(here / d)) for d in folders)
        for file in sorted(files):
            path = Path(folder, file)
            if file.endswith(".py") and _is_wanted(path, root, exclude) and (
                    not known(here / file, False)) and (path.is_file() or not path.exists()):
                yield path


def _refuse(error: OSError) -> None:
    raise UsageError(f"cannot read {str(error.filename)!r}: {error.strerror}") from None


def _is_wanted(path: Path, root: Path, exclude: Sequence[str]) -> bool:
    if path.name.startswith(".") or path.name in SKIPPED:
        return False
    relative = path.relative_to(root).as_posix()
    return not any(fnmatch.fnmatch(name, pattern.rstrip("/")) for pattern in exclude
                   for name in (relative, path.name))


def _files(path: Path, functions: tuple[str, ...], relative: str) -> Iterator[Target]:
    """The target of a file, or those of the code cells of a notebook; of a file that cannot be
    read or decoded, one with the error: the other files are done all the same."""
    name = str(path)
    try:
        data = path.read_bytes()
        if path.suffix == ".ipynb":
            yield from _cells(data, name, functions, relative, path)
            return
        text, encoding = _decoded(data, name)
    except OSError as error:
        reason = f"cannot read {name!r}: {error.strerror}"
    except UsageError as error:
        reason = str(error)
    else:
        yield Target(name, text, functions, relative, encoding, path)
        return
    yield Target(name, "", functions, relative, path=path,
                 error=SourceUnavailableError(reason, Span(name, 1)))


def _cells(data: bytes, name: str, functions: tuple[str, ...], relative: str, path: Path
           ) -> Iterator[Target]:
    """The code cells of a notebook."""
    try:
        texts = cells_of(data)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{name!r} is no notebook of format 4") from None
    for number, text in enumerate(texts, 1):
        yield Target(f"{name}:cell {number}", text, functions, relative, path=path, cell=number)


def _decoded(data: bytes, name: str) -> tuple[str, str]:
    """The text of a source file by its declared encoding; line ends stay as they are."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding), encoding
    except (SyntaxError, UnicodeError, LookupError) as error:  # "utf-16", "rot13"
        raise UsageError(f"cannot decode {name!r}: {error}") from None


def is_live(source: str) -> bool:
    """Returns True if an argument is `pkg.mod:name`, the form that imports."""
    return LIVE.match(source) is not None and not os.path.exists(source)


def live_function(source: str) -> Callable[..., Any]:
    """The object that `pkg.mod:name` names."""
    module, _, name = source.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"cannot get {source!r}: {error}") from None
    return found  # type: ignore[no-any-return]


def in_its_file(source: str) -> str:
    """Returns `FILE.py::Class` for `pkg.mod:Class`; other arguments as they are."""
    found = live_function(source) if is_live(source) else None
    if not isinstance(found, type):
        return source
    try:
        return f"{inspect.getsourcefile(found)}::{found.__qualname__}"
    except TypeError:  # it is made in C
        return source
