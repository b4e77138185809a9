"""Distinguishes the user's files from those of Python, installed libraries and autograph."""

from __future__ import annotations

import os
import site
from functools import cache
from types import FunctionType

from autograph.syntax.traceback_filter import GENERATED

OWN = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
OUR_DISPATCH = "<dispatch of "
"""How the file name of the entry points begins that `ag.function` compiles."""

_opened: set[str] = set()


@cache
def library_roots() -> tuple[str, ...]:
    """Returns the folders of Python's library and of installed packages, the innermost first."""
    roots = {os.path.dirname(os.__file__), *site.getsitepackages(), site.getusersitepackages()}
    return tuple(sorted((os.path.join(r, "") for r in roots), key=lambda r: (-len(r), r)))


@cache
def library_of(filename: str) -> str | None:
    """Returns the folder or file right below a library root that holds a file; None if the user's.

    Frozen modules are Python's own.
    """
    if filename.startswith("<frozen "):
        return filename
    for root in library_roots():
        if filename.startswith(root):
            return root + filename[len(root):].split(os.sep)[0]
    return None


def is_no_file(filename: str) -> bool:
    """Returns True if the file name of a code object is made up: `<string>`, `<stdin>` …

    >>> is_no_file("<string>"), is_no_file("program.py")
    (True, False)
    """
    return filename.startswith("<") and filename.endswith(">")


def is_own(function: FunctionType) -> bool:
    """Returns True for autograph's own functions.

    The file decides, since wrappers copy `__module__`; generated code may have the user's file.
    """
    filename = function.__code__.co_filename
    return GENERATED in function.__globals__ or filename.startswith((OWN, OUR_DISPATCH))


def is_closed(function: FunctionType) -> bool:
    """Returns True if a function belongs to a library that the user has not asked to convert."""
    library = library_of(function.__code__.co_filename)
    return library is not None and library not in _opened


def open_library(function: FunctionType) -> bool:
    """Treats the library of a function that the user asks to convert as the user's own code.

    So a package works the same whether it is installed or run from its checkout. Returns True if
    the library was closed before.
    """
    if not is_closed(function):
        return False
    _opened.add(library_of(function.__code__.co_filename) or "")
    return True
